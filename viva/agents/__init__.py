"""Roles: one file per role; agents/offline/ plays them without a language model."""
