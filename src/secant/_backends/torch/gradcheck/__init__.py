"""What the drop-in for torch.autograd.gradcheck shares with torch itself."""
