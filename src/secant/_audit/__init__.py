"""An audit: every operator of a catalogue, checked by many workers, recorded as it goes."""
