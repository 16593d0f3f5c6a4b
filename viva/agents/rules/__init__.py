"""What a rule can tell of a question and its options, without a model and without the corpus."""
