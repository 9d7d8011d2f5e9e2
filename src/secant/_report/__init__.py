"""What a check says: a model, a medium-free document made from it, and one file per medium."""
