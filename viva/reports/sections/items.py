"""Each question as the item table shows it: options, evidence in its document, who got it right, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.records import Distractor, Document, ExamItem, Grade, GradeResult, ItemParameters, Response, Span
from viva.core.scores import ItemScore
from viva.core.wording import number, option_letter
from viva.metrics.exam import grade, right_or_wrong
from viva.metrics.intervals import wilson
from viva.reports.data import ReportData
from viva.reports.sections.systems import SystemRow

CONTEXT = 160
LONGEST_ANSWER = 160
# below this a question hardly tells the able from the rest (Baker 2001: 'very low' up to .34)
LOW_DISCRIMINATION = 0.35
FLAGS = {
    "set aside": "The answers speak against it: no figure counts it. The notes on the systems say why.",
    "nobody right": "Nobody was right: too hard, not answerable, or the key is wrong.",
    "everybody right": "Everybody was right: the question tells nobody apart.",
    "below chance": "Fewer right answers than guessing gives (95%): something pulls towards a wrong option.",
    "rival option": "A wrong option was chosen more often than the key.",
    "negative r": "Those who do well elsewhere do worse here: check the key.",
    "flat": f"Discrimination below {LOW_DISCRIMINATION}: hardly tells the able from the rest.",
    "ungraded": "No response to it could be graded.",
}


@dataclass(frozen=True)
class OptionView:
    """One option as shown; `count` is None where the scores do not know the item."""

    letter: str
    text: str
    is_key: bool
    count: int | None
    reason: str


@dataclass(frozen=True)
class EvidenceRow:
    """The quote inside its document. `path` is '' where the document is not at hand."""

    before: str
    quote: str
    after: str
    path: str
    title: str
    place: str
    """the page, slide, sheet, cell, row or line of the file, where it has such"""
    start: int
    end: int


@dataclass(frozen=True)
class OptionOutcome:
    """Who got an item right, who chose what else, who failed; names in the order of the leaderboard."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True)
class ItemView:
    """One row of the item table."""

    number: int
    shown: ExamItem
    score: ItemScore | None
    options: tuple[OptionView, ...]
    evidence: tuple[EvidenceRow, ...]
    """one for each span it rests on"""
    outcome: OptionOutcome
    flags: tuple[str, ...]

    @property
    def parameters(self) -> ItemParameters | None:
        """The 3PL parameters, where abilities were estimated."""
        return self.score.parameters if self.score else None


def item_views(data: ReportData, rows: Sequence[SystemRow]) -> tuple[ItemView, ...]:
    """The items of the exam, numbered from 1 in its order."""
    scores = {score.item_id: score for score in data.scores.items}
    aside = {each.item_id for each in data.scores.set_aside}
    return tuple(
        _view(number, shown, scores.get(shown.item.id), data, rows, aside=shown.item.id in aside)
        for number, shown in enumerate(data.exam.items, 1)
    )


def _view(
    number: int, shown: ExamItem, score: ItemScore | None, data: ReportData, rows: Sequence[SystemRow], *, aside: bool
) -> ItemView:
    return ItemView(
        number=number,
        shown=shown,
        score=score,
        options=_options(shown, score),
        evidence=tuple(in_context(span, data.documents.get(span.document_id)) for span in shown.item.evidence),
        outcome=_outcome(shown, data, rows),
        flags=("set aside",) if aside else item_flags(shown, score),
    )


def why_wrong(wrong: Distractor) -> str:
    """Why an option is wrong, and the mistake of a person who picks it."""
    return wrong.reason + (f" The mistake: {wrong.mistake.rstrip('.')}." if wrong.mistake else "")


def _options(shown: ExamItem, score: ItemScore | None) -> tuple[OptionView, ...]:
    reasons = {wrong.text: why_wrong(wrong) for wrong in shown.item.distractors}
    if shown.item.is_open:
        return ()
    counts = score.option_counts if score and len(score.option_counts) == len(shown.options) else None
    return tuple(
        OptionView(
            letter=option_letter(position),
            text=text,
            is_key=position == shown.key_position,
            count=counts[position] if counts else None,
            reason="" if position == shown.key_position else reasons.get(text, ""),
        )
        for position, text in enumerate(shown.options)
    )


def in_context(span: Span, document: Document | None, around: int = CONTEXT) -> EvidenceRow:
    """The quote with about so many characters on either side, cut between words.

    Without the document, or where its text is not the one the span was taken from, the quote stands alone.
    """
    if document is None:
        return EvidenceRow("", span.quote, "", "", "", "", span.start, span.end)
    known, text = (document.path, document.title), document.text
    if text[span.start : span.end] != span.quote:
        return EvidenceRow("", span.quote, "", *known, "", span.start, span.end)
    before, after = _tail(text[: span.start], around), _head(text[span.end :], around)
    return EvidenceRow(before, span.quote, after, *known, document.place_at(span.start), span.start, span.end)


def _tail(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    cut = text[-length:]
    _, space, rest = cut.partition(" ")
    return "\u2026 " + (rest if space else cut)


def _head(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    cut = text[:length]
    rest, space, _ = cut.rpartition(" ")
    return (rest if space else cut) + " \u2026"


def _outcome(shown: ExamItem, data: ReportData, rows: Sequence[SystemRow]) -> OptionOutcome:
    given = {response.examinee_id: response for response in data.responses.get(shown.item.id, ())}
    right, wrong, failed = list[str](), list[str](), list[str]()
    for row in rows:
        response = given.get(row.id)
        if response is None:
            continue
        result = right_or_wrong(grade(shown, response, data.judged))
        said = _answer(response, data.judged.get(response.id)) if shown.item.is_open else _choice(response)
        if not isinstance(result, Grade):
            failed.append(f"{row.name} ({result.reason})")
        elif result.score:
            right.append(f"{row.name} ({said})" if shown.item.is_open else row.name)
        else:
            wrong.append(f"{row.name} ({said})")
    return OptionOutcome(tuple(right), tuple(wrong), tuple(failed))


def _answer(response: Response, graded: GradeResult | None) -> str:
    """What it said, and the judge's score."""
    told = " ".join(response.text.split())
    cut = told if len(told) <= LONGEST_ANSWER else f"{told[: LONGEST_ANSWER - 1]}…"
    return f"{number(graded.score)}: “{cut}”" if isinstance(graded, Grade) else f"“{cut}”"


def _choice(response: Response) -> str:
    return "no choice" if response.choice is None else option_letter(response.choice)


def item_flags(shown: ExamItem, score: ItemScore | None) -> tuple[str, ...]:
    """The warnings that hold, in the order of FLAGS."""
    if score is None or score.proportion_correct is None:
        return ("ungraded",)
    right = score.proportion_correct
    interval = wilson(min(right * score.graded, score.graded), score.graded)
    rivals = [count for position, count in enumerate(score.option_counts) if position != shown.key_position]
    keyed = sum(score.option_counts) - sum(rivals)
    guessed = 0.0 if shown.item.is_open else 1 / len(shown.options)
    holds = {
        "nobody right": right == 0,
        "everybody right": right == 1,
        "below chance": interval is not None and right > 0 and interval.high < guessed,
        "rival option": right > 0 and max(rivals, default=0) > keyed,
        "negative r": score.point_biserial is not None and score.point_biserial < 0,
        "flat": score.parameters is not None and score.parameters.discrimination < LOW_DISCRIMINATION,
    }
    return tuple(flag for flag in FLAGS if holds.get(flag))
