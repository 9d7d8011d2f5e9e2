"""A group of processes is one function: the first process checks it, the others do as it asks."""
