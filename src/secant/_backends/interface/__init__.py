"""What secant asks of a framework, a file for each part; all but six methods have defaults."""
