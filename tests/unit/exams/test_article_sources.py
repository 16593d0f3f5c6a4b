"""Articles from folders, JSONL and TREC runs; stored gradings; leaderboards; what is wrong is a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from report_data import build

from viva.core.errors import UsageError
from viva.core.records.articles import Article
from viva.exams.articles.bank import read_bank
from viva.exams.articles.boards import read_board
from viva.exams.articles.gradings import read_gradings
from viva.exams.articles.sources import Shelf, add_articles, add_gold, add_run, read_passages

DATA = Path(__file__).parents[2] / "data" / "articles"
EXAMPLES = Path(__file__).parents[3] / "examples" / "articles"
BANK, _ = read_bank(DATA / "bank.csv")


def written(folder: Path, name: str, *rows: object) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows), encoding="utf-8")
    return file


def of(path: Path) -> Shelf:
    """A shelf with articles on it. UsageError where there is none."""
    shelf = Shelf(BANK)
    add_articles(shelf, path)
    assert shelf.found
    return shelf


# --- articles -----------------------------------------------------------------------------------------------


def test_a_folder_has_a_folder_per_system_and_a_file_per_query_by_id_or_title(tmp_path: Path) -> None:
    written(tmp_path, "ada/lock.md", "# The lock\n\nIt is red.\n\nIt is old.")
    written(tmp_path, "bell/The pier.txt", "It is long.")
    written(tmp_path, "bell/the harbour.md", "It is wide.")
    found = of(tmp_path)
    assert [(a.system, a.query_id, len(a.paragraphs)) for a in found.found] == [
        ("ada", "lock", 2),
        ("bell", "pier", 1),
    ]
    assert found.found[0].paragraphs[0].text == "# The lock\nIt is red."
    assert "the harbour" in found.unknown[0]


def test_a_file_is_of_the_query_called_just_so_and_of_none_where_signs_alone_tell_two_apart(tmp_path: Path) -> None:
    rows = [{"query_id": name, "question": "What?", "key": "x"} for name in ("C", "C++", "C#", "Lock")]
    bank, _ = read_bank(written(tmp_path, "bank.jsonl", *rows))
    for name in ("C", "C++", "C#", "c-", "lock"):
        written(tmp_path, f"systems/ada/{name}.md", f"About {name}.")
    shelf = Shelf(bank)
    add_articles(shelf, tmp_path / "systems")
    told = {article.query_id: article.paragraphs[0].text for article in shelf.found}
    assert told == {"C": "About C.", "C++": "About C++.", "C#": "About C#.", "Lock": "About lock."}
    assert shelf.unknown == ["ada/c-.md: the name “c-” stands for 3 queries of the bank"]


def test_a_systems_folder_without_an_article_and_files_of_other_kinds_are_listed(tmp_path: Path) -> None:
    written(tmp_path, "ada/lock.md", "It is red.")
    written(tmp_path, "bell/lock.html", "<p>It is red.")
    (tmp_path / "cleo").mkdir()
    found = of(tmp_path)
    assert [article.system for article in found.found] == ["ada"]
    assert found.unknown == ["bell/lock.html: it is none of .md, .txt", "cleo: it holds no article"]


def test_ids_of_queries_are_never_made_into_paths(tmp_path: Path) -> None:
    written(tmp_path, "secret.md", "Not for you.")
    written(tmp_path, "systems/ada/lock.md", "It is red.")
    bank, _ = read_bank(
        written(
            tmp_path,
            "bank.jsonl",
            *[{"query_id": query, "question": "What?", "key": "x"} for query in ("../../secret", "lock")],
        )
    )
    shelf = Shelf(bank)
    add_articles(shelf, tmp_path / "systems")
    assert [article.query_id for article in shelf.found] == ["lock"]


def test_jsonl_articles_may_have_paragraphs_with_ids(tmp_path: Path) -> None:
    rows = [
        {"system": "ada", "query_id": "lock", "paragraphs": ["one", {"id": "p", "text": "two"}]},
        {"system": "ada", "query_id": "pier", "text": ""},
    ]
    lock, pier = of(written(tmp_path, "a.jsonl", *rows)).found
    assert [p.text for p in lock.paragraphs] == ["one", "two"]
    assert (lock.paragraphs[1].id, pier.paragraphs) == ("p", ())


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"query_id": "lock", "text": "x"}, "names no system"),
        ({"system": "ada", "query_id": "lock", "paragraphs": [3]}, "neither a text"),
        ({"system": "ada", "query_id": "lock", "paragraphs": "x"}, "no list"),
        ("[1]", "no JSON object"),
        ("{", "no JSON"),
    ],
)
def test_a_row_that_is_no_article_is_said(row: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        of(written(tmp_path, "a.jsonl", row))


def test_two_articles_of_a_system_for_one_query_are_refused_and_none_at_all_too(tmp_path: Path) -> None:
    row = {"system": "ada", "query_id": "lock", "text": "x"}
    with pytest.raises(UsageError, match="already"):
        of(written(tmp_path, "a.jsonl", row, row))
    with pytest.raises(UsageError, match="no article"):
        of(written(tmp_path, "b.jsonl", {**row, "query_id": "harbour"}))
    with pytest.raises(UsageError, match="holds no folder"):
        of(EXAMPLES / "gold")


def test_gold_articles_are_a_folder_of_files() -> None:
    shelf = Shelf(read_bank(EXAMPLES / "bank.csv")[0])
    add_gold(shelf, EXAMPLES / "gold")
    assert [article.query_id for article in shelf.found] == ["tern", "weather", "fares"]


# --- runs ---------------------------------------------------------------------------------------------------


def run(tmp_path: Path, *lines: str) -> tuple[Article, ...]:
    shelf = Shelf(BANK)
    add_run(shelf, written(tmp_path, "run.trec", *lines), read_passages(DATA / "passages.jsonl"))
    return shelf.found


def test_a_run_gives_passages_by_rank_and_keeps_what_has_no_text(tmp_path: Path) -> None:
    lines = (DATA / "run.trec").read_text(encoding="utf-8").splitlines()
    lock, pier = run(tmp_path, *reversed(lines))
    assert ([p.id for p in lock.paragraphs], lock.system) == (["p1", "p2"], "ada")
    assert ([p.id for p in pier.paragraphs], pier.missing) == (["p4"], ("p9",))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["lock Q0 p1 1 2 ada", "lock Q0 p2 1 1 ada"], "rank 1 twice"),
        (["lock Q0 p1 1 2 ada", "lock Q0 p1 2 1 ada"], "passage p1 twice"),
        (["lock p1 1"], "line 1 is no line"),
        (["lock Q0 p1 first 2 ada"], "line 1 is no line"),
    ],
)
def test_a_run_that_contradicts_itself_is_refused(lines: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        run(tmp_path, *lines)


def test_a_passage_has_one_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two texts"):
        read_passages(written(tmp_path, "p.jsonl", {"id": "1", "text": "a"}, {"id": "1", "text": "b"}))


# --- gradings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"graded_by": {"bank": "b"}}, "from which grade"),
        ({"grades": {"lock/closes": 6}}, "grade 6"),
        ({"grades": {"lock/closes": "5"}}, "grade 5"),
        ({"grades": {"pier/length": 5}}, "no question “pier/length”"),
        ({"grades": {"lock/closes": 5}, "rankings": [["ada", 1], ["ada", 1]]}, "rank 1 twice"),
        ({"grades": {"lock/closes": 5}, "rankings": [["ada"]]}, "no pair"),
        ({"grades": []}, "no grades"),
        ({"paragraph_id": 3, "grades": {}}, "no paragraph_id"),
    ],
)
def test_gradings_that_cannot_be_are_said(row: dict[str, object], said: str, tmp_path: Path) -> None:
    file = written(tmp_path, "g.jsonl", {"query_id": "lock", "paragraph_id": "p", **row})
    with pytest.raises(UsageError, match=said):
        read_gradings(file, BANK)


def test_a_passage_is_graded_once_and_unknown_queries_are_counted(tmp_path: Path) -> None:
    row = {"query_id": "lock", "paragraph_id": "p", "grades": {"lock/closes": None, "lock/built": True}}
    with pytest.raises(UsageError, match="graded twice"):
        read_gradings(written(tmp_path, "g.jsonl", row, row), BANK)
    other = {**row, "query_id": "harbour", "paragraph_id": "o"}
    found = read_gradings(written(tmp_path, "g.jsonl", row, other), BANK)
    assert found.unknown == ("1 of the query “harbour”",)
    assert found.grades.grades[0].tolist() == [-1, -1, -1, 1]
    with pytest.raises(UsageError, match="no grade"):
        read_gradings(written(tmp_path, "g.jsonl", other), BANK)


def test_gradings_of_an_earlier_version_say_from_which_grade_on_a_question_is_answered(tmp_path: Path) -> None:
    how = {"graded_by": {"bank": "b", "reader": "lexical", "verification": "judge", "at_least": 1, "surest": True}}
    row = {"query_id": "lock", "paragraph_id": "p", "grades": {"lock/built": 1}, "confidences": {"lock/built": 0.5}}
    assert read_gradings(written(tmp_path, "g.jsonl", how, row), BANK).at_least == 1
    assert read_gradings(written(tmp_path, "h.jsonl", row), BANK).at_least is None


# --- leaderboards -------------------------------------------------------------------------------------------


def test_leaderboards_are_tables_or_objects_and_ranks_are_better_the_lower(tmp_path: Path) -> None:
    table = written(tmp_path, "b.tsv", "a title", "method\texam\tofficial rank", "ada\t.5\t2", "bell\t.4\t1")
    assert read_board(str(table)) == {"ada": 0.5, "bell": 0.4}
    by_rank = read_board(f"{table}#official rank")
    assert by_rank["bell"] > by_rank["ada"]
    ranks = written(tmp_path, "ranks.json", {"ada": 1, "bell": 2})
    assert read_board(str(ranks))["ada"] == -1


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("b.csv", "method,exam\nada,1\nada,2", "twice"),
        ("b.csv", "method,exam\nada,high", "no system with a number"),
        ("b.csv", "", "no table"),
        ("b.json", "[1]", "no object"),
        ("b.json", "{", "no JSON"),
        ("b.json", '{"systems": 3}', "no scores of viva"),
    ],
)
def test_what_is_no_leaderboard_is_said(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        read_board(str(written(tmp_path, name, text)))


def test_a_column_that_is_not_there_is_said_with_those_that_are(tmp_path: Path) -> None:
    table = written(tmp_path, "b.csv", "method,exam", "ada,1")
    with pytest.raises(UsageError, match="It has exam"):
        read_board(f"{table}#map")


def test_the_scores_of_a_run_are_a_leaderboard_by_accuracy_or_ability(tmp_path: Path) -> None:
    scores = build().scores
    path = tmp_path / "scores.json"
    path.write_text(scores.model_dump_json(), encoding="utf-8")
    graded = {row.examinee.name: row for row in scores.examinees if row.accuracy}
    assert read_board(str(path)) == {name: row.accuracy.value for name, row in graded.items() if row.accuracy}
    assert read_board(f"{path}#ability") == {
        row.examinee.name: row.ability.place for row in scores.examinees if row.ability
    }
    with pytest.raises(UsageError, match="has no scores “luck”"):
        read_board(f"{path}#luck")


def test_the_scores_of_articles_are_a_leaderboard_those_of_an_earlier_version_too(tmp_path: Path) -> None:
    mean = {"value": 0.5, "se": None, "low": None, "high": None, "queries": 2}
    row = {"system": "ada", "exam": mean, "n_exam": None, "cover": {"5": {**mean, "value": 0.25}}, "rouge": None}
    path = written(tmp_path, "scores.json", {"systems": [row], "leaks": [], "judge": None, "k": 20})
    assert read_board(str(path)) == {"ada": 0.5}
    assert read_board(f"{path}#cover@5") == {"ada": 0.25}
    with pytest.raises(UsageError, match="has no scores “n_exam”"):
        read_board(f"{path}#n_exam")


def test_a_folder_is_called_a_folder_and_an_empty_run_empty(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        add_run(Shelf(BANK), tmp_path, {})
    with pytest.raises(UsageError, match="is empty: a run has a line for each passage"):
        add_run(Shelf(BANK), written(tmp_path, "empty.trec", "", " "), {})


def test_a_passage_with_two_texts_is_told_in_a_sentence(tmp_path: Path) -> None:
    twice = written(tmp_path, "p.jsonl", {"id": "p", "text": "Red."}, {"id": "p", "text": "Blue."})
    with pytest.raises(UsageError) as found:
        read_passages(twice)
    assert found.value.allowed == "One text for each passage."
    assert "Remove one" in found.value.next_step


def test_a_rank_below_0_is_refused_with_its_system_and_line(tmp_path: Path) -> None:
    row = {"query_id": "lock", "paragraph_id": "p", "grades": {}, "rankings": [["ada", -1]]}
    with pytest.raises(UsageError, match="line 1: ada gives the rank -1, and ranks count from 0 or from 1"):
        read_gradings(written(tmp_path, "g.jsonl", row), BANK)
