"""The resources of a run; each is created once, at its first use."""
