"""The report, its plots and templates."""
