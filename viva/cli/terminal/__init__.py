"""The terminal: console, escaping, progress, tables."""
