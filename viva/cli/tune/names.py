"""Names of tuned judges."""

from __future__ import annotations

import re

from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Quality
from viva.graphs.grading.judge_lookup import is_taken


def check_name(name: str) -> str:
    """The name, if a judge can have it. UsageError for a wrong name, and for one of a judge that comes with viva."""
    try:
        JudgeCard.__pydantic_validator__.validate_assignment(JudgeCard.model_construct(), "name", name)
    except ValueError:
        raise UsageError(
            f"--name is {name!r}, which is not a possible name.",
            allowed="Up to 64 lower-case letters, digits, '.', '_' and '-'; the first is a letter or digit.",
        ) from None
    if is_taken(name):
        raise UsageError(
            f"--name is {name!r}, which is the name of a judge that comes with viva or came with it.",
            next_step=f"Choose another name: --name my-{name}",
        )
    return name


def usual_name(quality: Quality, model: str) -> str:
    """The default name of a tuned judge: made from quality and model."""
    short = re.sub(r"[^a-z0-9.]+", "-", model.lower().rpartition(":")[2].rpartition("/")[2]).strip("-.")
    name = f"{quality.value}-{short or 'tuned'}"[:64]
    return f"{name}-tuned" if is_taken(name) else name
