"""The trained judge without a language model: a cross-encoder on the bundled MiniLM weights."""
