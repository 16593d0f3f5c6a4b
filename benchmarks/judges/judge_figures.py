"""One figure of agreement with people, and how figures come to ship with the judges that they are of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.ids import content_hash
from viva.core.records.judging import JudgeCard, Measured
from viva.storage.judges import shipped_folder, stamp_of


@dataclass(frozen=True)
class JudgeFigure:
    """One line of the table."""

    data: str
    judge: str
    statistic: str
    estimate: float
    low: float
    high: float
    interval: str
    labels: int
    unjudged: int
    fingerprint: str


def keep(cards: Sequence[JudgeCard], found: Sequence[JudgeFigure]) -> None:
    """Writes what was measured of judges beside the compiled judges."""
    for card in cards:
        measured = tuple(_measured(each) for each in found if _is_of(each, card))
        _keep_beside(card.model_copy(update={"measured": measured}))


def _is_of(figure: JudgeFigure, card: JudgeCard) -> bool:
    return figure.judge == card.name and figure.interval != "Bonett-Wright"


def _measured(figure: JudgeFigure) -> Measured:
    return Measured(
        data=figure.data,
        data_fingerprint=figure.fingerprint,
        statistic=figure.statistic,
        estimate=round(figure.estimate, 4),
        low=round(figure.low, 4),
        high=round(figure.high, 4),
        labels=figure.labels,
        unjudged=figure.unjudged,
    )


def _keep_beside(card: JudgeCard) -> None:
    """In the place of earlier figures of the judge of this name."""
    for file in shipped_folder().glob("measured.*.json"):
        if json.loads(file.read_text("utf-8"))["card"]["name"] == card.name:
            file.unlink()
    file = shipped_folder() / f"measured.{card.judges.value}.{content_hash(*stamp_of(card))}.json"
    told = {"card": card.model_dump(mode="json"), "program": None}
    file.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
