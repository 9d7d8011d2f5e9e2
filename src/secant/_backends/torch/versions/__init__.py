"""Other versions of functions of tensors: in float64, with the same draws, without casts."""
