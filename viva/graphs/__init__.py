"""LangGraph state machines: the item graph and the run graph."""
