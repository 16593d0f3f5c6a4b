"""Tuning and calibration of judges (empty until its issue)."""
