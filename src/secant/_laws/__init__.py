"""What every derivative must obey, no measurement needed; each law is a file and a name."""
