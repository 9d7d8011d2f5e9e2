"""From evidence to a verdict: compare, excuse kinks, name the likely cause."""
