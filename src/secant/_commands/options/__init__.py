"""The options of the commands, with their help, and the settings that they stand for."""
