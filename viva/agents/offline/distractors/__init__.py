"""Wrong options from the corpus itself."""
