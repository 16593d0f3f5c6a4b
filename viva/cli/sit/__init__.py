"""Systems take an exam, written or oral."""
