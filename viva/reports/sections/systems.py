"""The examinees as rows: who is ranked, who only marks the range, what each row shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from viva.core.note_words import nothing_separates
from viva.core.records import ComponentEffect
from viva.core.scores import Estimate, ExamineeScore, Reliability, RetrievalScore, Scores, places
from viva.core.scores_pairs import ALL_BUT_SURE, Comparison
from viva.core.wording import counted, number, percent

# what these levels of a component mean to a reader: they mark the range and are no candidates
REFERENCES = {"oracle": "is handed the evidence", "closed-book": "sees no document"}
MANUFACTURED, FAILING = "manufactured", "failing"
MARKS = {MANUFACTURED: "M", FAILING: "F"}
"""What the place of an unranked examinee begins with; R: a reference."""
SHOWN_RECALLS = (1, 5)
MANY = 2
"""Systems with one pair; of more, a pair is one of several."""


@dataclass(frozen=True)
class SystemRow:
    """One examinee with its place: '1', '2' ... for systems, 'R1', 'M1', 'F1' ... for those that are not ranked."""

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
    def manufactured(self) -> str:
        """Why viva set it beside those asked for; '' for one of these."""
        return self.score.examinee.manufactured

    @property
    def failed(self) -> int:
        """Failures of all kinds."""
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
    """All examinees, best first: those asked for, then those that viva set beside them.

    Systems without common questions cannot be ranked together: each group has a letter and places of its own.
    """
    marks = Counter[str]()
    groups = _connected([score for score in scores.examinees if not reference_kind(score)], scores.comparisons)
    place_of, group_of = dict[str, str](), dict[str, int]()
    for nth, group in enumerate(groups):
        letter = _letter(nth) if len(groups) > 1 else ""
        for score, rank in zip(group, places(group), strict=True):
            place_of[score.examinee.id], group_of[score.examinee.id] = f"{letter}{rank}", nth
    # the response model is slow to import, and needed where there are scores alone
    from viva.metrics.panel import varying_components

    varying = varying_components([score.examinee.components for score in scores.examinees])
    found = list[tuple[bool, int, SystemRow]]()
    for score, components in zip(scores.examinees, varying, strict=True):
        reference, own = reference_kind(score), score.examinee
        mark = MARKS.get(MANUFACTURED if own.manufactured else reference, "R")
        marks[mark] += bool(reference)
        place = f"{mark}{marks[mark]}" if reference else place_of[own.id]
        row = SystemRow(place, score, reference, ", ".join(f"{n} {level}" for n, level in components.items()))
        found.append((bool(own.manufactured), group_of.get(own.id, len(groups)) if len(groups) > 1 else 0, row))
    return tuple(row for *_, row in sorted(found, key=lambda each: each[:2]))


def _connected(ranked: Sequence[ExamineeScore], comparisons: Sequence[Comparison]) -> list[list[ExamineeScore]]:
    """Groups that common questions connect, in the order of their best; without a grade one is in the first."""
    graded = [score for score in ranked if score.graded]
    member = {score.examinee.id: {score.examinee.id} for score in graded}
    for pair in comparisons:
        one, other = member.get(pair.first_id), member.get(pair.second_id)
        if one and other and one is not other:
            one |= other
            member |= dict.fromkeys(other, one)
    groups = [set(found) for found in dict.fromkeys(frozenset(member[score.examinee.id]) for score in graded)]
    first = groups[0] if groups else set()
    first |= {score.examinee.id for score in ranked if not score.graded}
    return [[score for score in ranked if score.examinee.id in group] for group in groups or [first]]


def _letter(group: int) -> str:
    """A, B ...; AA after the last, and none that marks who is not ranked."""
    letters = [letter for letter in ascii_uppercase if letter not in {*MARKS.values(), "R"}]
    return letters[group % len(letters)] * (1 + group // len(letters))


def groups_sentence(rows: Sequence[SystemRow]) -> str:
    """What the letters of places mean; '' where there are none."""
    if all(row.reference or row.place.isdecimal() for row in rows):
        return ""
    return "Systems without common questions cannot be ranked together: places count within each group (A, B ...)."


def reference_kind(score: ExamineeScore) -> str:
    """'oracle' or 'closed-book' where a component is at that level, 'manufactured', 'failing'; '' for a system."""
    levels = score.examinee.components.values()
    other = MANUFACTURED if score.examinee.manufactured else FAILING if score.failing else ""
    return next((kind for kind in REFERENCES if kind in levels), other)


def recall_columns(rows: tuple[SystemRow, ...]) -> tuple[int, ...]:
    """The cut-offs to show: 1 and 5 where they were measured, else the smallest and largest that were."""
    measured = sorted({k for row in rows if row.retrieval for k in row.retrieval.recall_at})
    wanted = [k for k in SHOWN_RECALLS if k in measured]
    return tuple(wanted or sorted({*measured[:1], *measured[-1:]}))


def detectable_sentence(scores: Scores) -> str:
    """The smallest difference of two systems that is found in 4 of 5 exams of this size, in words; '' if unknown."""
    found = scores.measurement.detectable if scores.measurement else None
    if found is None or not found.exact or nothing_separates(scores):
        return ""
    common = found.questions is not None and found.questions < len(scores.items)
    questions = counted(found.questions or len(scores.items), "common question" if common else "question")
    if not found.detectable:
        return f"With {questions} an exam cannot be counted on to tell any two systems of this field apart."
    where = "in the middle of this field" if found.accuracy is None else f"near {percent(found.accuracy)} right"
    # the most that two can differ: as far above as below that share, or one of them at it
    lower, higher = (0.5, 0.5) if found.accuracy is None else sorted((found.accuracy, 1 - found.accuracy))
    both_near, one_near = 2 * lower, max(2 * lower, higher)
    least = f"must differ by about {_points(found.score)} to be told apart in 4 of 5 exams of this size"
    told = f"With {questions}, two systems {where} {least}"
    if found.score > both_near:
        told = f"With {questions} an exam is too small to tell apart any two systems {where}"
        if found.score > one_near:
            return f"{told}."
        told += f": systems {least}"
    if found.among_systems is not None and found.among_systems <= one_near:
        pairs = found.systems * (found.systems - 1) // 2
        among = _points(found.among_systems)
        return f"{told}; {among} if all {pairs} pairs of your {found.systems} systems are compared."
    many = f"; among your {found.systems} systems no difference is found so often" if found.systems > MANY else ""
    return f"{told}{many}."


def reliability_sentence(found: Reliability | None, who: str = "systems") -> str:
    """How reliable scores and abilities are, and what that means, in words; '' where no score is known."""
    if found is None:
        return ""
    if found.kr20 is None:
        reason = found.not_made.get("kr20", "no check was made")
        return f"Reliability: not computed ({reason})."
    many = min(found.examinees, found.complete)
    whose = f"your {many}" if found.own else f"{many}"
    told = f"Reliability of the scores (KR-20): {_coefficient(found.kr20)}, of {whose} {who}"
    if found.marginal:
        told += f"; of the abilities (marginal): {_coefficient(found.marginal)}"
    if found.kr20.value <= 0:
        return f"{told}. Their scores differ by no more than chance."
    luck = 1 - found.kr20.value
    share = f"About {percent(luck)}" if luck >= 1 - ALL_BUT_SURE else f"Less than {percent(1 - ALL_BUT_SURE)}"
    return f"{told}. {share} of the spread of their scores is luck of the questions."


def _coefficient(found: Estimate) -> str:
    value, low, high = (
        f"over {number(ALL_BUT_SURE)}" if number(each) == number(1) else number(max(each, 0.0))
        for each in (found.value, found.low, found.high)
    )
    return f"{value} (95%: {low} to {high})"


def _points(share: float) -> str:
    return counted(max(1, round(100 * share)), "point")


def known_sentence(known: int, questions: int) -> str:
    """How many questions can be answered without documents, in words."""
    told = (
        f"{known} of {counted(questions, 'question')} can be answered without documents: a language model knew the "
        "answer before it was shown any, or guesses it."
    )
    public = " An exam of public knowledge: the figure that counts is how much more a system gets than closed-book."
    return f"{told}{public}" if 2 * known > questions else told


@dataclass(frozen=True)
class AccuracySpread:
    """How far the best level of a component is from its worst, on the ability scale."""

    width: float
    best: str
    worst: str
    references_aside: bool


def component_spreads(effects: Sequence[ComponentEffect]) -> dict[str, AccuracySpread]:
    """By component, widest first. References are set aside where two other levels are left."""
    found: dict[str, AccuracySpread] = {}
    for component in dict.fromkeys(effect.component for effect in effects):
        own = [effect for effect in effects if effect.component == component]
        plain = [effect for effect in own if effect.level not in REFERENCES]
        aside = 1 < len(plain) < len(own)
        ordered = sorted(plain if aside else own, key=lambda effect: (effect.effect, effect.level))
        worst, best = ordered[0], ordered[-1]
        found[component] = AccuracySpread(best.effect - worst.effect, best.level, worst.level, aside)
    return dict(sorted(found.items(), key=lambda entry: (-entry[1].width, entry[0])))


def told_spreads(scores: Scores) -> dict[str, AccuracySpread]:
    """Those of components whose best level is told apart from the worst."""
    contrasts = scores.measurement.contrasts if scores.measurement else ()
    apart = {(one.component, frozenset((one.level, one.reference))) for one in contrasts if one.told_apart}
    spreads = component_spreads(scores.effects)
    return {name: one for name, one in spreads.items() if (name, frozenset((one.best, one.worst))) in apart}
