"""Commands about judges: list, label, probe."""
