"""What is done about a pair that failed: where it is wrong, how many entries, and why."""
