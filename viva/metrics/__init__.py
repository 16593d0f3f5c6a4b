"""Pure functions on arrays and records."""
