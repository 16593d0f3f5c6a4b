"""The examinees as rows: who is ranked, who only marks the range, what each row shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.records import ComponentEffect
from viva.core.scores import ExamineeScore, RetrievalScore, Scores
from viva.metrics.score import varying_components

# what these levels of a component mean to a reader: they mark the range and are no candidates
REFERENCES = {"oracle": "is handed the evidence", "closed-book": "sees no document"}
SHOWN_RECALLS = (1, 5)


@dataclass(frozen=True)
class SystemRow:
    """One examinee with its place: '1', '2' ... for systems, 'R1', 'R2' ... for references."""

    place: str
    score: ExamineeScore
    reference: str
    components: str
    """'retriever bm25, reader lexical': those in which the systems differ"""

    @property
    def id(self) -> str:
        """The examinee's id."""
        return self.score.examinee.id

    @property
    def name(self) -> str:
        """The examinee's name, as its user gave it."""
        return self.score.examinee.name

    @property
    def failed(self) -> int:
        """Responses that could not be graded, of all kinds."""
        return sum(self.score.failures.values())

    @property
    def failure_kinds(self) -> str:
        """'timed out 3, raised 1'."""
        return ", ".join(f"{kind} {count}" for kind, count in sorted(self.score.failures.items()) if count)

    @property
    def retrieval(self) -> RetrievalScore | None:
        """The retrieval score, if the examinee shows passages."""
        return self.score.retrieval


def system_rows(scores: Scores) -> tuple[SystemRow, ...]:
    """All examinees in the order of the scores (best first)."""
    rows, ranked, references = list[SystemRow](), 0, 0
    varying = varying_components([score.examinee.components for score in scores.examinees])
    for score, components in zip(scores.examinees, varying, strict=True):
        reference = reference_kind(score)
        ranked, references = ranked + (not reference), references + bool(reference)
        place = f"R{references}" if reference else str(ranked)
        rows.append(SystemRow(place, score, reference, ", ".join(f"{n} {level}" for n, level in components.items())))
    return tuple(rows)


def reference_kind(score: ExamineeScore) -> str:
    """'oracle' or 'closed-book' where a component is at that level; '' for a system."""
    levels = score.examinee.components.values()
    return next((kind for kind in REFERENCES if kind in levels), "")


def recall_columns(rows: tuple[SystemRow, ...]) -> tuple[int, ...]:
    """The cut-offs to show: 1 and 5 where they were measured, else the smallest and largest that were."""
    measured = sorted({k for row in rows if row.retrieval for k in row.retrieval.recall_at})
    wanted = [k for k in SHOWN_RECALLS if k in measured]
    return tuple(wanted or sorted({*measured[:1], *measured[-1:]}))


@dataclass(frozen=True)
class Spread:
    """How far the best level of a component is from its worst, on the ability scale."""

    width: float
    best: str
    worst: str


def component_spreads(effects: Sequence[ComponentEffect]) -> dict[str, Spread]:
    """By component, widest first. References are set aside where two other levels are left."""
    found: dict[str, Spread] = {}
    for component in dict.fromkeys(effect.component for effect in effects):
        own = [effect for effect in effects if effect.component == component]
        plain = [effect for effect in own if effect.level not in REFERENCES]
        ordered = sorted(plain if len(plain) > 1 else own, key=lambda effect: (effect.effect, effect.level))
        worst, best = ordered[0], ordered[-1]
        found[component] = Spread(best.effect - worst.effect, best.level, worst.level)
    return dict(sorted(found.items(), key=lambda entry: (-entry[1].width, entry[0])))
