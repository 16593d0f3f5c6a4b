"""Which option of a multiple-choice question an answer means: one reader for every system."""
