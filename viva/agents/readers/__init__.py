"""Readers without a model: what passages say for the options of a question, or to an open one."""
