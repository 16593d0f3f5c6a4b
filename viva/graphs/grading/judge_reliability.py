"""Judges asked the same again: how much of the spread of scores is the judge's own unsteadiness."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from viva.agents.judges.model.judge import Repeatable
from viva.agents.judges.model.working import worked
from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Case
from viva.core.scores_open import Steadiness
from viva.graphs.grading.batch_judging import Judged, judge_cases
from viva.metrics.judges.pairs import Undefined
from viva.metrics.judges.variance import VarianceSplit, judge_variance

SAMPLE = 50
"""Cases that are judged again unless more or fewer are asked for: components of variance need tens, not thousands."""


@dataclass(frozen=True)
class Repeats:
    """`cases` were judged `repeats` times by each judge; the counts are those of the judges together."""

    cases: int
    repeats: int
    split: VarianceSplit | Undefined
    judges: tuple[Steadiness, ...]

    @property
    def moved(self) -> int:
        """(Case, judge) pairs with different scores."""
        return sum(each.moved for each in self.judges)

    @property
    def compared(self) -> int:
        """(Case, judge) pairs with two scores or more."""
        return sum(each.compared for each in self.judges)

    @property
    def unjudged(self) -> int:
        """Judgements that were not to be had."""
        return sum(each.unjudged for each in self.judges)


async def judge_repeats(
    judge: Judge,
    cases: Sequence[Case],
    n: int,
    *,
    seed: int,
    items: Sequence[Hashable] | None = None,
    systems: Sequence[Hashable] | None = None,
    others: Sequence[Judge] = (),
    sample: int = SAMPLE,
    progress: Progress | None = None,
) -> Repeats:
    """Ask `judge` (and `others`) `n` times about `sample` cases drawn by `seed`, and split the variance.

    A case that several systems made, with the same answer, is one judgement: it is drawn once.
    `items` and `systems` (cases,) say what was asked and who answered; without `items` cases of one question,
    reference and passages are one item. The first time is the judging itself, which the ledger serves; every other
    is paid anew. A judge that is not Repeatable is simply asked again. UsageError for fewer than two times, no cases,
    labels of another length, and judges of one name.
    """
    judges = _checked(judge, others, cases, n, {"items": items, "systems": systems})
    items = items or [content_hash("item", case.question, case.reference, *case.passages) for case in cases]
    systems = systems or [""] * len(cases)
    order = _drawn([(items[place], systems[place], case.id) for place, case in enumerate(cases)], seed)
    first = dict[str, int]()
    for place in order:
        first.setdefault(cases[place].id, place)
    drawn = list(first.values())[:sample]
    rounds = [
        each.repeated(repeat) if isinstance(each, Repeatable) else each for each in judges for repeat in range(n)
    ]
    done = [0] * len(rounds)

    async def one(place: int) -> Judged:
        def told(count: int, total: int) -> None:
            done[place] = count
            if progress is not None:
                progress(sum(done), len(rounds) * total)

        return await judge_cases(rounds[place], [cases[number] for number in drawn], told)

    said = await worked(one, range(len(rounds)), len(rounds))
    scores = [score for judged in said for score in judged.scores]
    found = judge_variance(
        scores,
        [items[number] for _ in rounds for number in drawn],
        [systems[number] for _ in rounds for number in drawn],
        [judged.card.name for judged in said for _ in drawn],
    )
    steadiness = tuple(_steadiness(said[first : first + n]) for first in range(0, len(said), n))
    return Repeats(len(drawn), n, found, steadiness)


def _drawn(labels: Sequence[tuple[Hashable, Hashable, str]], seed: int) -> list[int]:
    """Places in an order by the content of each case: further cases do not exchange those that were paid for."""
    keys = [content_hash("judge repeats", seed, *map(str, label)) for label in labels]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _checked(
    judge: Judge,
    others: Sequence[Judge],
    cases: Sequence[Case],
    n: int,
    labels: dict[str, Sequence[Hashable] | None],
) -> list[Judge]:
    judges = [judge, *others]
    if n < 2:
        raise UsageError(f"--judge-repeats is {n}.", allowed="2 or more; 3 to 5 tell enough.")
    if not cases:
        raise UsageError("There are no cases to judge again.")
    for name, given in labels.items():
        if given is not None and len(given) != len(cases):
            raise UsageError(f"{len(given)} {name} for {len(cases)} cases.", allowed="One for each.")
    if len({each.card.name for each in judges}) < len(judges):
        raise UsageError("Two of the judges have one name.", allowed="Each judge once, each with its own name.")
    return judges


def _steadiness(said: Sequence[Judged]) -> Steadiness:
    """Of one judge's rounds over the same cases."""
    card = said[0].card
    scores = [[score for score in row if score is not None] for row in zip(*(j.scores for j in said), strict=True)]
    return Steadiness(
        judge=card.name,
        asks_a_model=card.asks_a_model,
        moved=sum(len(set(row)) > 1 for row in scores),
        compared=sum(len(row) > 1 for row in scores),
        unjudged=sum(len(said) - len(row) for row in scores),
    )
