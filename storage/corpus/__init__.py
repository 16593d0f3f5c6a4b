"""From a folder to documents and chunks."""
