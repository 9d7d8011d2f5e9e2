"""pytest's door to secant; outside the package, so that pytest starts without importing secant."""
