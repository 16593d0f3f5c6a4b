"""The exam as a thing of its own."""
