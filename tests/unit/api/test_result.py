"""A result has one content and a renderer for each output; nothing in it is taken for markup."""

from __future__ import annotations

import csv
import io
import json

import pytest

from viva.api.result import Column, Kind, Result, Table
from viva.core.errors import UsageError
from viva.core.estimates import Estimate

BOARD = Table(
    "Board",
    (
        Column("system"),
        Column("accuracy", Kind.SHARE),
        Column("p", Kind.P_VALUE),
        Column("seen", Kind.NUMBER, spare=1),
    ),
    (
        ("mine", Estimate(0.87, 0.76, 0.93), 0.04, 1200),
        ("=other | <b>", None, None, 3),
    ),
)
RESULT = Result("Two systems", (BOARD,), ("A note.",), {"exam": "e1"})


def test_an_estimate_takes_three_columns_in_rows_pandas_and_csv() -> None:
    first, second = RESULT.rows()
    assert (first["accuracy"], first["accuracy low"], first["accuracy high"]) == (0.87, 0.76, 0.93)
    assert second.keys() == first.keys()
    assert second["accuracy low"] is None
    frame = RESULT.to_pandas()
    assert [*frame.columns] == [*first]
    assert frame["accuracy"][0] == 0.87
    assert next(csv.DictReader(io.StringIO(RESULT.csv())))["accuracy high"] == "0.93"


def test_json_is_one_document_with_the_tables_notes_and_record() -> None:
    told = json.loads(RESULT.json())
    assert told["tables"][0]["rows"] == RESULT.rows()
    assert (told["notes"], told["record"]) == (["A note."], {"exam": "e1"})


def test_texts_are_escaped_for_each_output() -> None:
    assert "<b>" not in RESULT.html()
    assert "&lt;b&gt;" in RESULT._repr_html_()
    assert r"=other \| \<b\>" in RESULT.markdown()
    # a spreadsheet would take it for a formula
    assert "'=other" in RESULT.csv()


def test_text_shows_estimates_with_intervals_and_leaves_out_what_is_spare_on_a_narrow_terminal() -> None:
    assert all(part in RESULT.text() for part in ("87% (76 to 93)", "1,200", "A note."))
    narrow = RESULT.text(46)
    assert "87% (76 to 93)" in narrow
    assert "1,200" not in narrow
    assert "Columns without room on this terminal: seen" in narrow
    assert "accuracy (95%) 87% (76 to 93)" in RESULT.text(20)


def test_joined_results_print_in_their_order_each_with_its_notes_and_have_all_tables() -> None:
    table = Table("Two", (Column("a"),), (("x",),))
    parts = [Result("Head", (), ("first",)), Result("", ()), Result("Two", (table,)), Result("", (), ("last",))]
    found = Result.joined("All", parts, {"n": 1})
    lines = [line.strip(" │") for line in found.text().splitlines() if line[0] not in "┏┡└┃"]
    assert lines == ["Head", "first", "Two", "x", "last"]
    assert [found.html().index(word) for word in lines] == sorted(found.html().index(word) for word in lines)
    assert found.markdown().startswith("## All\n\n## Head\n\nfirst\n")
    assert (found.rows(), found.notes, found.record) == ([{"a": "x"}], ("first", "last"), {"n": 1})


def test_an_empty_table_has_its_columns_and_no_row() -> None:
    empty = Result("None", (Table("None", BOARD.columns, ()),))
    assert (empty.rows(), [*empty.to_pandas().columns]) == ([], [column.name for column in BOARD.columns])
    assert empty.csv().strip() == "system,accuracy,p,seen"
    assert "accuracy" in empty.text()


def test_a_table_that_is_not_there_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="no table 3"):
        RESULT.rows(3)
