"""Reading prose without a model: words, lemmas, phrases, expressions."""
