"""Judges: listed, labelled for, probed."""
