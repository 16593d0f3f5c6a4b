"""Judges of answers: grading, measuring, labelling and tuning."""
