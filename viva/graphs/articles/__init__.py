"""EXAM mode: articles judged by the questions they answer."""
