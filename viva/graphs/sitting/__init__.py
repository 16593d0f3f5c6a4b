"""Systems answer the exam."""
