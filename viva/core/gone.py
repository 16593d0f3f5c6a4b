"""What earlier versions of viva had and this one has not, with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TRAINED_JUDGES = (
    "Judges with trained weights are gone, because rules judge unseen answers as well: use a judge of rules, such as "
    "correctness-offline, or tune a model's prompt (viva tune JUDGE --data FILE --model PROVIDER:MODEL)."
)
_DEFAULT_JUDGE = "The judge correctness-default (rules and trained weights) is gone: use correctness-offline."
_JURIES = (
    "Several judges of one run and repeats of their judgements are gone: score a copy of the run with each judge "
    "(viva score RUN --judge NAME) and compare the scores (docs/judges.md)."
)

GONE: Mapping[str, str] = MappingProxyType(
    {
        "probe": "viva probe is no command any more: run python benchmarks/judges/probe.py in a clone of viva.",
        "tune local": TRAINED_JUDGES,
        "tune --start": TRAINED_JUDGES,
        "judge answerability-local": TRAINED_JUDGES,
        "judge correctness-default": _DEFAULT_JUDGE,
        "judge correctness-local": TRAINED_JUDGES,
        "judge faithfulness-local": TRAINED_JUDGES,
        "judge jury": _JURIES,
        "--judge-repeats": _JURIES,
    }
)
"""By what a user may still name (a command, an option, a value, a setting): a sentence that names its replacement."""


def replacement(name: str) -> str | None:
    """The sentence on a name that is gone; None if viva never had it or has it still."""
    return GONE.get(name)
