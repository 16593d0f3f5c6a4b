"""Judges that ask a language model."""
