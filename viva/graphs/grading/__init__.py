"""Open answers are graded by judges."""
