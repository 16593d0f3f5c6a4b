"""Why answers were wrong, for the page: one part for each examinee that was diagnosed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.estimates import Estimate
from viva.core.scores_diagnosis import Condition, Diagnosis, WrongAnswer
from viva.core.wording import percent
from viva.reports.data import ReportData
from viva.reports.embed import plot_text
from viva.reports.plots.style import Figure, ForestRow, Landmark, axis, forest
from viva.reports.sections.diagnosis_words import MEANINGS, headline, interval
from viva.reports.sections.items import ItemView

LISTED = 60
_SHORT = {
    Condition.CLOSED_BOOK: "no passages",
    Condition.OWN: "its own passages",
    Condition.ORACLE: "the oracle passage",
    Condition.MIXED: "oracle + distractors",
}


@dataclass(frozen=True)
class Put:
    """One wrong answer; `number` is its question's on the page."""

    number: int
    stem: str
    answer: WrongAnswer


@dataclass(frozen=True)
class DiagnosisPart:
    """What the page tells of one examinee's wrong answers. `place` tells its figures from those of others."""

    place: int
    found: Diagnosis
    rows: tuple[tuple[str, str, int, str], ...]
    """what is to blame, in words, answers, share with interval"""
    put: tuple[Put, ...]

    @property
    def lead(self) -> str:
        """The finding in one sentence."""
        return headline(self.found)


def parts(data: ReportData, views: Sequence[ItemView]) -> tuple[DiagnosisPart, ...]:
    """One for each examinee with wrong answers that were diagnosed."""
    numbers = {view.shown.item.id: view for view in views}
    diagnosed = [found for found in data.diagnoses if found.diagnosed]
    return tuple(_part(place, found, numbers) for place, found in enumerate(diagnosed))


def _part(place: int, found: Diagnosis, views: dict[str, ItemView]) -> DiagnosisPart:
    by_blame = {row.blame: row for row in found.rows}
    rows = [(by_blame[blame], words) for blame, words in MEANINGS.items() if by_blame[blame].answers]
    put = [
        Put(views[a.item_id].number, views[a.item_id].shown.item.stem, a) for a in found.answers if a.item_id in views
    ]
    order = list(MEANINGS)
    put.sort(key=lambda each: (order.index(each.answer.blame), each.number))
    return DiagnosisPart(
        place=place,
        found=found,
        rows=tuple((row.blame.value, words, row.answers, interval(row.share)) for row, words in rows),
        put=tuple(put),
    )


def figures(found: Sequence[DiagnosisPart]) -> dict[str, Figure]:
    """For each part: shares of what is to blame, and how its reader fared under each condition."""
    made = {f"blame-{part.place}": _blames(part.found) for part in found}
    return made | {f"conditions-{part.place}": _conditions(part.found) for part in found}


def _blames(found: Diagnosis) -> Figure:
    by_blame = {row.blame: row for row in found.rows}
    rows = [
        _row(blame.value, by_blame[blame].share, f"{by_blame[blame].answers} of {found.diagnosed}: {words}")
        for blame, words in MEANINGS.items()
    ]
    return forest(rows, (), _shares("share of the wrong answers"), legend_room=True)


def _conditions(found: Diagnosis) -> Figure:
    rows = [
        _row(_SHORT[row.condition], row.share, f"{row.right} of {row.asked - row.failed} right, {row.failed} failed")
        for row in found.conditions
    ]
    luck = [] if found.by_luck is None else [Landmark(f"guessing {percent(found.by_luck)}", found.by_luck, "dash")]
    return forest(rows, luck, _shares("right when asked again"), legend_room=True)


def _row(label: str, share: Estimate | None, told: str) -> ForestRow:
    hover = f"<b>{plot_text(label)}</b><br>{plot_text(told)}"
    if share is None:
        return ForestRow(label, None, None, None, hover)
    return ForestRow(label, share.value, share.low, share.high, f"{hover}<br>{interval(share)}")


def _shares(title: str) -> dict[str, object]:
    return axis(title, range=[-0.01, 1.01], tickformat=".0%", dtick=0.25)
