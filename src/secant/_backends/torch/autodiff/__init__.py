"""Autograd: pulls, pushes, what it depended on, and the rules that it went through."""
