"""Operators with sample inputs, and arrays made for whoever draws them: no part of a backend."""
