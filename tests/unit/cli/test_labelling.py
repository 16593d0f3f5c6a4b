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
from viva.core.records.labels import Label, drawn_scores
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


def label(run: Path, typed: str, *options: str, by: str = "ada") -> str:
    done = CliRunner().invoke(app, ["label", str(run), "--by", by, *options], input=typed, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def labels(run: Path) -> list[Label]:
    with RunStore.open(run) as store:
        return store.labels()


def asked(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if line.startswith("How many litres")]


def test_each_label_is_kept_with_its_person_and_seed(run: Path) -> None:
    label(run, "y\nn\np\ns\nq\n")
    assert [(each.score, each.by, each.seed) for each in labels(run)] == [
        (1.0, "ada", 3),
        (0.0, "ada", 3),
        (0.5, "ada", 3),
        (None, "ada", 3),
    ]


def test_who_is_interrupted_goes_on_where_it_was(run: Path) -> None:
    whole = asked(label(run, "y\n" * 18, "-n", "18", by="eve"))
    first = asked(label(run, "y\ny\ny\n"))
    rest = asked(label(run, "y\n" * 18, "-n", "18"))
    # what was on the screen when the input ended comes again
    assert [*first[:3], *rest] == whole
    assert len(drawn_scores(labels(run))) == 18


def test_failures_and_choices_are_not_for_people(run: Path) -> None:
    shown = label(run, "y\n" * 40, "-n", "40")
    assert len(asked(shown)) == 18
    assert OPEN[9].item.stem not in shown
    assert "18 of 18 open answers are labelled" in shown


def test_going_back_replaces_the_last_word(run: Path) -> None:
    shown = label(run, "y\nb\nn\nq\n")
    assert "you said: 1" in shown
    assert asked(shown)[0] == asked(shown)[2] != asked(shown)[1]
    assert [each.score for each in labels(run)] == [1.0, 0.0]
    assert [list(by.values()) for by in drawn_scores(labels(run)).values()] == [[0.0]]
    assert "This is the first answer." in label(run, "b\nq\n", by="eve")


def test_what_is_no_word_is_answered_by_the_words_there_are(run: Path) -> None:
    assert "y right, n wrong, p partly" in label(run, "maybe\nq\n").split("? ", 1)[1]
    assert labels(run) == []


def test_the_order_is_the_seeds_and_systems_can_take_turns(run: Path) -> None:
    first, again = (asked(label(run, "q\n", "--seed", "1", by=by)) for by in ("ada", "eve"))
    assert first == again
    orders = {tuple(asked(label(run, "s\ns\ns\ns\nq\n", "--seed", str(s), by=f"p{s}"))) for s in range(6)}
    assert len(orders) > 1
    label(run, "y\n" * 10, "--per-system", "-n", "10", by="turns")
    owner = {response(s, n).id: s.id for s in SYSTEMS for n in range(11)}
    given = [owner[each.response_id] for each in labels(run) if each.by == "turns"]
    assert given.count("alpha") == given.count("beta") == 5


def test_neither_the_system_nor_anything_that_a_terminal_obeys_is_shown(run: Path) -> None:
    shown = label(run, "y\n" * 18, "-n", "18")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[2J" in shown
    assert "alpha" not in shown
    assert "beta" not in shown


@pytest.mark.parametrize("name", ["answers.csv", "answers.jsonl"])
def test_a_draw_goes_out_as_a_file_and_comes_back_labelled(run: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    label(run, "", "--export", str(path), "-n", "6")
    text = path.read_text("utf-8")
    if name.endswith("csv"):
        rows = list(csv.DictReader(io.StringIO(text)))
        assert not any(row["answer"].startswith("=") for row in rows)
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
    label(run, "", "--import", str(path))
    assert [each.score for each in labels(run)] == [1, 0, 0.5, 0.25, 1]
    assert {each.seed for each in labels(run)} == {3}
    label(run, "", "--import", str(path))
    assert len(labels(run)) == 5


def test_labels_without_their_draw_are_kept_as_picked(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(f"response,label,by\n{response(SYSTEMS[0], 1).id},y,bob\n", "utf-8")
    label(run, "", "--import", str(path))
    (kept,) = labels(run)
    assert (kept.by, kept.seed) == ("bob", None)


def test_an_answer_labelled_by_hand_comes_up_in_the_draw_all_the_same(run: Path, tmp_path: Path) -> None:
    order = asked(label(run, "y\n" * 18, "-n", "18", by="eve"))
    drawn, path = [each.response_id for each in labels(run)], tmp_path / "hand.csv"
    path.write_text("response,label\n" + "".join(f"{each},n\n" for each in drawn[:3]), "utf-8")
    label(run, "", "--import", str(path))
    shown = label(run, "n\n" * 4, "-n", "4")
    assert asked(shown) == order[:4]
    assert "0 of 4 labelled" in shown
    mine = [(each.response_id, each.seed) for each in labels(run) if each.by == "ada"]
    assert mine[3:] == [(each, 3) for each in drawn[:4]]


def test_a_file_with_the_draw_makes_picked_labels_drawn_and_one_without_it_takes_nothing_back(
    run: Path, tmp_path: Path
) -> None:
    path, own = tmp_path / "own.csv", response(SYSTEMS[0], 1).id
    for text in (f"label,draw\n{own},y,", f"label,draw\n{own},y,3", f"label\n{own},y", f"label\n{own},n"):
        path.write_text(f"response,{text}\n", "utf-8")
        label(run, "", "--import", str(path))
    assert [(each.score, each.seed) for each in labels(run)] == [(1.0, None), (1.0, 3), (0.0, 3)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("response,label\nnobody,y\n", "line 2: “nobody” is not an open answer"),
        ("response,label\nRIGHT,perhaps\n", "“perhaps” is not a label"),
        ("response,label\nRIGHT,nan\n", "“nan” is not a label"),
        ("response,label\nRIGHT,\n", "contains no label"),
        ("response,label\nRIGHT,y,3\n", "Line 2 of .* has 3 cells"),
        ('response,label\n"RIGHT,y\n', "is not a table of labels"),
        ("", "contains no label"),
    ],
)
def test_a_file_with_one_wrong_row_changes_nothing(run: Path, tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "labels.csv"
    good = response(SYSTEMS[0], 1).id
    path.write_text(content.replace("RIGHT", good), "utf-8")
    with pytest.raises(UsageError, match=problem):
        label(run, "", "--import", str(path))
    assert labels(run) == []


def test_what_cannot_be_is_refused_in_words(run: Path, tmp_path: Path) -> None:
    for options, problem in (
        (["--export", "a.csv", "--import", "b.csv"], "both given"),
        (["--export", str(tmp_path / "a.txt")], "neither .csv nor .jsonl"),
        (["--system", "gamma"], "No system 'gamma'"),
        (["--by", " "], "--by is empty"),
    ):
        with pytest.raises(UsageError, match=problem):
            label(run, "", *options)
    with RunStore.open(run) as store:
        store.add_exam(Exam.of([sound_item(0)]))
    with pytest.raises(UsageError, match="no open questions"):
        label(run, "")


def test_how_far_it_is_as_json(run: Path) -> None:
    label(run, "y\nn\nq\n")
    told = json.loads(label(run, "", "--json"))
    assert told == {
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
    few = label(run, "y\nn\n", "--system", "alpha", "-n", "2")
    assert "viva score" not in few
    assert "There is no figure yet. It needs 3 labels of a system's answers." in few
    enough = label(run, "y\n", "--system", "alpha", "-n", "3")
    assert "That is enough for a figure of each system. Next: viva score" in enough
    both = label(run, "q\n")
    assert "That is enough for a figure of 1 of 2 systems" in both
    assert "Each of the others needs 3 labels" in both
