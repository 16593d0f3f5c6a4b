"""Tables that others wrote: rows come with their line, and what is wrong is a sentence."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.tables import (
    BadRow,
    csv_lines,
    form_of,
    json_lines,
    likely_delimiter,
    parse_python_json,
    read_text,
    sound,
    tab_lines,
    table_rows,
)


def test_json_lines_are_numbered_as_in_the_file_and_bad_ones_are_values() -> None:
    found = dict(json_lines('{"a": 1}\n\n{bad\n"x\u2028y"\n[NaN]\n'))
    assert found[1] == {"a": 1}
    assert found[4] == "x\u2028y"
    assert isinstance(bad := found[3], BadRow)
    assert bad.reason.startswith("is no JSON")
    assert isinstance(found[5], BadRow)
    assert list(found) == [1, 3, 4, 5]


def test_constants_of_python_are_read_where_they_are_asked_for() -> None:
    assert next(json_lines("[Infinity]", parse=parse_python_json)) == (1, [float("inf")])


def test_a_line_that_is_too_long_or_too_deep_is_a_bad_row() -> None:
    rows = [row for _, row in json_lines("1" * 11 + "\n" + "[" * 9, longest=10)]
    assert rows[0] == BadRow("is longer than 10 characters")
    assert isinstance(rows[1], BadRow)
    assert next(json_lines("[" * 100_000)) == (1, BadRow("is JSON nested too deeply"))


def test_lines_of_a_file_are_read_one_at_a_time() -> None:
    read: list[int] = []

    def lines() -> Iterator[str]:
        for n in range(3):
            read.append(n)
            yield f"{n}\n"

    assert next(json_lines(lines())) == (1, 0)
    assert read == [0]


def test_cells_of_csv_come_with_the_first_line_of_their_row() -> None:
    assert list(csv_lines('a,b\n"x\ny",1\n\n , \nz,2\n')) == [(1, ["a", "b"]), (2, ["x\ny", "1"]), (6, ["z", "2"])]
    assert list(csv_lines(",\n\n", blank=True)) == [(1, ["", ""])]


def test_a_quote_that_is_never_closed_is_a_bad_row_and_the_limit_of_cells_is_set_back() -> None:
    before = csv.field_size_limit()
    first, second = csv_lines('a,b\n"x,1\n')
    assert first == (1, ["a", "b"])
    assert isinstance(second[1], BadRow)
    with pytest.raises(ValueError, match=r"^Line 1 is no valid row of CSV \(.*limit"):
        list(sound(csv_lines("x" * 20, longest=10)))
    assert csv.field_size_limit() == before


def test_quotes_in_tab_separated_text_may_be_characters() -> None:
    text = 'id\ttext\n1\t"Hello" he said\n'
    assert list(tab_lines(text))[1] == (2, ["1", 'Hello" he said'])
    assert list(table_rows(text, "tsv", quoted=False)) == [("line 2", {"id": "1", "text": 'Hello" he said'})]
    with pytest.raises(ValueError, match="Line 2"):
        list(table_rows(text, "tsv"))


@pytest.mark.parametrize(
    ("text", "sign"),
    [("a;b;c,d\n", ";"), ("\n \na\tb\n1,2,3", "\t"), ("\ta\tb,", "\t"), ("a|b", "|"), ("a\n1;2", ",")],
)
def test_the_delimiter_is_the_one_that_the_first_line_holds_most_of(text: str, sign: str) -> None:
    assert likely_delimiter(text) == sign


@pytest.mark.parametrize(
    ("suffix", "text", "form"),
    [
        (".csv", "[1]", "csv"),
        (".tsv", "{", "tsv"),
        (".jsonl", " [", "json"),
        ("", '{"a": 1}', "jsonl"),
        (".json", '{"a": 1}\n{"a": 2}\n', "jsonl"),
        (".json", '{"rows": [{"a": 1}]}\n', "json"),
        ("", '{\n "rows": [{"a": 1}]\n}', "json"),
        (".jsonl", "{\n", "jsonl"),
        ("", "a,b", "csv"),
    ],
)
def test_the_form_is_told_by_the_name_or_else_by_the_first_character(suffix: str, text: str, form: str) -> None:
    assert form_of(suffix, text) == form


def test_rows_of_all_forms_are_records_with_their_place() -> None:
    record = {"a": "1", "b": ""}
    assert list(table_rows("A, b\n1\n", "csv", column=lambda name: name.strip().lower())) == [("line 2", record)]
    assert list(table_rows('\n{"a": "1", "b": ""}', "jsonl")) == [("line 2", record)]
    assert list(table_rows('[{"a": "1", "b": ""}, 2]', "json")) == [
        ("record 1", record),
        ("record 2", BadRow("is no JSON object")),
    ]


@pytest.mark.parametrize("text", ['{"v": 1, "rows": [{"a": 1}], "t": ["x"], "none": []}', '[{"a": 1}]', '{"a": 1}'])
def test_records_of_json_are_an_array_or_the_one_array_of_an_object_or_an_object_alone(text: str) -> None:
    assert list(table_rows(text, "json")) == [("record 1", {"a": 1})]


def test_rows_that_do_not_fit_the_heading_are_bad_rows() -> None:
    assert list(table_rows("a,b\n1,2,3\n", "csv")) == [
        ("line 2", BadRow("has 3 cells, but the header names 2 columns"))
    ]
    assert list(table_rows("a,b\n1\n", "csv", padded=False)) == [
        ("line 2", BadRow("has 1 cell, but the header names 2 columns"))
    ]


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        ("a,a\n", "csv", "same name, “a”"),
        ("{}", "json", "no JSON array"),
        ("{", "json", "It is no JSON"),
        ('{"a": [{}], "b": [{}]}', "json", "2 arrays of records: a, b"),
    ],
)
def test_a_text_that_is_not_of_the_form_is_refused(text: str, form: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        list(table_rows(text, form))  # type: ignore[arg-type]


def test_text_is_utf_8_or_marked_utf_16_within_bounds(tmp_path: Path) -> None:
    file = tmp_path / "a"
    for written in ("\ufeffé\r\n".encode(), "é\r\n".encode("utf-16")):
        file.write_bytes(written)
        assert read_text(file) == "é\r\n"
    file.write_bytes(b"a\xff")
    with pytest.raises(UsageError, match="byte 1"):
        read_text(file)
    with pytest.raises(UsageError, match=r"larger than 0 MiB\. Halve it\."):
        read_text(file, most=1, smaller="Halve it.")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_text(tmp_path / "none")
