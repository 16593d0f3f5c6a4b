"""How a language model judges a case: what each judge reads and gives, and what a compiled judge adds to that."""
