"""JAX's public functions with inputs for them, and its arrays made of numbers."""
