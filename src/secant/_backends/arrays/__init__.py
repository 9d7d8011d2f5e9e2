"""Arrays that record nothing themselves: NumPy, HIPS autograd, the Array API standard."""
