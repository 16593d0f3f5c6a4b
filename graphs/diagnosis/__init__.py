"""Why answers were wrong."""
