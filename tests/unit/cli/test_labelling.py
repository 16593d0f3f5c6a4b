"""`viva label`: what people say is kept at once, in a random order that a seed decides, and comes back from files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from exams_by_hand import exam_item, sound_item
from typer.testing import CliRunner

from viva.cli.main import app
from viva.core.errors import UsageError
from viva.core.records import Exam, Examinee, Failure, FailureKind, Response, Run
from viva.core.records.labels import Label
from viva.storage.runs import RunStore

OPEN = [exam_item(f"How many litres does pump {n} hold?", [f"{n} litres"]) for n in range(10)]
EXAM = Exam.of([*OPEN, sound_item(0)])
SYSTEMS = [Examinee(id=n, name=n, spec=n) for n in ("alpha", "beta")]
NASTY = "=cmd|' /C calc'!A0 \x1b[2J\u202eserutaef"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    made = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={"seed": 3})
    with RunStore.create_or_open(tmp_path / "run", database_url=None, run=made) as store:
        store.add_exam(EXAM)
        for system in SYSTEMS:
            store.add_examinee(system)
            store.add_responses([response(system, n) for n in range(11)])
    return tmp_path / "run"


def response(system: Examinee, n: int) -> Response:
    shown = EXAM.items[n]
    failed = Failure(kind=FailureKind.RAISED, detail="x") if n == 9 else None
    text = "" if failed else NASTY if n == 0 else f"It holds {n} litres."
    return Response(
        id=Response.id_of(system.id, shown), examinee_id=system.id, item_id=shown.item.id, text=text, failure=failed
    )


def label(run: Path, *options: object, by: str = "ada") -> str:
    given = ["label", str(run), "--by", by, *map(str, options)]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def labels(run: Path) -> list[Label]:
    with RunStore.open(run) as store:
        return store.labels()


def drawn(run: Path, *options: object, by: str = "ada") -> list[dict[str, str]]:
    """The rows of the exported draw."""
    label(run, "--export", path := run.parent / "draw.jsonl", *options, by=by)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def say(run: Path, *words: str, options: tuple[object, ...] = (), by: str = "ada") -> str:
    """Label the first answers of the draw with these words."""
    rows = drawn(run, "-n", len(words), *options, by=by)
    path = run.parent / "labelled.jsonl"
    path.write_text("".join(json.dumps({**r, "label": w}) + "\n" for r, w in zip(rows, words, strict=True)), "utf-8")
    return label(run, "--import", path, by=by)


def test_each_label_is_kept_with_its_person_and_seed(run: Path) -> None:
    say(run, "y", "N", "p", "0.25", "", "partial")
    assert [(each.score, each.by, each.seed) for each in labels(run)] == [
        (1.0, "ada", 3),
        (0.0, "ada", 3),
        (0.5, "ada", 3),
        (0.25, "ada", 3),
        (0.5, "ada", 3),
    ]


def test_failures_and_choices_are_not_for_people(run: Path) -> None:
    rows = drawn(run, "-n", "40")
    assert len(rows) == 18
    assert OPEN[9].item.stem not in {row["question"] for row in rows}


def test_the_order_is_the_seeds_and_systems_can_take_turns(run: Path) -> None:
    def order(*options: object, by: str = "ada") -> tuple[str, ...]:
        return tuple(row["response"] for row in drawn(run, "-n", "10", *options, by=by))

    assert order("--seed", "1") == order("--seed", "1", by="eve")
    assert len({order("--seed", seed) for seed in range(6)}) > 1
    owner = {response(s, n).id: s.id for s in SYSTEMS for n in range(11)}
    turns = [owner[each] for each in order("--per-system")]
    assert turns.count("alpha") == turns.count("beta") == 5


def test_neither_the_system_nor_a_formula_goes_out(run: Path) -> None:
    label(run, "--export", path := run.parent / "draw.csv", "-n", "18")
    text = path.read_text("utf-8")
    assert "alpha" not in text
    assert "beta" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 18
    assert not any(row["answer"].startswith("=") for row in rows)


@pytest.mark.parametrize("name", ["answers.csv", "answers.jsonl"])
def test_a_draw_goes_out_as_a_file_and_comes_back_labelled(run: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    label(run, "--export", path, "-n", "6")
    text = path.read_text("utf-8")
    if name.endswith("csv"):
        rows = list(csv.DictReader(io.StringIO(text)))
        for n, row in enumerate(rows):
            row["label"] = ("y", "n", "partial", "0.25", "", "1")[n]
        out = io.StringIO()
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(out.getvalue(), "utf-8")
    else:
        rows = [json.loads(line) for line in text.splitlines()]
        for n, row in enumerate(rows):
            row["label"] = (1, 0, 0.5, 0.25, None, "y")[n]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    label(run, "--import", path)
    assert [each.score for each in labels(run)] == [1, 0, 0.5, 0.25, 1]
    assert {each.seed for each in labels(run)} == {3}
    label(run, "--import", path)
    assert len(labels(run)) == 5
    assert [row["label"] for row in drawn(run, "-n", "6")] == [1, 0, 0.5, 0.25, "", 1]


def test_labels_without_their_draw_are_kept_as_picked(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(f"response,label,by\n{response(SYSTEMS[0], 1).id},y,bob\n", "utf-8")
    label(run, "--import", path)
    (kept,) = labels(run)
    assert (kept.by, kept.seed) == ("bob", None)


def test_a_file_that_a_spreadsheet_wrote_with_semicolons_and_decimal_commas_is_read(
    run: Path, tmp_path: Path
) -> None:
    path, said = tmp_path / "own.csv", ("0,5", "75 %", "Richtig", "fail")
    rows = [f"{response(SYSTEMS[0], n).id};{each}" for n, each in enumerate(said)]
    path.write_text("\n".join(["response;label", *rows]), "utf-8-sig")
    label(run, "--import", path)
    assert [each.score for each in labels(run)] == [0.5, 0.75, 1, 0]


def test_an_answer_labelled_by_hand_comes_up_in_the_draw_all_the_same(run: Path, tmp_path: Path) -> None:
    order = [row["response"] for row in drawn(run, "-n", "18")]
    path = tmp_path / "hand.csv"
    path.write_text("response,label\n" + "".join(f"{each},n\n" for each in order[:3]), "utf-8")
    assert "0 of 18 open answers are labelled, 0 of them by ada" in label(run, "--import", path)
    assert [row["response"] for row in drawn(run, "-n", "18")] == order
    assert "4 of 18 open answers are labelled, 4 of them by ada" in say(run, *"nnnn")
    assert [(each.response_id, each.seed) for each in labels(run)][3:] == [(each, 3) for each in order[:4]]


def test_a_file_with_the_draw_makes_picked_labels_drawn_and_one_without_it_takes_nothing_back(
    run: Path, tmp_path: Path
) -> None:
    path, own = tmp_path / "own.csv", response(SYSTEMS[0], 1).id
    for text in (f"label,draw\n{own},y,", f"label,draw\n{own},y,3", f"label\n{own},y", f"label\n{own},n"):
        path.write_text(f"response,{text}\n", "utf-8")
        label(run, "--import", path)
    assert [(each.score, each.seed) for each in labels(run)] == [(1.0, None), (1.0, 3), (0.0, 3)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("response,label\nnobody,y\n", "line 2: “nobody” is not an open answer"),
        ("response,label\nRIGHT,perhaps\n", "“perhaps” is not a label"),
        ("response,label\nRIGHT,nan\n", "“nan” is not a label"),
        ("response,label\nRIGHT,\n", "contains no label"),
        ("response,label\nRIGHT,y,3\n", "Line 2 of .* has 3 cells"),
        ('response,label\n"RIGHT,y\n', "is no valid row of CSV"),
        ("", "contains no label"),
    ],
)
def test_a_file_with_one_wrong_row_changes_nothing(run: Path, tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "labels.csv"
    good = response(SYSTEMS[0], 1).id
    path.write_text(content.replace("RIGHT", good), "utf-8")
    with pytest.raises(UsageError, match=problem):
        label(run, "--import", path)
    assert labels(run) == []


def test_two_labels_of_one_person_for_an_answer_that_differ_are_refused_with_both_lines(
    run: Path, tmp_path: Path
) -> None:
    one = drawn(run)[0]["response"]
    file = tmp_path / "twice.csv"
    rows = [f"{one},y,ada", f"{one},y,ada", f"{one},n,bo"]
    file.write_text("\n".join(["response,label,by", *rows, ""]))
    label(run, "--import", file)
    before = labels(run)
    file.write_text("\n".join(["response,label,by", *rows, f"{one},n,ada", ""]))
    with pytest.raises(UsageError, match=r"line 5: ada gives the answer another label than in .*line 2"):
        label(run, "--import", file)
    assert labels(run) == before


def test_what_cannot_be_is_refused_in_words(run: Path, tmp_path: Path) -> None:
    for options, problem in (
        (["--export", "a.csv", "--import", "b.csv"], "both given"),
        (["--export", str(tmp_path / "a.txt")], "neither .csv nor .jsonl"),
        (["--import", str(tmp_path / "none.csv")], "cannot be read"),
        (["--system", "gamma", "--json"], "No system 'gamma'"),
        (["--by", " ", "--json"], "--by is empty"),
    ):
        with pytest.raises(UsageError, match=problem):
            label(run, *options)
    with RunStore.open(run) as store:
        store.add_exam(Exam.of([sound_item(0)]))
    with pytest.raises(UsageError, match="no open questions"):
        label(run, "--json")


def test_without_a_file_the_viewer_and_the_file_are_named(run: Path) -> None:
    with pytest.raises(UsageError, match=r"viva view RUN\) or in a file \(viva label RUN --export"):
        label(run)


def test_how_far_it_is_as_json(run: Path) -> None:
    say(run, "y", "n")
    assert json.loads(label(run, "--json")) == {
        "folder": str(run),
        "answers": 18,
        "labelled": 2,
        "by": {"ada": 2},
        "seed": 3,
        "systems": 2,
        "systems_with_labels_enough": 0,
        "labels_needed": 3,
    }


def test_a_figure_is_promised_only_of_three_labels_of_a_system(run: Path) -> None:
    few = say(run, "y", "n", options=("--system", "alpha"))
    assert "viva score" not in few
    assert "There is no figure yet. It needs 3 labels of a system's answers." in few
    both = say(run, "y", "n", "y", options=("--system", "alpha"))
    assert "That is enough for a figure of 1 of 2 systems" in both
    assert "Each of the others needs 3 labels" in both
    assert "That is enough for a figure of each system. Next: viva score" in say(run, *"y" * 18)
