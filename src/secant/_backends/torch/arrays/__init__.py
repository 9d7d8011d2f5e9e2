"""Tensors: dense and sparse, their dtypes, and vectors of their numbers."""
