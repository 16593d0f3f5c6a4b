"""`make demo` replays what a language model wrote, judged and read: no key, no network, an exam of every kind."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import record_demo
from command import viva

from viva.core.records import ItemKind
from viva.exams.file import read_exam

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MODEL = next(word for word in record_demo.recipe() if word.startswith("replay:")).partition("#")[2]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "run"
    line = record_demo.recipe()
    line[line.index("--out") + 1] = str(folder)
    done = viva(*line, folder=ROOT, environment={"VIVA_TEST_NO_NETWORK": "1"}, seconds=300)
    assert done.code == 0, f"{done.said}\nAfter a change of prompts: benchmarks/README.md says how to record anew."
    return folder


def test_the_demo_s_exam_has_all_sixty_items_each_kind_in_its_share_and_no_unit_twice(demo: Path) -> None:
    items = [shown.item for shown in read_exam(demo / "exam.jsonl").items]
    assert len(items) == 60
    kinds = Counter(item.kind.value for item in items)
    for kind, share in {"single-hop": 0.58, "unanswerable": 0.08, "follow-up": 0.34}.items():
        assert abs(kinds[kind] / len(items) - share) <= 0.05, kinds
    assert {item.provenance.cast for item in items} == {"language-model"}
    # what is left out of a fact can be asked in vain, and the fact be asked for too
    answered = [item for item in items if item.kind is not ItemKind.UNANSWERABLE]
    assert len({item.provenance.unit_id for item in answered}) == len(answered)


def test_the_demo_names_the_model_that_was_recorded_and_pays_nothing(demo: Path) -> None:
    assert MODEL in (demo / "report.html").read_text()
    uses = viva("ledger", demo, "--json").json()["model_use"]
    assert {f"{use['provider']}:{use['model']}".partition("#")[2] for use in uses} == {MODEL}
    assert sum(use["cost"] for use in uses) == 0
    # every request brought a reply when it was recorded
    assert not any(use["failures"] for use in uses)


def test_readers_on_the_recorded_model_do_better_the_more_of_the_documents_they_are_shown(demo: Path) -> None:
    scores: dict[str, Any] = json.loads((demo / "scores.json").read_text())
    right = {row["examinee"]["name"]: row["accuracy"]["value"] for row in scores["examinees"]}
    readers = {name: value for name, value in right.items() if name.startswith("model")}
    assert len(readers) == 6
    assert min(readers.values()) == readers["model closed-book"]
    retrievers = ("bm25", "hybrid-rerank")
    one, three = (sum(readers[f"model,retriever={name},k={k}"] for name in retrievers) for k in (1, 3))
    assert one < three
    for name in retrievers:
        assert right[f"{name}+lexical"] < readers[f"model,retriever={name},k=1"]


def test_the_demo_s_own_system_is_examined_orally_by_the_recorded_examiner_and_judge(demo: Path) -> None:
    roles = {use["role"]: use["calls"] for use in viva("ledger", demo, "--json").json()["model_use"]}
    assert roles["examiner"] > 0
    assert roles["judge.oral"] > 0
    (oral,) = json.loads((demo / "scores.json").read_text())["oral"]
    assert oral["examinee"]["name"] == "my_rag:answer"
    assert oral["questions"] == 8
    assert oral["examined"] > 0
    assert 'id="oral"' in (demo / "report.html").read_text()
