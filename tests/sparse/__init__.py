"""Sparse tensors: the matrix of operations and layouts, planted mistakes, bad input."""
