"""The sections of the report: figures and words of each."""
