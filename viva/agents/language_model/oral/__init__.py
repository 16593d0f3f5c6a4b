"""The oral examination, played by language models."""
