"""Types of files beside those that most corpora are made of."""
