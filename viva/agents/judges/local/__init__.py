"""Judges that are a small trained network."""
