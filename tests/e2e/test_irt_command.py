"""`viva irt` through the command line: anybody's table in, tables out; whatever is wrong with it, a sentence."""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, Running, viva

FILES = ("abilities.csv", "items.csv", "effects.csv", "contrasts.csv", "flags.csv")


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """Twelve examinees, three by four of two components, on thirty items."""
    draw = np.random.default_rng(4)
    rows = [["system", *(f"q{n}" for n in range(30))]]
    b = draw.normal(0, 1, 30)
    for reader, ability in (("small", -1.0), ("large", 0.3), ("huge", 1.2)):
        for retriever in ("bm25", "dense", "hybrid", "none"):
            right = draw.random(30) < 1 / (1 + np.exp(b - ability))
            rows.append([f"{reader}+{retriever}", *(str(int(each)) for each in right)])
    rows[3][5] = "NA"
    return written(tmp_path / "matrix.csv", "\r\n".join(",".join(row) for row in rows))


@pytest.fixture
def components(matrix: Path) -> Path:
    lines = matrix.read_text().splitlines()[1:]
    names = [line.split(",")[0] for line in lines]
    rows = "".join(f"{name},{name.split('+')[0]},{name.split('+')[1]},{n}\n" for n, name in enumerate(names))
    return written(matrix.parent / "systems.csv", f"system,reader,retriever,k\n{rows}")


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(done: Done, *parts: str) -> None:
    assert done.code == 2, done.said
    assert "Traceback" not in done.said
    assert done.out == ""
    for part in parts:
        assert part in done.err, done.err


def test_a_table_gives_abilities_contrasts_and_items(matrix: Path, components: Path) -> None:
    done = viva("irt", matrix, "--components", components, "--continuous", "k", "--held-out")
    assert done.code == 0, done.err
    for part in (
        "12 examinees, 30 items, 359 responses",
        "Examinees, by expected score",
        "huge+dense",
        "Contrasts",
        "max-t",
        "Parameters of the items",
    ):
        assert part in done.out
    assert "item mean" in done.out
    assert "S-X2: not possible: " in done.out


