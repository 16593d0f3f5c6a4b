"""Critics that ask a language model: of questions, answers, options and finished items."""
