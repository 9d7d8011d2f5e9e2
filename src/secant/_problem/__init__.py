"""A function, its inputs, which leaves are differentiated, and every leaf's path."""
