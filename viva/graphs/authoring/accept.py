"""The chair: makes the item of an accepted draft."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.language_model.critics.blind_solver import agrees
from viva.agents.roles import MODEL_CAST
from viva.core.records import BloomLevel, Distractor, Draft, Item, ItemKind, Provenance, Trial, Verdict
from viva.graphs.authoring.difficulty import expected_difficulty
from viva.metrics.item_writing.classes import bloom_levels, question_word

_POINTS = 4
"""Steps from the lowest rating to the best."""


def accepted(
    draft: Draft, distractors: Sequence[Distractor], verdicts: Sequence[Verdict], *, topic: str, cast: str
) -> Item:
    """The item, classified. `verdicts` are those of the round in which it was accepted."""
    evidence = () if draft.kind is ItemKind.UNANSWERABLE else draft.unit.spans
    item = Item(
        id=Item.id_of(draft.stem, draft.key, [d.text for d in distractors], evidence),
        stem=draft.stem,
        key=draft.key,
        distractors=tuple(distractors),
        reference_answer=draft.reference_answer,
        evidence=evidence,
        kind=draft.kind,
        question_type=draft.question_type,
        question_word=question_word(draft.stem, draft.language),
        bloom=_bloom(draft, verdicts),
        topic=topic,
        language=draft.language,
        trials=_trials(verdicts),
        known=any(verdict.known for verdict in verdicts) or _recalled(draft, distractors),
        guessable=any(verdict.guessable for verdict in verdicts),
        disputable=any(verdict.disputable for verdict in verdicts),
        doubts=_doubts(verdicts) if cast == MODEL_CAST else 0,
        provenance=Provenance(
            chunk_id=draft.unit.chunk_id,
            unit_id=draft.unit.id,
            cast=cast,
            pattern=draft.pattern,
            attempts=draft.attempt + 1,
        ),
    )
    return item.model_copy(update={"difficulty": expected_difficulty(item)})


def _recalled(draft: Draft, distractors: Sequence[Distractor]) -> bool:
    """Whether the reader without documents knew the key: of what can be guessed too, no solver says so."""
    recall = draft.recall
    return recall is not None and recall.known and agrees(recall.answer, draft, [d.text for d in distractors])


def _doubts(verdicts: Sequence[Verdict]) -> int:
    """Points that ratings lack. Shares that rules reckon are no ratings."""
    return sum(round(_POINTS * (1 - verdict.score)) for verdict in verdicts if verdict.score is not None)


def _bloom(draft: Draft, verdicts: Sequence[Verdict]) -> tuple[BloomLevel, ...]:
    """By the last critic that classified it; else by rule and the writer's own word."""
    judged = [verdict.bloom for verdict in verdicts if verdict.bloom]
    found = set(judged[-1] if judged else (*bloom_levels(draft.stem, draft.language), *draft.bloom))
    return tuple(level for level in BloomLevel if level in found)


def _trials(verdicts: Sequence[Verdict]) -> tuple[Trial, ...]:
    """How each reader fared, summed over those verdicts."""
    summed: dict[tuple[str, bool], Trial] = {}
    for trial in (t for verdict in verdicts for t in verdict.trials):
        before = summed.get((trial.reader, trial.with_evidence))
        picked, tried = (before.picked, before.tried) if before else (0, 0)
        summed[trial.reader, trial.with_evidence] = trial.model_copy(
            update={"picked": picked + trial.picked, "tried": tried + trial.tried}
        )
    return tuple(summed.values())
