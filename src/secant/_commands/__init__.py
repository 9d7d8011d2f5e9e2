"""The commands behind `secant`, one file each; what is slow to import is imported late."""
