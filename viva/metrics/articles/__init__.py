"""EXAM mode: articles and rankings scored by the questions they answer."""
