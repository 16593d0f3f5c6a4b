"""Figures of an oral examination."""
