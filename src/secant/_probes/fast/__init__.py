"""The first look: a few random directions, all leaves at once, then what that leaves open."""
