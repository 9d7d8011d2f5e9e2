"""What is asked of one pair of leaves: the questions of a mode, and columns measured whole."""
