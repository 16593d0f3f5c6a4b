"""From a reply to typed fields and back: DSPy adapters, the repair ladder, and what can be wrong with a reply."""
