"""Text as all read it: sentences, words, overlap, languages."""
