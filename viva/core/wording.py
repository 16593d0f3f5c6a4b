"""How numbers of things are put in words: for messages everywhere."""

from __future__ import annotations

from string import ascii_uppercase


def counted(count: int, noun: str, plural: str = "") -> str:
    """'1 question', '60 questions'; `plural` where it is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def option_letter(position: int) -> str:
    """A, B, C and so on; beyond Z the number of the option, from 1."""
    return ascii_uppercase[position] if position < len(ascii_uppercase) else str(position + 1)
