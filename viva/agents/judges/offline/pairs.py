"""What a judge without a language model needs of a case, and the pairs of texts that it compares."""

from __future__ import annotations

from viva.agents.judges.offline.comparison import alternatives, nearest
from viva.agents.judges.offline.rulings import says_anything
from viva.agents.judges.offline.windows import QUESTION_WINDOW, claims_of, window
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


def texts_of(case: Case, quality: Quality) -> list[tuple[str, str]]:
    """What is given and what is said of it: once, or for each claim; never for an answer without a word."""
    if quality is Quality.ANSWERABILITY:
        return [(window(case.question, case.passages, QUESTION_WINDOW), case.question)]
    if quality is Quality.FAITHFULNESS:
        return [(window(claim, case.passages), claim) for claim in claims_of(case.answer)]
    if not says_anything(case.answer):
        return []
    relevance = quality is Quality.RELEVANCE
    return [(case.question if relevance else nearest(case.answer, alternatives(case.reference)), case.answer)]
