"""Modules as functions of their parameters; everything that hangs on one is kept."""
