"""lm-evaluation-harness on an exported exam, and ours, say the same of one small model: to the last item.

Runs where the extra is installed: pip install -e ".[lm-eval]".
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from by_hand import WordEmbedder, document, item, shown
from by_id import by_id
from tiny_models import WORDS, tiny_llama

from viva.core.ids import rng
from viva.core.records import Chunk, Exam
from viva.core.settings import Settings
from viva.examinees.answering import Answer
from viva.examinees.reference import ReferenceCandidate
from viva.examinees.retrievers import ChunkIndex
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import ReferenceSpec
from viva.exams.formats import export_exam
from viva.storage.vectors import VectorStore

ITEMS = 60
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(find_spec("lm_eval") is None, reason='lm-eval is not installed: pip install -e ".[lm-eval]"'),
]


def drawn_exam() -> Exam:
    """Questions of drawn words; options of very different length, some beyond ASCII, two that begin alike."""
    words = [*WORDS.split(), "Fähre", "barça", "船"]
    items = []
    for number in range(ITEMS):
        draw = rng(7, "lm-eval", number)
        options = [" ".join(draw.choices(words, k=draw.randint(1, 9))) + f" {n}" for n in range(4)]
        options[3] = f"{options[2]} and more"
        stem = f"What {' '.join(draw.choices(words, k=5))} {number}?"
        made = item(number, stem=stem)
        wrong = tuple(
            each.model_copy(update={"text": text}) for each, text in zip(made.distractors, options[1:], strict=True)
        )
        items.append(shown(made.model_copy(update={"key": options[0], "distractors": wrong}), number % 4))
    return Exam.of(items)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def theirs(model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """Their acc and acc_norm, item by item, in the exam's order."""
    folder = tmp_path_factory.mktemp("harness")
    task, _ = export_exam(drawn_exam(), folder / "exam.yaml", "lm-eval")
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "home")}
    command = (
        f"-m lm_eval run --model hf --model_args pretrained={model},dtype=float32 --tasks {task.name} "
        "--device cpu --batch_size 8 --log_samples --output_path out"
    )
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=folder,
        env={**os.environ, **offline, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    samples = [json.loads(line) for file in (folder / "out").rglob("samples_*.jsonl") for line in file.open()]
    samples.sort(key=lambda sample: sample["doc_id"])
    (results,) = (json.loads(file.read_text()) for file in (folder / "out").rglob("results_*.json"))
    (told,) = results["results"].values()
    found = {name: [float(sample[name]) for sample in samples] for name in ("acc", "acc_norm")}
    assert {name: sum(right) / ITEMS for name, right in found.items()} == {
        name: pytest.approx(told[f"{name},none"]) for name in found
    }
    found["likelihoods"] = [float(each[0]) for sample in samples for each in sample["filtered_resps"]]
    return found


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VectorStore]:
    with VectorStore.open(tmp_path_factory.mktemp("vectors")) as store:
        yield store


@pytest.mark.parametrize("score", ["acc", "acc_norm"])
def test_ours_and_theirs_agree_to_the_last_item(
    score: str, model: Path, theirs: dict[str, list[float]], vectors: VectorStore
) -> None:
    answers = sat(f"closed-book+hf:{model},score={score}", vectors)
    right = [float(a.choice == put.key_position) for a, put in zip(answers, drawn_exam().items, strict=True)]
    assert right == theirs[score]
    # neither of them is right always, never, or about the same items whichever way it counts
    assert 0 < sum(right) < ITEMS
    assert theirs["acc"] != theirs["acc_norm"]


def test_the_log_likelihoods_themselves_are_the_same(
    model: Path, theirs: dict[str, list[float]], vectors: VectorStore
) -> None:
    answers = sat(f"closed-book+hf:{model},score=acc", vectors)
    ours = [float(score) for answer in answers for score in answer.meta["acc"].split()]
    assert ours == pytest.approx(theirs["likelihoods"], rel=1e-4)
    assert len(set(ours)) > ITEMS


def sat(text: str, vectors: VectorStore) -> list[Answer]:
    """What the system of this name answers, item by item."""
    spec = parse_spec(text, Settings())
    assert isinstance(spec, ReferenceSpec)
    corpus = document("The ferry moves water.")
    index = ChunkIndex(by_id([Chunk.of(corpus, 0, len(corpus.text), 4)]), WordEmbedder(), vectors)
    candidate = ReferenceCandidate(spec, index, WordEmbedder(), (), 0)

    async def sit() -> list[Answer]:
        return [await candidate.answer_item(put) for put in drawn_exam().items]

    return asyncio.run(sit())
