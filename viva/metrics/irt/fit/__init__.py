"""Estimation, by several methods."""
