"""What is known of each language: words and phrases of its questions."""
