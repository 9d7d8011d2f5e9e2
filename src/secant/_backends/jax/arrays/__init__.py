"""Arrays, the containers that hold them, and vectors of their numbers."""
