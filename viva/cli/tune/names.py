"""What a tuned or trained judge can be called."""

from __future__ import annotations

import re

from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Quality
from viva.graphs.grading.judge_lookup import is_taken


def check_name(name: str, own: str = "") -> str:
    """The name, if a judge can have it. UsageError otherwise, and for one of a judge that needs no installing.

    `own` is the name that is free all the same: that of the shipped local judge whose place the trained one takes.
    """
    try:
        JudgeCard.__pydantic_validator__.validate_assignment(JudgeCard.model_construct(), "name", name)
    except ValueError:
        raise UsageError(
            f"--name is {name!r}.",
            allowed="Up to 64 small letters, digits, '.', '_' and '-', a letter or digit first.",
        ) from None
    if is_taken(name) and name != own:
        raise UsageError(
            f"--name is {name!r}, which names a judge that there is without installing: one installed under it could "
            "not be told from it.",
            next_step=f"Take a name of your own: --name my-{name}",
        )
    return name


def usual_name(quality: Quality, model: str) -> str:
    """What a tuned judge is called where nobody says: of quality and model."""
    short = re.sub(r"[^a-z0-9.]+", "-", model.lower().rpartition(":")[2].rpartition("/")[2]).strip("-.")
    name = f"{quality.value}-{short or 'tuned'}"[:64]
    return f"{name}-tuned" if is_taken(name) else name
