"""What a judge without a language model needs of a case."""

from __future__ import annotations

from viva.core.errors import UsageError
from viva.core.records.judging import Case, Quality

NEEDS = {
    Quality.CORRECTNESS: ("reference",),
    Quality.ANSWERABILITY: ("question", "passages"),
    Quality.FAITHFULNESS: ("passages",),
    Quality.RELEVANCE: ("question",),
}


def check_case(case: Case, quality: Quality) -> None:
    """UsageError for a case without the texts that the quality is about."""
    lacking = [name for name in NEEDS[quality] if not "".join(getattr(case, name)).strip()]
    if lacking:
        raise UsageError(
            f"A case to be judged for {quality} lacks its {' and '.join(lacking)}.",
            allowed=f"Every case has {', '.join(NEEDS[quality])}.",
            next_step="Name the columns that hold them.",
        )
