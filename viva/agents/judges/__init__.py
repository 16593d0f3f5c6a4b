"""Judges of answers: their roles, and the one that is used where none is named."""
