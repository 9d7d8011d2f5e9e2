"""What secant does with vectors of real coordinates, once for every framework."""
