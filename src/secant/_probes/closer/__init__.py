"""A closer look along one line, and what may explain what it saw before anything is blamed."""
