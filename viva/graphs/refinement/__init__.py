"""A better exam from a scored one."""
