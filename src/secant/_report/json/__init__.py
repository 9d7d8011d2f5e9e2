"""What is reported as JSON, to a published schema, and back; what is read is not trusted."""
