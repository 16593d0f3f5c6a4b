"""Training a local judge on labels: `viva tune local JUDGE`. Minutes on a CPU; interrupted, it goes on."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import astuple
from importlib.util import find_spec
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from viva.agents.judges.local.blend import Blend, columns, fitted, kinds_of, raw_alone
from viva.agents.judges.local.judge import cosines
from viva.agents.judges.local.network import base_name, logits, new_network, put_tensors, tensors_of, threads_bounded
from viva.agents.judges.local.reading import TextPair, check_trainable, labelled_pairs, signature
from viva.agents.judges.local.storing import load, save
from viva.agents.roles import Progress
from viva.core.errors import UsageError, how_to_install
from viva.core.ids import content_hash
from viva.core.records.judging import JudgeCard, LabelledCase, Make, Quality
from viva.llm.embedding_models import BUNDLED
from viva.llm.embeddings import Embedder, SentenceTransformerEmbedder
from viva.optimizers.local_schedule import Schedule

FEWEST = 20
"""Labelled cases that are worth training on."""
THREADS = 2


def train_local(
    quality: Quality,
    train: Sequence[LabelledCase],
    validation: Sequence[LabelledCase],
    *,
    out: Path,
    seed: int,
    progress: Progress | None,
    base: Path | None = None,
    schedule: Schedule | None = None,
    embedder: Embedder | None = None,
    threads: int = THREADS,
) -> JudgeCard:
    """Trains on `train`, fits the blend on `validation`, writes the judge into `out` and returns its card.

    `base` is the folder of a judge whose weights are the start, of any quality; without it, it is the bundled MiniLM.
    The same cases, seed, schedule and threads give the same weights, interrupted or not: the checkpoints are in `out`
    until the judge is written. `progress` counts steps. UsageError for a quality that is not trained, for too few
    cases or labels of one kind alone, and for groups that are in both sets.
    """
    _check(quality, train, validation)
    plan = schedule or Schedule()
    pairs = [pair for case in train for pair in labelled_pairs(case, quality)]
    held = [pair for case in validation for pair in labelled_pairs(case, quality)]
    with threads_bounded(threads):
        network = new_network(seed)
        if base is not None:
            put_tensors(network, load(base)[1])
        start = tensors_of(network)
        stamp = _stamp(pairs, start, plan, seed)
        folder = out / f".training-{stamp}"
        from viva.optimizers.local_trainer import trained

        trained(network, pairs, plan, seed=seed, folder=folder, progress=progress)
        tensors = {name: _halved(array) for name, array in tensors_of(network).items()}
        put_tensors(network, tensors)
        own = embedder or SentenceTransformerEmbedder(BUNDLED)
        blend = _blend(logits(network, [pair for pair, _ in held]), held, own)
    card = JudgeCard(
        name=f"{quality.value.replace('_', '-')}-local",
        judges=quality,
        make=Make.LOCAL,
        model=base_name(),
        signature=signature(quality),
        optimizer=f"low-rank adaptation: {plan.told}, seed {seed}",
        trained_on=(f"{len(train)} cases, fingerprint {fingerprint_of(train)}",),
    )
    stamped = save(out, card, tensors, blend)
    shutil.rmtree(folder, ignore_errors=True)
    return stamped


def expected_steps(quality: Quality, train: Sequence[LabelledCase]) -> int:
    """How many steps training on these cases takes. UsageError for a quality that is not trained."""
    check_trainable(quality)
    plan = Schedule()
    return plan.epochs * ceil(sum(len(labelled_pairs(case, quality)) for case in train) / plan.batch)


def fingerprint_of(cases: Sequence[LabelledCase]) -> str:
    """16 hex digits of cases, labels and groups, whatever their order."""
    return content_hash("labels", *sorted(content_hash(c.case.id, c.label, c.group) for c in cases))


def _check(quality: Quality, train: Sequence[LabelledCase], validation: Sequence[LabelledCase]) -> None:
    check_trainable(quality)
    lacking = [name for name in ("accelerate", "datasets") if find_spec(name) is None]
    if lacking:
        raise UsageError(
            f"Training needs the package {' and the package '.join(lacking)}.", next_step=how_to_install("train")
        )
    if len(train) < FEWEST:
        raise UsageError(
            f"{len(train)} labelled cases are too few to train on.",
            allowed=f"At least {FEWEST}; some hundreds are worth it.",
            next_step="Label more, or use the judge that comes with viva.",
        )
    if len({case.label for case in train}) < 2:
        raise UsageError("All labels to train on are the same: nothing can be learned from them.")
    shared = sorted({case.group for case in train} & {case.group for case in validation})
    if shared:
        raise UsageError(
            f"{len(shared)} groups are both in the training and in the validation set.",
            allowed="Groups are kept whole: what is validated with was not trained on.",
        )


def _blend(raw: NDArray[np.float64], held: Sequence[tuple[TextPair, float]], embedder: Embedder) -> Blend:
    if not held:
        return raw_alone()
    pairs = [pair for pair, _ in held]
    table = columns(raw, cosines(embedder, pairs), pairs)
    return fitted(table, np.array([label for _, label in held]), kinds_of(pairs))


def _halved(array: NDArray[np.float32]) -> NDArray[np.float32]:
    return array.astype(np.float16).astype(np.float32)


def _stamp(
    pairs: Sequence[tuple[TextPair, float]], start: dict[str, NDArray[np.float32]], plan: Schedule, seed: int
) -> str:
    """Of all that decides the training: checkpoints of another one are never gone on with."""
    begun = content_hash(*(f"{name} {content_hash(start[name].tobytes().hex())}" for name in sorted(start)))
    texts = content_hash(*(part for pair, label in pairs for part in (pair.given, pair.said, label)))
    return content_hash("training", seed, base_name(), begun, texts, *astuple(plan))
