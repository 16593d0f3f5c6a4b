"""What viva can do with further packages: how its extras are installed, in words for messages."""

from __future__ import annotations


def how_to_install(extra: str) -> str:
    """The command. viva is in no package index: it is installed from the folder that it came in."""
    return f"In viva's folder: pip install -e '.[{extra}]'"
