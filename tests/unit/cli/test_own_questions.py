"""One's own questions: a small file of each format is imported, sat, scored, reported and exported."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result
from typer.testing import CliRunner

from viva.cli.main import app
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.exams.file import read_exam
from viva.exams.formats import FORMATS, export_exam, import_exam
from viva.graphs.assembly.own_questions import settled_edits
from viva.graphs.context import RunContext

TANK = "The day tank of the *Alma* holds 30 litres of diesel oil."
VALVE = "The drain valve may be opened by the chief engineer only."
QUAY = "Smoking is forbidden on the quay, and on all decks below the bridge."
QUESTIONS = [
    ("How much does the day tank of the Alma hold?", "30 litres", "The day tank of the Alma holds 30 litres"),
    (
        "Who may open the drain valve?",
        "the chief engineer",
        "The drain valve may be\nopened by the chief engineer only.",
    ),
]
ANSWERS = [{"user_input": q, "response": a, "retrieved_contexts": [c]} for q, a, c in QUESTIONS]
CHAT = [{"role": role, "content": said} for q, a, _ in QUESTIONS for role, said in (("user", q), ("assistant", a))]
Written = Callable[[Path], Path]


def rows(*names: str) -> list[dict[str, Any]]:
    """The questions as rows with these names of question, answer and contexts."""
    return [dict(zip(names, (q, a, [c]), strict=True)) for q, a, c in QUESTIONS]


def text(name: str, content: object) -> Written:
    """A file with this text, or this value as JSON."""

    def written(folder: Path) -> Path:
        told = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        (folder / name).write_text(told, encoding="utf-8")
        return folder / name

    return written


def lines(name: str, content: list[dict[str, Any]]) -> Written:
    return text(name, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in content))


def table(name: str, *header: str) -> Written:
    def written(folder: Path) -> Path:
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=";")
            writer.writerows([header, *QUESTIONS])
        return folder / name

    return written


def parquet(folder: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    qa = [
        {"qid": f"q{n}", "query": q, "retrieval_gt": [[f"d{n}"]], "generation_gt": [a]}
        for n, (q, a, _) in enumerate(QUESTIONS)
    ]
    write_table(pyarrow.Table.from_pylist(qa), folder / "qa.parquet")
    corpus = [{"doc_id": f"d{n}", "contents": c, "metadata": {"n": n}} for n, (_, _, c) in enumerate(QUESTIONS)]
    write_table(pyarrow.Table.from_pylist(corpus), folder / "corpus.parquet")
    return folder / "qa.parquet"


def beir(folder: Path) -> Path:
    (folder / "qrels").mkdir()
    lines("corpus.jsonl", [{"_id": f"d{n}", "title": "", "text": c} for n, (_, _, c) in enumerate(QUESTIONS)])(folder)
    lines("queries.jsonl", [{"_id": f"q{n}", "text": q} for n, (q, _, _) in enumerate(QUESTIONS)])(folder)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td1\t1\nq1\td0\t0\n")
    return folder


def trec(folder: Path) -> Path:
    topics = (f"<top>\n<num> Number: {n}\n<title> {q}\n</top>\n" for n, (q, _, _) in enumerate(QUESTIONS))
    (folder / "topics.txt").write_text("".join(topics))
    (folder / "qrels.txt").write_text("0 0 alma.md 1\n1 0 rules 1\n1 0 alma.md 0\n")
    return folder


def attributes(n: int) -> dict[str, object]:
    question, answer, context = QUESTIONS[n]
    return {
        "openinference.span.kind": "CHAIN",
        "input.value": json.dumps({"question": question}),
        "output.value": answer,
        "retrieval.documents.0.document.content": context,
    }


FILES: dict[str, tuple[str, Written]] = {
    "ragas": ("ragas", lines("a.jsonl", rows("user_input", "reference", "reference_contexts"))),
    "deepeval": ("deepeval", text("a.json", rows("input", "expected_output", "context"))),
    "german table": ("qa", table("a.csv", "Frage", "Musterlösung", "context")),
    "question and answer": ("qa", lines("a.jsonl", rows("question", "answer", "contexts"))),
    "rows of Hugging Face": (
        "qa",
        text("a.json", {"features": [{}], "rows": [{"row": row} for row in rows("question", "answers", "context")]}),
    ),
    "SQuAD": (
        "squad",
        text(
            "a.json",
            {
                "version": "v2.0",
                "data": [
                    {
                        "title": "Alma",
                        "paragraphs": [
                            {
                                "context": c,
                                "qas": [
                                    {
                                        "id": q,
                                        "question": q,
                                        "answers": [{"text": a, "answer_start": c.replace("\n", " ").find(a)}],
                                    }
                                ],
                            }
                            for q, a, c in QUESTIONS
                        ],
                    }
                ],
            },
        ),
    ),
    "LangSmith": (
        "langsmith",
        lines(
            "a.jsonl",
            [
                {"id": q, "inputs": {"question": q}, "outputs": {"answer": a, "contexts": [c]}}
                for q, a, c in QUESTIONS
            ],
        ),
    ),
    "Langfuse": (
        "langfuse",
        text(
            "a.json",
            [
                {"id": q, "datasetId": "d", "input": {"query": q}, "expectedOutput": a, "metadata": {"context": c}}
                for q, a, c in QUESTIONS
            ],
        ),
    ),
    "Giskard": (
        "giskard",
        lines(
            "a.jsonl",
            [
                {
                    "question": q,
                    "reference_answer": a,
                    "reference_context": f"Document 1: {c}",
                    "conversation_history": [],
                    "metadata": {"question_type": "simple", "topic": "Ship"},
                }
                for q, a, c in QUESTIONS
            ],
        ),
    ),
    "promptfoo": (
        "promptfoo",
        text(
            "a.yaml",
            yaml.safe_dump(
                {
                    "prompts": ["Answer: {{question}}"],
                    "tests": [
                        {"vars": {"question": q, "context": c}, "assert": [{"type": "icontains", "value": a}]}
                        for q, a, c in QUESTIONS
                    ],
                }
            ),
        ),
    ),
    "OpenInference": (
        "openinference",
        lines(
            "a.jsonl",
            [
                {"name": "rag", "context": {"trace_id": f"t{n}", "span_id": f"s{n}"}, "attributes": attributes(n)}
                for n in range(2)
            ],
        ),
    ),
    "chat": ("chat", lines("chat.jsonl", [{"messages": CHAT}])),
    "AutoRAG": ("autorag", parquet),
    "BEIR": ("beir", beir),
    "TREC": ("trec", trec),
}
WITHOUT_ANSWERS = {"BEIR", "TREC"}
NO_CONTEXTS = {"OpenInference", "chat"}


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def told(*arguments: object) -> dict[str, Any]:
    found = json.loads(invoke(*arguments, "--json").stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents, recorded answers, and a run that has read the documents."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "docs").mkdir()
    (folder / "docs" / "alma.md").write_text(f"# Alma\n\n{TANK} The cook is called Ada.\n", encoding="utf-8")
    (folder / "docs" / "rules.md").write_text(f"# Rules\n\n{VALVE}\n\n{QUAY}\n", encoding="utf-8")
    lines("answers.jsonl", ANSWERS)(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIVA_MANUFACTURED", "false")
        invoke("ingest", folder / "docs", "--out", folder / "run")
    return folder


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_MANUFACTURED", "false")


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_format_is_imported_sat_scored_reported_and_exported(
    name: str, place: Path, tmp_path: Path
) -> None:
    kind, write = FILES[name]
    (tmp_path / "given").mkdir()
    file = write(tmp_path / "given")
    assert import_exam(file).format == kind
    sat = told("sit", place / "run", "--exam", file, "-e", f"recorded:{place / 'answers.jsonl'}")
    own = sat["own_exam"]
    assert (own["format"], own["items"], own["lost"]) == (kind, 2, [])
    assert sum(own["contexts"].values()) == (0 if name in NO_CONTEXTS else 2)
    (row,) = told("score", place / "run")["scores"]["examinees"]
    if name in WITHOUT_ANSWERS:
        assert row["graded"] == 0
    else:
        assert (row["correct"], row["graded"]) == (2, 2)
    if name not in NO_CONTEXTS:
        # TREC's qrels name whole documents
        assert row["retrieval"]["recall_at"]["1"]["value"] > (0.4 if name == "TREC" else 0.9)
    invoke("report", place / "run")
    report = (place / "run" / "report.html").read_text(encoding="utf-8")
    assert all(question in report for question, _, _ in QUESTIONS)
    for out in ("qa", "ragas", "viva"):
        invoke("exam", "export", place / "run", "--format", out, "--out", tmp_path / f"{out}.jsonl")
        assert import_exam(tmp_path / f"{out}.jsonl").exam == read_exam(place / "run" / "exam.jsonl")
    if FORMATS[kind].write:
        back = tmp_path / f"back{FORMATS[kind].suffix}"
        invoke("exam", "export", place / "run", "--format", kind, "--out", back)
        own = import_exam(back)
        assert (own.format, own.exam, own.problems) == (kind, read_exam(place / "run" / "exam.jsonl"), ())


WITHOUT_ITEMS = {"langsmith": "a.jsonl", "langfuse": "a.json", "giskard": "a.jsonl", "promptfoo": "a.yaml"}


@pytest.mark.parametrize("kind", ["squad", "beir", *WITHOUT_ITEMS])
def test_other_tools_read_the_questions_and_answers_of_what_viva_writes(kind: str, tmp_path: Path) -> None:
    exam = import_exam(lines("a.jsonl", rows("question", "answer", "contexts"))(tmp_path)).exam
    files = export_exam(exam, tmp_path / WITHOUT_ITEMS.get(kind, "out.json" if kind == "squad" else "out"), kind)
    for file in files:
        # as a tool leaves it that keeps no field of others
        file.write_text(
            re.sub(r"\"?viva\"?: ", "dropped: " if file.suffix == ".yaml" else '"dropped": ', file.read_text())
        )
    found = import_exam(tmp_path / "out" if kind == "beir" else files[0])
    assert found.format == kind
    assert [(q.item.stem, q.item.key) for q in found.exam.items] == [(q, a) for q, a, _ in QUESTIONS]
    assert all(shown.item.contexts for shown in found.exam.items)


# --- the exam before ----------------------------------------------------------------------------------------


def given(folder: Path, name: str, *questions: tuple[str, str, str]) -> Path:
    held = [{"question": q, "answer": a, "contexts": [c]} for q, a, c in questions or QUESTIONS]
    return lines(name, held)(folder)


def test_an_exam_that_was_there_is_kept_with_its_answers(place: Path, tmp_path: Path) -> None:
    run, recorded = place / "run", f"recorded:{place / 'answers.jsonl'}"
    told("sit", run, "--exam", given(tmp_path, "first.jsonl"), "-e", recorded)
    first = read_exam(run / "exam.jsonl")
    told("sit", run, "--exam", given(tmp_path, "second.jsonl", QUESTIONS[1]), "-e", recorded)
    assert len(read_exam(run / "exam.jsonl").items) == 1
    assert read_exam(run / f"exam.{first.id}.jsonl") == first
    again = told("sit", run, "--exam", run / f"exam.{first.id}.jsonl")
    assert again["exam"]["id"] == first.id
    assert told("score", run)["scores"]["examinees"][0]["correct"] == 2


def test_an_exam_that_was_given_can_be_reviewed_listed_and_is_not_refined_from_nothing(
    place: Path, tmp_path: Path
) -> None:
    run = place / "run"
    told("sit", run, "--exam", given(tmp_path, "a.jsonl"), "-e", f"recorded:{place / 'answers.jsonl'}")
    told("score", run)
    with pytest.raises(UsageError, match="too few to judge its questions by"):
        invoke("refine", run)
    assert "Candidates: not known" in invoke("exam", "stats", run).stdout
    invoke("exam", "review", run, "--export", decided := tmp_path / "decided.csv")
    rejected = decided.read_text("utf-8").replace(f"{read_exam(run / 'exam.jsonl').items[0].item.id},,", "X,reject,")
    item = read_exam(run / "exam.jsonl").items[0].item.id
    decided.write_text(rejected.replace("X,", f"{item},"), "utf-8")
    invoke("exam", "review", run, "--reviewer", "ada", "--import", decided)
    shown = told("show", run)
    assert (shown["exam"]["items"], shown["own_exam"]["items"], shown["funnel"]["own"]) == (1, 1, 1)


def edited(run: Path) -> str:
    """What the copy of the exam holds after a person has reworded its first question."""
    path = run / "exam.jsonl"
    after = path.read_text(encoding="utf-8").replace(QUESTIONS[0][0], "What does the day tank of the Alma hold?")
    path.write_text(after, encoding="utf-8")
    return after


def test_an_edited_exam_file_is_noticed_and_taken_or_restored(place: Path, tmp_path: Path) -> None:
    run = place / "run"
    told("sit", run, "--exam", given(tmp_path, "a.jsonl"), "-e", f"recorded:{place / 'answers.jsonl'}")
    before = (run / "exam.jsonl").read_text(encoding="utf-8")
    after = edited(run)
    for command in ("sit", "score", "report"):
        with pytest.raises(UsageError, match="was edited: it has 1 question that") as refused:
            invoke(command, run)
        assert "--edited-exam take" in refused.value.next_step
    told("score", run, "--edited-exam", "restore")
    assert (run / "exam.jsonl").read_text(encoding="utf-8") == before
    assert (run / "exam.edited.jsonl").read_text(encoding="utf-8") == after
    edited(run)
    taken = told("sit", run, "--edited-exam", "take")
    assert taken["own_exam"]["items"] == 2
    assert read_exam(run / "exam.jsonl").items[0].item.stem == "What does the day tank of the Alma hold?"
    told("score", run)


def test_a_person_who_is_asked_decides_about_an_edited_exam(place: Path, tmp_path: Path) -> None:
    run = place / "run"
    told("sit", run, "--exam", given(tmp_path, "a.jsonl"), "-e", f"recorded:{place / 'answers.jsonl'}")
    after = edited(run)
    context = RunContext(run, Settings())
    asked: list[str] = []
    taken = settled_edits(context, None, lambda changed: asked.append(changed) or "take")
    assert taken is not None
    assert [question.partition(": ")[0] for question in asked] == [f"{run / 'exam.jsonl'} was edited"]
    assert (run / "exam.jsonl").read_text(encoding="utf-8") == after
    assert settled_edits(context, None, lambda _: "restore") is None
    assert settled_edits(context, None) is None
    context.close()


def test_a_copy_that_is_no_exam_any_more_is_named(place: Path, tmp_path: Path) -> None:
    run = place / "run"
    told("sit", run, "--exam", given(tmp_path, "a.jsonl"), "-e", f"recorded:{place / 'answers.jsonl'}")
    (run / "exam.jsonl").write_text("nonsense", encoding="utf-8")
    with pytest.raises(UsageError, match="is no exam any more"):
        invoke("sit", run)
    told("sit", run, "--edited-exam", "restore")
    assert len(read_exam(run / "exam.jsonl").items) == 2
    with pytest.raises(UsageError, match="take, or restore"):
        invoke("sit", run, "--edited-exam", "both")


# --- without documents, and with all stages -----------------------------------------------------------------


def test_questions_are_sat_scored_and_reported_without_documents(place: Path, tmp_path: Path) -> None:
    file, run = given(tmp_path, "golden.jsonl"), tmp_path / "alone"
    recorded = f"recorded:{place / 'answers.jsonl'}"
    sat = invoke("sit", file, "--out", run, "-e", recorded)
    assert "no figures of retrieval" in sat.stderr
    (row,) = told("score", run)["scores"]["examinees"]
    assert (row["correct"], row["retrieval"]) == (2, None)
    invoke("report", run)
    report = (run / "report.html").read_text(encoding="utf-8")
    assert "There are no documents, so there are no figures of retrieval." in report
    assert "From documents to exam" not in report
    with pytest.raises(UsageError, match="searches documents, and this run has none"):
        invoke("sit", run, "-e", "bm25+lexical")
    with pytest.raises(UsageError, match="no system is named"):
        invoke("sit", file)


def test_a_run_of_documents_and_own_questions_goes_to_the_report(place: Path, tmp_path: Path) -> None:
    lost = ("Is the cook called Ada?", "Yes", "No document says a word of what this context is about.")
    file = given(tmp_path, "golden.jsonl", *QUESTIONS, lost)
    run = tmp_path / "run"
    done = invoke("run", place / "docs", "--exam", file, "--out", run, "-e", f"recorded:{place / 'answers.jsonl'}")
    assert "Of 3 reference contexts 2 are in the documents" in done.stdout
    assert "1 were not found, the first is “No document says a word" in done.stdout
    assert "You asked for" not in done.stdout
    assert "Whose questions these are" in (run / "report.html").read_text(encoding="utf-8")


def test_a_run_of_a_collection_is_recorded_retrieval(tmp_path: Path) -> None:
    (folder := tmp_path / "beir").mkdir()
    beir(folder)
    ranked = "q0 Q0 d1 1 9.5 mine\nq0 Q0 d0 2 8.5 mine\nq1 Q0 d1 1 7 mine\n"
    (tmp_path / "mine.run").write_text(ranked, encoding="utf-8")
    documents, run = folder / "corpus.jsonl", tmp_path / "run"
    invoke("run", documents, "--exam", folder, "--out", run, "-e", f"recorded:{tmp_path / 'mine.run'}")
    (row,) = told("show", run)["scores"]["examinees"]
    assert (row["graded"], row["retrieval"]["recall_at"]["1"]["value"]) == (0, 0.5)
    assert row["retrieval"]["recall_at"]["3"]["value"] == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "prompt,completion\nHow much does the day tank of the Alma hold?,30 litres\n"),
        ("a.json", [{"input": QUESTIONS[0][0], "output": "30 litres", "source_documents": [TANK]}]),
        ("a.jsonl", {"attributes": attributes(0), "name": "rag", "span_id": "s"}),
    ],
)
def test_recorded_answers_are_read_by_the_usual_names_of_columns(
    name: str, content: object, place: Path, tmp_path: Path
) -> None:
    answers = text(name, content)(tmp_path)
    sat = told("sit", given(tmp_path, "q.jsonl", QUESTIONS[0]), "--out", tmp_path / "r", "-e", f"recorded:{answers}")
    assert sat["own_exam"]["items"] == 1
    (row,) = told("score", tmp_path / "r")["scores"]["examinees"]
    assert row["correct"] == 1
