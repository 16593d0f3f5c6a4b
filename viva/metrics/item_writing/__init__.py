"""Rules of item writing: what is wrong with a question by its words and options, and which classes it belongs to."""
