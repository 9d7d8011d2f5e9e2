"""The question of a command: target and inputs, from words to objects."""
