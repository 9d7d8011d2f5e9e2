"""Derivatives, right and wrong, that the demo shows."""
