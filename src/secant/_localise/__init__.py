"""Which submodule is to blame: every call of one pass, checked by itself."""
