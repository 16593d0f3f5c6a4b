"""The domain: records in walking order, ids, errors, settings. Knows no I/O, no model, no framework."""
