"""Questions without a model: a statement that stands alone, with its closing phrase or one of its values left out."""
