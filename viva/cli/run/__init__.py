"""The stages of a run: documents to report, whole or one by one."""
