"""Commands about judges: list, label."""
