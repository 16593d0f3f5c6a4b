"""Readers: from a question and passages to an answer, and from an answer to an option."""