def test_json_holds_schema_version_and_the_same_records_as_the_files(
    matrix: Path, components: Path, tmp_path: Path
) -> None:
    given = ("--components", components, "--continuous", "k")
    asked = ("irt", matrix, *given, "--model", "2pl", "--reference", "reader=small")
    done = viva(*asked, "--json", "--json-file", tmp_path / "out.json", "--csv", tmp_path / "tables")
    told = done.json()
    assert (told["schema"], told["version"]) == ("viva-irt", 1)
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == told
    assert told["checks"]["score_fit"]["not_made"]
    for name in FILES:
        with (tmp_path / "tables" / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [list(row) for row in rows] == [list(record) for record in told[name.removesuffix(".csv")]]
        assert len(rows) == len(told[name.removesuffix(".csv")])
    assert next(each for each in told["effects"] if each["level"] == "small")["estimate"] == 0
    assert viva(*asked, "--json").out == done.out


def test_the_transposed_table_gives_the_same_abilities(matrix: Path, tmp_path: Path) -> None:
    rows = [line.split(",") for line in matrix.read_text().splitlines()]
    turned = "\n".join("\t".join(row) for row in zip(*rows, strict=True))
    other = written(tmp_path / "turned.tsv", b"\xef\xbb\xbf" + turned.encode())
    first = viva("irt", matrix, "--json").json()
    assert viva("irt", other, "--items-in-rows", "--json").json()["abilities"] == first["abilities"]


def test_results_are_overwritten_on_request_only(matrix: Path, tmp_path: Path) -> None:
    mine = written(tmp_path / "flags.csv", "mine")
    refused(viva("irt", matrix, "--csv", tmp_path), "flags.csv", "--force")
    assert mine.read_text() == "mine"
    assert not (tmp_path / "items.csv").exists()
    assert viva("irt", matrix, "--csv", tmp_path, "--force").code == 0
    assert mine.read_text().startswith("item,kind")


def test_names_are_data_no_formula_no_markup_no_path(matrix: Path, tmp_path: Path) -> None:
    text = matrix.read_text().replace("small+bm25", '"=HYPERLINK(""x"")"').replace("q3,", "../q3,")
    text = text.replace("huge+none", "[bold]\x1b[31mhuge")
    done = viva("irt", written(tmp_path / "hostile.csv", text), "--csv", tmp_path / "out")
    assert done.code == 0, done.err
    assert "[bold]\\x1b[31mhuge" in done.out
    assert "\x1b" not in done.out
    assert "'=HYPERLINK" in (tmp_path / "out" / "abilities.csv").read_text()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(FILES)


def test_examinees_of_the_same_answers_share_a_place(matrix: Path, tmp_path: Path) -> None:
    lines = matrix.read_text().splitlines()
    twins = [f"twin {n},{lines[7].split(',', 1)[1]}" for n in range(3)]
    done = viva("irt", written(tmp_path / "twins.csv", "\n".join([*lines, *twins])))
    of = {line.split("│")[2].strip(): line.split("│")[1].strip() for line in done.out.splitlines() if "│" in line}
    place = of[lines[7].split(",", 1)[0]]
    assert [of[f"twin {n}"] for n in range(3)] == [place] * 3
    # the next one's place allows for all four
    assert str(int(place) + 4) in of.values()
    assert not {str(int(place) + n) for n in (1, 2, 3)} & set(of.values())


def test_who_interrupts_it_is_told_that_nothing_is_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "matrix.csv"
    os.mkfifo(pipe)
    started = Running("irt", pipe, "--csv", tmp_path / "out")

    ends: list[int] = []

    def is_read() -> bool:
        try:
            ends.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    assert started.wait_for(is_read)
    started.send(signal.SIGINT)
    # a signal that comes right before a read is seen only when all was read: let that be now
    os.close(ends[0])
    done = started.done()
    assert done.code == 130
    assert "Stopped: No file was written." in done.err
    assert "kept" not in done.err
    assert "Traceback" not in done.said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["is empty"]),
        ("name,q1,q2\n", ["only one row"]),
        ("name,q1,q2\na,1,0\nb,1\n", ["Row 3", "2 cells", "3"]),
        ("name,q1,q2\na,1,0\nb,1,0.5\n", ["Row 3 ('b')", "column 3 ('q2')", "'0.5'", "1 for right"]),
        ("name,q1,q1\na,1,0\nb,1,0\n", ["'q1'", "twice", "columns 2 and 3"]),
        ("name,q1,q2\na,1,0\na,1,0\n", ["'a'", "twice", "rows 2 and 3"]),
        ("name,q1,\na,1,0\nb,1,1\n", ["column 3 has no name"]),
        ("1,0,1\n0,1,1\n", ["first row", "has responses"]),
        ('name,q1\na,"1\n', ["is not a table"]),
        ("name\na\nb\n", ["no column of responses"]),
        ("name,q1,q2\na,1,0\nb,,\n", ["1 examinee"]),
        (b"name,q1\n\xff\xfe\xfa,1\n", ["not text in UTF-8"]),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_by_its_place(
    text: str | bytes, parts: list[str], tmp_path: Path
) -> None:
    refused(viva("irt", written(tmp_path / "bad.csv", text)), *parts)


def test_components_must_be_those_of_the_examinees(matrix: Path, components: Path, tmp_path: Path) -> None:
    text = components.read_text().replace("small+bm25", "somebody")
    other = written(tmp_path / "other.csv", text)
    refused(viva("irt", matrix, "--components", other), "no entry for 'small+bm25'", "'somebody'")
    asked = ("irt", matrix, "--components", components)
    refused(viva(*asked, "--continuous", "reader"), "'reader' of 'small+bm25' is 'small'")
    refused(viva(*asked, "--continuous", "size"), "'size'", "reader, retriever, k")
    refused(viva(*asked, "--interaction", "reader:size"), "reader:size")
    refused(viva(*asked, "--reference", "reader=tiny"), "'tiny'", "huge, large, small")
    refused(viva("irt", matrix, "--reference", "reader=small"), "--components FILE")
    refused(viva("irt", matrix, "--model", "4pl"), "'4pl'")
    refused(viva("irt", matrix, "--method", "mml-persons"), "'mml-persons' is gone: map serves up to 5,000 examinees")


def test_components_in_yaml_and_json_are_those_in_csv(matrix: Path, components: Path, tmp_path: Path) -> None:
    rows = [line.split(",") for line in components.read_text().splitlines()[1:]]
    record = {name: {"reader": reader, "retriever": retriever} for name, reader, retriever, _ in rows}
    as_json = written(tmp_path / "systems.json", json.dumps(record))
    as_yaml = written(
        tmp_path / "systems.yaml", "".join(f"{name}: {json.dumps(of)}\n" for name, of in record.items())
    )
    found = [viva("irt", matrix, "--components", path, "--json").json()["effects"] for path in (as_json, as_yaml)]
    assert found[0] == found[1]
    assert {each["component"] for each in found[0]} == {"reader", "retriever"}
    twice = written(tmp_path / "twice.yaml", "a: {reader: x}\na: {reader: y}\n")
    refused(viva("irt", matrix, "--components", twice), "'a'", "twice")
