"""Question banks, articles and stored gradings of EXAM mode, read within bounds."""
