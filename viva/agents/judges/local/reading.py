"""How a case becomes the pairs of texts that the cross-encoder reads, and the figures that stand beside each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from viva.agents.judges.offline.comparison import COMPARED, compare
from viva.agents.judges.offline.forms import Form, form_of
from viva.agents.judges.offline.pairs import ComparedTexts, check_case, texts_of
from viva.agents.judges.offline.windows import window
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Case, LabelledCase, Quality

TRAINABLE = (Quality.CORRECTNESS, Quality.ANSWERABILITY, Quality.FAITHFULNESS)
MAX_TOKENS = 160
"""Of both texts together; longer pairs are cut at the longer one's end."""
_SHORT = 12
"""Words of a reference that needs its question beside it to be understood."""
KINDS = 3
_FORM = 1
"""Raised whenever a case is read differently: weights know one way of reading."""


@dataclass(frozen=True)
class TextPair(ComparedTexts):
    """The texts as the network reads them."""

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
    pairs = tuple(_pair(given, said) for given, said in texts_of(case, quality))
    return tuple(_asked(case.question, pair) for pair in pairs) if quality is Quality.CORRECTNESS else pairs


def support_pair(claim: str, passages: Sequence[str]) -> TextPair:
    """A claim beside what the passages say of it."""
    return _pair(window(claim, passages), claim)


def labelled_pairs(labelled: LabelledCase, quality: Quality) -> tuple[tuple[TextPair, float], ...]:
    """What a labelled case teaches: pairs with the label of each.

    Where all claims of an answer are supported, each is. Of any other it is not known which are: it is one pair.
    """
    case, label = labelled.case, labelled.label
    if quality is Quality.FAITHFULNESS and label < 1:
        check_case(case, quality)
        return ((support_pair(case.answer, case.passages), label),) if case.answer.strip() else ()
    return tuple((pair, label) for pair in pairs_of(case, quality))


def _asked(question: str, pair: TextPair) -> TextPair:
    """An answer beside its reference, as it is read where there is a question."""
    if not question:
        return pair
    given = f"{question} {pair.given}" if len(pair.given.split()) <= _SHORT else pair.given
    return replace(pair, given=given, kind=0 if form_of(question, pair.given) is Form.VALUE else 2)


def _pair(given: str, said: str) -> TextPair:
    return TextPair(given, said, compare(said, given))
