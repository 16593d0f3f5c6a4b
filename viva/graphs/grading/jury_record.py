"""A jury within a run: what each judge said of open answers is kept; verdicts and agreement follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

from viva.core.ids import content_hash
from viva.core.records import ExamItem, Grade, JudgeCard, Judgement, Make, Response, Unjudged
from viva.core.scores_open import Juror, JuryFinding
from viva.graphs.grading.batch_judging import Judged
from viva.graphs.grading.graders import fingerprint
from viva.graphs.grading.jury import JurySitting, decided, rule_of, verdicts_of
from viva.metrics.format_scores import source_of
from viva.metrics.judges.paired import Resampled
from viva.metrics.judges.pairs import Undefined
from viva.storage.runs import RunStore

JURY = "jury"
"""The result of the run that holds the cards of the jury that graded last, and what its judges could not grade."""
NOT_ASKED = Unjudged(code="not_asked", reason="It was not asked yet.")


def jury_card(cards: Sequence[JudgeCard]) -> JudgeCard:
    """The card of a jury of these judges, in whatever order they are named."""
    names = ", ".join(card.name for card in cards)
    return JudgeCard(
        name=JURY,
        judges=cards[0].judges,
        make=Make.JURY,
        content=content_hash("jury", *sorted(map(fingerprint, cards))),
        note=f"The {rule_of(cards[0].judges)} of {names}; without a verdict below {quorum_of(len(cards))} of them.",
    )


def quorum_of(judges: int) -> int:
    """More than half: a verdict of one judge alone would be of another measure than its neighbours'."""
    return judges // 2 + 1


def keep(store: RunStore, cards: Sequence[JudgeCard], unjudged: Mapping[str, Mapping[str, Unjudged]]) -> None:
    """Keep who judges, and by judge and response id what could not be judged; what is not given stays as it was."""
    known = _kept(store).get("unjudged", {})
    told = {
        judge: {i: each.model_dump(mode="json") for i, each in unjudged[judge].items()}
        if judge in unjudged
        else known.get(judge, {})
        for judge in map(fingerprint, cards)
    }
    store.add_result(JURY, {"judges": [card.model_dump(mode="json") for card in cards], "unjudged": told})


def verdicts(store: RunStore, responses: Sequence[Response]) -> dict[str, Judgement | Unjudged]:
    """By response id, the verdict of the jury that graded last; what none of its judges was asked is left out."""
    said = _said(store, responses)
    if not said:
        return {}
    found = zip(responses, verdicts_of(said, quorum_of(len(said))), strict=True)
    asked = _asked(said)
    return {response.id: verdict for (response, verdict), put in zip(found, asked, strict=True) if put}


def jury_finding(store: RunStore, answers: Sequence[tuple[ExamItem, Response]], *, seed: int) -> JuryFinding:
    """How the jury that graded last agrees on these answers, but for empty ones; intervals are over documents."""
    spoken = [(shown, response) for shown, response in answers if response.text.strip()]
    put = _asked(_said(store, [response for _, response in spoken]))
    spoken = [each for each, asked in zip(spoken, put, strict=True) if asked]
    said = _said(store, [response for _, response in spoken])
    quorum, rule = quorum_of(len(said)), rule_of(said[0].card.judges)
    if not spoken:
        nothing = "No answer was put to the jury."
        judges = tuple(Juror(card=j.card, graded=0, ungraded=0, with_others=None, reason=nothing) for j in said)
        return JuryFinding(
            judges=judges, rule=rule, quorum=quorum, answers=0, hung=0, alpha=None, alpha_reason=nothing
        )
    sitting = decided(said, seed=seed, groups=[source_of(shown) for shown, _ in spoken], quorum=quorum)
    alpha, odd = sitting.jury.alpha, sitting.odd_one_out
    return JuryFinding(
        judges=_jurors(sitting),
        rule=rule,
        quorum=quorum,
        answers=len(spoken),
        hung=sitting.jury.hung,
        alpha=None if isinstance(alpha, Undefined) else alpha.interval,
        alpha_reason=alpha.reason if isinstance(alpha, Undefined) else "",
        odd_one_out=odd.name if odd else "",
    )


def _jurors(sitting: JurySitting) -> tuple[Juror, ...]:
    found = zip(sitting.judges, sitting.jury.with_others, sitting.jury.with_others_resampled, strict=True)
    return tuple(_juror(*each) for each in found)


def _juror(judged: Judged, agreed: float | Undefined, resampled: Resampled | Undefined) -> Juror:
    low = high = reason = None
    if isinstance(agreed, Undefined):
        reason = agreed.reason
    elif isinstance(resampled, Undefined):
        reason = resampled.reason
    elif isclose(resampled.interval.low, resampled.interval.high, abs_tol=1e-6):
        reason = "Every resample gives the same."
    else:
        low, high = resampled.interval.low, resampled.interval.high
    return Juror(
        card=judged.card,
        graded=len(judged.results) - judged.unjudged.total(),
        ungraded=judged.unjudged.total(),
        with_others=None if isinstance(agreed, Undefined) else agreed,
        with_others_low=low,
        with_others_high=high,
        reason=reason or "",
    )


def _said(store: RunStore, responses: Sequence[Response]) -> list[Judged]:
    """What each judge said of each of these; nothing where no jury has graded."""
    kept, found = _kept(store), list[Judged]()
    for card in (JudgeCard.model_validate(each) for each in kept.get("judges", ())):
        judge = fingerprint(card)
        grades, lost = store.grades(judge), kept["unjudged"].get(judge, {})
        found.append(Judged(card, tuple(_result(response.id, grades, lost) for response in responses)))
    return found


def _result(
    response_id: str, grades: Mapping[str, Grade], lost: Mapping[str, Mapping[str, str]]
) -> Judgement | Unjudged:
    if response_id in grades:
        return Judgement(reason=grades[response_id].reason, score=grades[response_id].score)
    return Unjudged.model_validate(lost[response_id]) if response_id in lost else NOT_ASKED


def _asked(said: Sequence[Judged]) -> list[bool]:
    """Of each answer, whether any judge was asked about it."""
    return [any(each != NOT_ASKED for each in row) for row in zip(*(judged.results for judged in said), strict=True)]


def _kept(store: RunStore) -> dict[str, Any]:
    return store.latest_result(JURY) or {}
