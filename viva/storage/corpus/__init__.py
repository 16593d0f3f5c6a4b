"""From a folder, here or elsewhere, to documents and chunks."""
