"""What earlier versions of viva had and this one has not, with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_REFINE = "viva refine has one method; that of Guinet et al. (2024) is in benchmarks/irt/guinet2024.py."

_SIT = (
    "viva sit no longer chooses questions; for a part of the exam, drawn at random: viva sit RUN -e SPEC --sample N."
)

GONE: Mapping[str, str] = MappingProxyType(
    {
        "sit --adaptive": _SIT,
        "sit --budget": _SIT,
        "sit --se-target": _SIT,
        "refine --method": _REFINE,
        "refine --quantile": _REFINE,
        "--method guinet2024": "The method 'guinet2024' is gone: see benchmarks/irt/guinet2024.py.",
        "--method mml-persons": "The method 'mml-persons' is gone: map serves up to 5,000 examinees.",
    }
)
"""By what a user may still name (a command, an option, a value, a setting): a sentence that names its replacement."""


def replacement(name: str) -> str | None:
    """The sentence on a name that is gone; None if viva never had it or has it still."""
    return GONE.get(name)
