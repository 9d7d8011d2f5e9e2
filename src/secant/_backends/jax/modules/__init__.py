"""Modules as functions of their arrays: Equinox, Flax NNX, any callable that is a tree."""
