"""JAX: the backend, and one file for each thing that it must be able to do."""
