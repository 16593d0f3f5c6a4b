"""Tuning and training of judges."""
