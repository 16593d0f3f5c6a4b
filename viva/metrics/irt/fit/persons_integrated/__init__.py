"""Items with the persons integrated out."""
