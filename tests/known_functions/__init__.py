"""The functions behind `known.py`, one file per family; `known.py` is the door."""
