"""PyTorch's operators, and its arrays made of numbers."""
