"""What earlier versions of viva had and this one has not, with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_FILES = "articles are read from files: have your system write them into a folder and name it with --articles."
_BY_A_MODEL = "articles are read by a language model alone: name it with --model PROVIDER:MODEL."
_VERIFIED = "answers are verified by the bank's keys, or texts are rated: --verify key, or --verify rating."
_LESS = "viva exam-articles computes EXAM, n-EXAM and EXAM-Cover alone: leave the option out."
_ARTICLES = {
    "--documents": _FILES,
    "--examinee": _FILES,
    "-e": _FILES,
    "--timeout": _FILES,
    "--judge": _VERIFIED,
    "--verify judge": _VERIFIED,
    "--reader": _BY_A_MODEL,
    "--tokens": "limit what is read with --paragraphs.",
    "--normalise": "n-EXAM counts what gold articles answer (--gold), or else what any graded text answers.",
    "--abilities": _LESS,
    "--no-abilities": _LESS,
    "--instructions": _LESS,
    "--k": _LESS,
    "--seed": _LESS,
}
_AGREE = (
    "viva agree compares by rank correlations with intervals, without random orders of ties: leave the option out."
)

GONE: Mapping[str, str] = MappingProxyType(
    {
        **{f"exam-articles {name}": f"{name} is gone: {sentence}" for name, sentence in _ARTICLES.items()},
        "agree --breaks": f"--breaks is gone: {_AGREE}",
        "agree --seed": f"--seed is gone: {_AGREE}",
        "reading articles by rules": f"Reading articles without a language model is gone: {_BY_A_MODEL}",
        "oral examination by rules": "There is no oral examination without a language model any more: name one with "
        "--model PROVIDER:MODEL, or a recording with --model replay:FILE#PROVIDER:MODEL.",
    }
)
"""By what a user may still name (a command, an option, a value, a setting): a sentence that names its replacement."""


def replacement(name: str) -> str | None:
    """The sentence on a name that is gone; None if viva never had it or has it still."""
    return GONE.get(name)
