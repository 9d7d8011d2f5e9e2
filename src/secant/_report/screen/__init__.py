"""What fits on a screen: documents as blocks of words, which text and notebooks show."""
