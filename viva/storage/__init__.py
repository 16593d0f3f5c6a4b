"""The corpus, the run store, vectors, traces, checkpoints."""
