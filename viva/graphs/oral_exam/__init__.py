"""The oral examination of one system."""
