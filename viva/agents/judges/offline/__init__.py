"""Judges by rules and similarity, on the scale of people."""
