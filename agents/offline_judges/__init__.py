"""Judges without a language model and without training: embeddings, and numbers, dates, names and negation."""
