"""Answers vet questions: which questions of the plain tier are set aside before scores are made, and why.

No rule of the offline cast knows that the wrong options of its plain tier are wrong, so the answers are asked, by
rules fixed beforehand. Who is judged has no say in it: a question is set aside only where the answers of all others
say so, whichever examinee, and whichever reader with all its examinees, is left out (cross-fitting). No score profits
from its own answers, nor from those of its like (docs/decisions/0041).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy.special import bdtrc

from viva.core.records import Exam, Examinee, ExamItem, Grade, GradeResult, Response, Tier
from viva.core.scores import SetAside
from viva.metrics.intervals import wilson
from viva.metrics.retrieval.evidence_recall import evidence_recall_at

MISREAD = "less than half of the able readers who had its evidence before them are right"
GUESSED = "more of those who were shown nothing are right than chance explains"
_HALF = 0.5
_BY_CHANCE = 0.05
"""Probability, one-sided, below which chance does not explain that so many are right."""


@dataclass(frozen=True)
class _Answer:
    """What one examinee did with one question: whether it had the whole evidence before it, or nothing at all."""

    examinee_id: str
    reader: str
    """the name of its reader; its own id where it tells none"""
    right: bool
    informed: bool
    blind: bool


def set_aside(
    exam: Exam, examinees: Sequence[Examinee], responses: Sequence[Response], grades: Iterable[GradeResult]
) -> tuple[SetAside, ...]:
    """Questions of the plain tier that the answers speak against, in the order of the exam."""
    shows_nothing = {each.id for each in examinees if each.components.get("retriever") == "closed-book"}
    readers = {each.id: each.components.get("reader", each.id) for each in examinees}
    plain = [shown for shown in exam.items if shown.item.provenance.tier is Tier.PLAIN]
    if not plain:
        return ()
    right = {(g.examinee_id, g.item_id): bool(g.score) for g in grades if isinstance(g, Grade)}
    shown_of = {shown.item.id: shown for shown in exam.items}
    answers: dict[str, list[_Answer]] = {item_id: [] for item_id in shown_of}
    for response in responses:
        known = right.get((response.examinee_id, response.item_id))
        if known is not None:
            blind = response.examinee_id in shows_nothing
            informed = not blind and _has_evidence(shown_of[response.item_id], response)
            who, reader = response.examinee_id, readers[response.examinee_id]
            answers[response.item_id].append(_Answer(who, reader, known, informed, blind))
    reads = Counter(a.examinee_id for given in answers.values() for a in given if a.informed)
    reads_right = Counter(a.examinee_id for given in answers.values() for a in given if a.informed and a.right)
    found = []
    for shown in plain:
        heard = [a for a in answers[shown.item.id] if not a.informed or _is_able(a, reads, reads_right)]
        if reason := _spoken_against(heard, len(shown.options)):
            found.append(SetAside(item_id=shown.item.id, reason=reason))
    return tuple(found)


def _is_able(answer: _Answer, reads: Mapping[str, int], reads_right: Mapping[str, int]) -> bool:
    """Whether it is right on more than half of the other questions whose evidence it had: who cannot read is not
    heard on what can be read."""
    share = wilson(reads_right[answer.examinee_id] - answer.right, reads[answer.examinee_id] - 1)
    return share is not None and share.low > _HALF


def _has_evidence(shown: ExamItem, response: Response) -> bool:
    """Whether the passages it told hold all of the evidence."""
    passages = response.passages
    recalls = [evidence_recall_at(len(passages), passages, span) for span in shown.item.evidence] if passages else []
    return bool(recalls) and all(recall == 1.0 for recall in recalls)


def _spoken_against(answers: Sequence[_Answer], options: int) -> str | None:
    """The reason that holds whoever is left out."""
    parties = [{answer.examinee_id} for answer in answers]
    readers = {answer.reader for answer in answers}
    if len(readers) > 1:
        parties += [
            {answer.examinee_id for answer in answers if answer.reader == reader} for reader in sorted(readers)
        ]
    for reason in (MISREAD, GUESSED):
        heard = ([answer for answer in answers if answer.examinee_id not in out] for out in parties)
        if parties and all(_holds(reason, others, options) for others in heard):
            return reason
    return None


def _holds(reason: str, answers: Sequence[_Answer], options: int) -> bool:
    if reason == MISREAD:
        read = [answer.right for answer in answers if answer.informed]
        share = wilson(sum(read), len(read))
        return share is not None and share.high < _HALF
    blind = [answer.right for answer in answers if answer.blind]
    return bool(blind) and float(bdtrc(sum(blind) - 1, len(blind), 1 / options)) < _BY_CHANCE
