"""Commands in which systems take an exam, written or oral."""
