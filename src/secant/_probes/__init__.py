"""Which directions are asked, and how the answers are laid side by side."""
