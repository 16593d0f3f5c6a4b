"""Retrieved passages against evidence and relevance."""
