"""Abilities with the items integrated out."""
