"""Checks of a fit, of its items and of those who answered."""
