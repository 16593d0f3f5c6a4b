"""Training a local judge: it really trains, goes on where it was interrupted, and is the same for the same seed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from labelled_by_hand import tank_cases

from viva.agents.judges.local.judge import LocalJudge
from viva.agents.judges.local.storing import CARD, WEIGHTS
from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Judgement, LabelledCase, Make, Quality
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.optimizers.local_schedule import Schedule
from viva.optimizers.local_training import train_local

pytestmark = pytest.mark.slow

TINY = Schedule(epochs=1, batch=10, save_every=1)
TRAIN, VALIDATION = tank_cases(0, 20), tank_cases(100, 20)
Train = Callable[..., JudgeCard]


@pytest.fixture(scope="module")
def train(minilm: SentenceTransformerEmbedder) -> Train:
    def run(out: Path, *, seed: int = 1, progress: Callable[[int, int], None] | None = None) -> JudgeCard:
        return train_local(
            Quality.CORRECTNESS,
            TRAIN,
            VALIDATION,
            out=out,
            seed=seed,
            progress=progress,
            schedule=TINY,
            embedder=minilm,
            threads=1,
        )

    return run


@pytest.fixture(scope="module")
def trained(train: Train, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, JudgeCard, list[tuple[int, int]]]:
    """A judge trained without a break, its card, and what progress was told."""
    out, told = tmp_path_factory.mktemp("local") / "judge", list[tuple[int, int]]()
    return out, train(out, progress=lambda done, total: told.append((done, total))), told


def test_training_writes_a_stamped_judge_that_judges(
    trained: tuple[Path, JudgeCard, list[tuple[int, int]]], minilm: SentenceTransformerEmbedder
) -> None:
    out, card, told = trained
    assert told == [(1, 2), (2, 2)]
    assert (card.name, card.make) == ("correctness-local", Make.LOCAL)
    assert sorted(path.name for path in out.iterdir()) == [CARD, WEIGHTS]
    cases = tank_cases(200, 6)
    found = asyncio.run(LocalJudge.load(out, minilm, threads=1).judge([each.case for each in cases]))
    right = [
        each.score for each, case in zip(found, cases, strict=True) if isinstance(each, Judgement) and case.label
    ]
    wrong = [
        each.score for each, case in zip(found, cases, strict=True) if isinstance(each, Judgement) and not case.label
    ]
    assert len(right) == len(wrong) == 3
    assert min(right) > max(wrong)


def test_an_interrupted_training_goes_on_and_ends_in_the_same_weights(
    train: Train, trained: tuple[Path, JudgeCard, list[tuple[int, int]]], tmp_path: Path
) -> None:
    def broken(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    out, told = tmp_path / "judge", list[int]()
    with pytest.raises(KeyboardInterrupt):
        train(out, progress=broken)
    assert not (out / WEIGHTS).exists()
    again = train(out, progress=lambda done, _: told.append(done))
    assert told == [2]
    assert again.content == trained[1].content
    assert (out / WEIGHTS).read_bytes() == (trained[0] / WEIGHTS).read_bytes()


def test_a_checkpoint_that_was_not_written_to_its_end_is_passed_over(
    train: Train, trained: tuple[Path, JudgeCard, list[tuple[int, int]]], tmp_path: Path
) -> None:
    def broken(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    out, told = tmp_path / "judge", list[int]()
    with pytest.raises(KeyboardInterrupt):
        train(out, progress=broken)
    (state,) = out.rglob("trainer_state.json")
    state.write_text(state.read_text("utf-8")[:40], "utf-8")
    assert train(out, progress=lambda done, _: told.append(done)).content == trained[1].content
    assert told == [1, 2]


def test_another_seed_gives_other_weights(
    train: Train, trained: tuple[Path, JudgeCard, list[tuple[int, int]]], tmp_path: Path
) -> None:
    assert train(tmp_path / "judge", seed=2).content != trained[1].content


def refused(
    quality: Quality, train: list[LabelledCase], validation: list[LabelledCase], out: Path, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        train_local(quality, train, validation, out=out, seed=1, progress=None)
    assert not out.exists()


def test_what_cannot_be_trained_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    out = tmp_path / "judge"
    refused(Quality.PREFERENCE, TRAIN, VALIDATION, out, "can be trained")
    refused(Quality.CORRECTNESS, TRAIN[:5], VALIDATION, out, "too few")
    refused(Quality.CORRECTNESS, [case for case in TRAIN if case.label] * 2, VALIDATION, out, "the same")
    refused(Quality.CORRECTNESS, TRAIN, TRAIN[:3], out, "both in the training and in the validation")
    refused(Quality.FAITHFULNESS, TRAIN, VALIDATION, out, "passages")
