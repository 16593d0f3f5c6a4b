"""The cast that asks a language model: every role of agents/roles.py, its instructions in prompts/."""
