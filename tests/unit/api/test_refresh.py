"""A refresh in Python and on the command line: what stays, is set aside and comes, and that nothing is lost."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from by_hand import WordEmbedder
from pump_rags import fact
from pump_run import CHUNKS, DOCUMENTS, pump_context, pump_exam
from typer.testing import CliRunner

import viva
from viva.cli.main import app
from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.exams.file import read_exam, with_id

ITEMS = 12
EXAM = Exam.of([with_id(shown) for shown in pump_exam(ITEMS).items])
NEW = [f"Valve {n} weighs {3 * n} kilograms. Valve {n} was cast in {1900 + n}." for n in range(70, 76)]


def answer(question: str, options: list[str]) -> str:
    return options[0]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> viva.Run:
    monkeypatch.setattr("viva.graphs.context.SentenceTransformerEmbedder", lambda *_, **__: WordEmbedder())
    with closing(pump_context(tmp_path / "run", exam=EXAM, items=ITEMS, worked_examples=0)) as context:
        for chunk, shown in zip(CHUNKS, EXAM.items, strict=False):
            context.store.finish_chunk(chunk.id, [shown.item], [], [], units=1)
    found = viva.open_run(tmp_path / "run")
    found.examine(mine=answer, manufactured=False)
    return found


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Pump 1 moved, 2 reformatted, 3 to 5 with another figure, 6 gone, others as they were; six new pumps."""
    folder = tmp_path / "docs"
    folder.mkdir()
    texts = {each.path: each.text for each in DOCUMENTS}
    texts["old/1.md"] = texts.pop("1.md")
    texts["2.md"] = texts["2.md"].replace(" ", "\n")
    for n in (3, 4, 5):
        texts[f"{n}.md"] = texts[f"{n}.md"].replace(f"{7 * n + 3} litres", f"{7 * n + 4} litres")
    del texts["6.md"]
    texts |= {f"new-{n}.md": text for n, text in enumerate(NEW)}
    for path, text in texts.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def states(record: dict[str, object]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for each in record["items"]:  # type: ignore[attr-defined]
        found.setdefault(each["state"], []).append(int(each["stem"].split("pump ")[1].split()[0]))
    return found


def test_a_check_tells_what_would_be_done_and_changes_nothing(run: viva.Run, docs: Path) -> None:
    before = {path: path.read_bytes() for path in run.folder.glob("*.jsonl")}
    made = run.refresh(docs, check=True)
    assert states(made.record) == {"valid": [1, 2, 7, 8, 9, 10, 11, 12], "changed": [3, 4, 5], "orphan": [6]}
    changes = [(each["state"], each["path"], each["before"]) for each in made.record["documents"]]
    assert changes[:5] == [*(("changed", f"{n}.md", "") for n in (2, 3, 4, 5)), ("gone", "6.md", "")]
    assert ("moved", "old/1.md", "1.md") in changes
    assert made.record["unchanged"] == len(DOCUMENTS) - 6
    aside = made.record["items"][2]
    assert (aside["before"], aside["after"]) == (fact(3), fact(3).replace("24", "25"))
    assert "24 litres" in aside["reason"]
    assert "25 litres" in aside["reason"]
    assert "Nothing was changed" in made.text()
    assert run.exam.record == EXAM
    assert {path: path.read_bytes() for path in run.folder.glob("*.jsonl")} == before


def test_valid_questions_keep_their_answers_and_new_ones_come_of_new_documents(run: viva.Run, docs: Path) -> None:
    old = run.exam.record
    made = run.refresh(docs)
    exam = run.exam.record
    kept = [shown.item.id for shown in exam.items if shown.item.id in {each.item.id for each in old.items}]
    assert len(kept) == 8
    assert len(exam.items) == ITEMS
    assert all(any(f"alve {n}" in each["stem"] for n in range(70, 76)) for each in made.record["added"])
    with run.opened() as context:
        for shown in exam.items:
            for span in shown.item.evidence:
                assert context.documents[span.document_id].text[span.start : span.end] == span.quote
        assert len(context.store.responses()) == ITEMS
        assert len(context.store.responses_to(exam.items)) == len(kept)
        assert sorted(each.path for each in context.store.documents() if "/" in each.path) == ["old/1.md"]
        # the run was made of documents whose lines in the file were not known
        assert context.documents[DOCUMENTS[6].id].place_at(0) == "line 1"
        # what is gone is still found by its id, for the exam before
        assert context.documents[DOCUMENTS[5].id].path == "6.md"
    assert read_exam(run.folder / f"exam.{old.id}.jsonl") == old
    assert read_exam(run.folder / "exam.jsonl") == exam
    assert run.documents.title.startswith(f"{len(DOCUMENTS) + 5} documents")
    asked: list[str] = []

    def again(question: str, options: list[str]) -> str:
        asked.append(question)
        return options[0]

    run.examine(mine=again, manufactured=False)
    assert len(asked) == ITEMS
    run.report()
    assert "All questions are valid" in run.refresh(docs).text()
    assert run.exam.record == exam


def test_an_interrupted_refresh_goes_on(run: viva.Run, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def killed(*_: object) -> None:
        raise KeyboardInterrupt

    unchanged = run.refresh(docs, check=True).record["unchanged"]
    with monkeypatch.context() as broken:
        broken.setattr("viva.graphs.refinement.refresh.replacements", killed)
        with pytest.raises(KeyboardInterrupt):
            run.refresh(docs)
    assert len(run.exam) == 8
    made = run.refresh(docs)
    assert len(run.exam) == ITEMS
    assert states(made.record)["changed"] == [3, 4, 5]
    assert made.record["exam_before"] == EXAM.id
    assert made.record["unchanged"] == unchanged


def test_documents_of_the_run_that_cannot_be_read_are_named(run: viva.Run, docs: Path) -> None:
    (docs / "7.md").write_bytes(b"")
    (docs / "8.pdf").write_bytes(b"no PDF")
    made = run.refresh(docs, check=True)
    assert "Not read, and gone for the comparison: 7.md (empty)." in made.text()


def test_the_command_reports_and_ends_with_0(run: viva.Run, docs: Path) -> None:
    found = CliRunner().invoke(app, ["refresh", str(run.folder), str(docs), "--check", "--json"])
    assert found.exit_code == 0, found.output
    assert len(json.loads(found.stdout)["items"]) == ITEMS


def test_what_cannot_be_compared_is_refused_in_words(run: viva.Run, tmp_path: Path) -> None:
    other, empty = tmp_path / "other", tmp_path / "empty"
    for folder in (other, empty):
        folder.mkdir()
    (other / "bees.md").write_text("A queen bee lays up to two thousand eggs a day in early summer.")
    before = run.exam.record
    with pytest.raises(UsageError, match="these are other documents"):
        run.refresh(other)
    assert states(run.refresh(other, check=True).record) == {"orphan": list(range(1, ITEMS + 1))}
    assert "without --check nothing would be" in run.refresh(other, check=True).text()
    with pytest.raises(UsageError, match=r"document"):
        run.refresh(empty)
    with pytest.raises(UsageError, match="No newer documents are named"):
        run.refresh(None)  # type: ignore[arg-type]
    for check in (True, False):
        with pytest.raises(UsageError, match="is a run folder, and not documents"):
            run.refresh(run.folder, check=check)
    assert run.exam.record == before
    with closing(pump_context(tmp_path / "bare", exam=EXAM)) as context:
        exam = context.store.latest_exam()
        assert exam
        bare = [s.model_copy(update={"item": s.item.model_copy(update={"evidence": ()})}) for s in exam.items]
        context.store.add_exam(exam.of(bare))
    with pytest.raises(UsageError, match="No question of this exam has evidence"):
        viva.open_run(tmp_path / "bare").refresh(other)
