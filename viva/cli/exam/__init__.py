"""Commands for an exam by itself."""
