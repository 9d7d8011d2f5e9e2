"""Groups of processes under torch.distributed; loaded by checks that name a group."""
