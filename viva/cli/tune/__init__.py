"""Judges tuned or trained on labels."""
