"""How alike texts are, and how much of one is copied."""
