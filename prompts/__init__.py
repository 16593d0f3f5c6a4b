"""The instructions of the roles (empty until the language-model cast)."""
