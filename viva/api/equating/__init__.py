"""Forms of an exam on one scale, and scores over runs and dates."""
