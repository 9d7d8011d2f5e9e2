"""A low-precision kernel against a trusted implementation: truth, yardstick, ratio."""
