"""What each page shows, as values for its template."""
