"""viva: a viva voce for RAG systems."""

__version__ = "0.1.0"
