"""What the function does: directional derivatives with error bars, from differences alone."""
