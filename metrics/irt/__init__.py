"""Item response theory."""
