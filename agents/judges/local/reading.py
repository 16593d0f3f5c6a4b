"""How a case becomes the pairs of texts that the cross-encoder reads, and the figures that stand beside each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from viva.agents.judges.offline.comparison import COMPARED, TextComparison, alternatives, compare, nearest
from viva.agents.judges.offline.needs import check_case
from viva.agents.judges.offline.rulings import says_anything
from viva.agents.judges.offline.windows import QUESTION_WINDOW, claims_of, window
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Case, LabelledCase, Quality

TRAINABLE = (Quality.CORRECTNESS, Quality.ANSWERABILITY, Quality.FAITHFULNESS)
MAX_TOKENS = 160
"""Of both texts together; longer pairs are cut at the longer one's end."""
_SHORT = 12
"""Words of a reference that needs its question beside it to be understood."""
KINDS = 3
_VALUE = 6
"""Words of a reference that is a value: it is told or not."""
_FORM = 1
"""Raised whenever a case is read differently: weights know one way of reading."""


@dataclass(frozen=True)
class TextPair:
    """What is given and what is said of it, as the network reads them, and how they compare."""

    given: str
    said: str
    comparison: TextComparison
    kind: int = 1
    """0: the answer to a question is a value; 2: it is more than that; 1: two texts without a question"""


def signature(quality: Quality) -> str:
    """16 hex digits of the way in which cases of this quality are read."""
    return content_hash("local judge", _FORM, quality, MAX_TOKENS, *COMPARED)


def check_trainable(quality: Quality) -> None:
    """UsageError for a quality that no cross-encoder is trained for."""
    if quality not in TRAINABLE:
        raise UsageError(
            f"No local judge of {quality} can be trained.",
            allowed=f"Local judges are trained for {', '.join(TRAINABLE)}.",
            next_step=f"Ask a language model: viva tune {quality} --data FILE --model PROVIDER:MODEL.",
        )


def pairs_of(case: Case, quality: Quality) -> tuple[TextPair, ...]:
    """The pairs of a case: one for each claim of the answer where faithfulness is judged, else one.

    None for an answer without a word. UsageError for a case that lacks what the quality needs.
    """
    check_trainable(quality)
    check_case(case, quality)
    if quality is Quality.CORRECTNESS:
        return (_against_reference(case),) if says_anything(case.answer) else ()
    if quality is Quality.ANSWERABILITY:
        return (_pair(window(case.question, case.passages, QUESTION_WINDOW), case.question),)
    return tuple(support_pair(claim, case.passages) for claim in claims_of(case.answer))


def support_pair(claim: str, passages: Sequence[str]) -> TextPair:
    """A claim beside what the passages say of it."""
    return _pair(window(claim, passages), claim)


def labelled_pairs(labelled: LabelledCase, quality: Quality) -> tuple[tuple[TextPair, float], ...]:
    """What a labelled case teaches: pairs with the label of each.

    Where all claims of an answer are supported, each is. Of any other answer it is not known which are, so it is one
    pair as a whole.
    """
    case, label = labelled.case, labelled.label
    if quality is Quality.FAITHFULNESS and label < 1:
        check_case(case, quality)
        return ((support_pair(case.answer, case.passages), label),) if case.answer.strip() else ()
    return tuple((pair, label) for pair in pairs_of(case, quality))


def _against_reference(case: Case) -> TextPair:
    wording = nearest(case.answer, alternatives(case.reference))
    pair, words = _pair(wording, case.answer), len(wording.split())
    if not case.question:
        return pair
    given = f"{case.question} {wording}" if words <= _SHORT else wording
    return replace(pair, given=given, kind=0 if words <= _VALUE else 2)


def _pair(given: str, said: str) -> TextPair:
    return TextPair(given, said, compare(said, given))
