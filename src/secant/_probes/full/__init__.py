"""Every entry of a pair of leaves, or random mixtures of them."""
