"""Real coordinates for every kind of leaf: after this room nobody asks about dtype or layout."""
