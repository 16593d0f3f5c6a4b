"""Makes the item of an accepted draft, with the difficulty that is expected of it."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.language_model.critics.blind_solver import agrees
from viva.agents.roles import MODEL_CAST
from viva.core.records import BloomLevel, Difficulty, Distractor, Draft, Item, ItemKind, Provenance, Trial, Verdict
from viva.core.text.overlap import normalised_tokens
from viva.metrics.item_writing.classes import bloom_levels, question_word

_POINTS = 4
"""Steps from the lowest rating to the best."""


def accepted(
    draft: Draft, distractors: Sequence[Distractor], verdicts: Sequence[Verdict], *, topic: str, cast: str
) -> Item:
    """The item, classified. `verdicts` are those of the round in which it was accepted."""
    evidence = () if draft.kind is ItemKind.UNANSWERABLE else draft.unit.spans
    item = Item(
        id=Item.id_of(draft.stem, draft.key, [d.text for d in distractors], evidence, draft.history),
        stem=draft.stem,
        history=draft.history,
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


# --- difficulty ---------------------------------------------------------------------------------------------


EASY_BELOW, HARD_FROM = 0.24, 0.36
"""Thirds, about, of 625 items that the offline cast wrote from four corpora; each of these has all three levels."""
_MISSED, _DISTANCE, _CLOSENESS = 0.5, 0.35, 0.3
_KIND = {ItemKind.SINGLE_HOP: 0.0, ItemKind.MULTI_HOP: 0.15, ItemKind.FOLLOW_UP: 0.15, ItemKind.UNANSWERABLE: 0.3}
_LONG = 4
"""Letters from which a word is one of content, in most languages."""


def expected_difficulty(item: Item) -> Difficulty:
    """Easy, medium or hard by `hardness`."""
    found = hardness(item)
    if found < EASY_BELOW:
        return Difficulty.EASY
    return Difficulty.HARD if found >= HARD_FROM else Difficulty.MEDIUM


def hardness(item: Item) -> float:
    """From 0, what stands in the evidence word for word and cannot be mistaken, to more than 1.

    A guess from the item alone, and no more: examinees have the last word. Before anybody answers, difficulty shows
    in what must be read and how near the options are (Embretson & Wetzel 1987; Gorin & Embretson 2006, on
    multiple-choice items about texts). Four things of that can be counted here: how often readers missed the key with
    the evidence before them, how many words of the stem the evidence does not use, how near the options are to the
    key, and whether one stretch of text is enough.
    """
    return _MISSED * _missed(item) + _DISTANCE * _distance(item) + _CLOSENESS * _closeness(item) + _KIND[item.kind]


def _missed(item: Item) -> float:
    """Share of readers' trials with the evidence that missed the key; 0 where nobody tried."""
    trials = [trial for trial in item.trials if trial.with_evidence]
    tried = sum(trial.tried for trial in trials)
    return 1 - sum(trial.picked for trial in trials) / tried if tried else 0.0


def _distance(item: Item) -> float:
    """Share of the stem's words that are not in the evidence; 0 without evidence."""
    if not item.evidence:
        return 0.0
    evidence = _words(" ".join(span.quote for span in item.evidence))
    stem = _words(item.stem)
    return len(stem - evidence) / len(stem) if stem else 0.0


def _words(text: str) -> set[str]:
    return {t for t in normalised_tokens(text) if len(t) >= _LONG or any(c.isdigit() for c in t)}


def _closeness(item: Item) -> float:
    """How much of the key's spelling the nearest wrong option shares: Jaccard similarity of letter trigrams."""
    key = _trigrams(item.key)
    return max((len(key & other) / len(key | other) for other in map(_trigrams, _wrong(item))), default=0.0)


def _wrong(item: Item) -> list[str]:
    return [distractor.text for distractor in item.distractors]


def _trigrams(text: str) -> set[str]:
    padded = f" {text.casefold()} "
    return {padded[n : n + 3] for n in range(max(len(padded) - 2, 1))}
