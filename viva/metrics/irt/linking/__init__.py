"""A later calibration on the scale of an earlier one."""
