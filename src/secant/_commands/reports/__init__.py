"""Reports that were saved: read again, and compared."""
