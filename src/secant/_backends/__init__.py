"""The only place a framework is named: one small interface, one file per framework."""
