"""From accepted items to an exam."""
