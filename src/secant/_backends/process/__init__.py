"""What belongs to the whole process, put back after a check."""
