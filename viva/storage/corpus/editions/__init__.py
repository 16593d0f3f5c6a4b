"""Documents that are editions of one text, and the sentences in which they differ."""
