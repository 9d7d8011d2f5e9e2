"""From evidence to a verdict: the yardstick that readings are held against, and the rules."""
