"""RAG systems under examination: the reference ones and the seam for anybody's own."""
