"""Adaptive testing against a calibrated bank."""
