"""The cast without a language model: deterministic, no key, no network."""
