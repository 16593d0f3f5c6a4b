"""The exam as a thing of its own: its file, other tools' formats, its statistics, checks and review."""
