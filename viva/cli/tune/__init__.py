"""Judges tuned on labels."""
