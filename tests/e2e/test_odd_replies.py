"""A model server whose counts are none and whose JSON has no end: the exam is the same, and the ledger says so."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import viva
from harbour import begun
from model_server import ModelServer, serve
from wires import NO_COUNTS, counting, in_turn, nested, plain

pytestmark = pytest.mark.slow

OPTIONS = ("--items", "4", "--items-per-chunk", "2", "--worked-examples", "1", "--examinee", "bm25+lexical")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serve() as running:
        yield running


def command(corpus: Path, folder: Path, server: ModelServer, *more: str) -> list[str | Path]:
    model = ("--model", "openai:scripted", "--base-url", server.url, "--price", "openai:scripted=1,2")
    return ["run", corpus, "--out", folder, *OPTIONS, *model, *more]


@pytest.fixture(scope="module")
def undisturbed(
    corpus: Path, finished: Path, server: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int]:
    """The folder of a run whose server does as it should, and how many requests it took."""
    folder = begun(tmp_path_factory.mktemp("undisturbed") / "run", finished)
    done = viva(*command(corpus, folder, server))
    assert done.code == 0, done.said
    return folder, len(server.log)


def test_counts_that_are_none_are_not_known_and_the_exam_is_the_same(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    whole, _ = undisturbed
    folder = begun(tmp_path / "run", whole)
    server.wire = in_turn(
        [
            *(counting(prompt_tokens=odd, completion_tokens=odd, total_tokens=odd) for odd in NO_COUNTS.values()),
            *(counting(all=odd) for odd in NO_COUNTS.values()),
        ]
    )
    done = viva(*command(corpus, folder, server))
    assert done.code == 0, done.said
    assert "Traceback" not in done.said
    assert (folder / "exam.jsonl").read_bytes() == (whole / "exam.jsonl").read_bytes()
    shown = viva("ledger", folder)
    assert shown.out.count("not known") >= 2
    assert "came without a token count" in shown.out
    told = viva("ledger", folder, "--json").json()
    for use in told["model_use"]:
        assert (use["input_tokens"], use["output_tokens"]) == (None, None)
        assert use["uncounted"] == use["calls"]
        assert use["uncounted_tokens"] > 0 < use["cost"]
    assert "estimated" in (folder / "report.html").read_text()


def test_json_without_end_is_counted_and_asked_for_again(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    whole, _ = undisturbed
    folder = begun(tmp_path / "run", whole)
    server.wire = in_turn([plain] * 12 + [nested(100_000)])
    done = viva(*command(corpus, folder, server))
    assert done.code == 0, done.said
    assert "Traceback" not in done.said
    assert (folder / "exam.jsonl").read_bytes() == (whole / "exam.jsonl").read_bytes()
    assert "garbled response" in viva("ledger", folder).out


def test_a_budget_in_tokens_or_money_holds_where_nothing_is_counted(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    whole, asked = undisturbed
    server.wire = counting(all="none of your business")
    for limit in (("--max-tokens", "20000"), ("--max-cost", "0.02")):
        folder, before = begun(tmp_path / limit[0], whole), len(server.log)
        done = viva(*command(corpus, folder, server, *limit))
        assert done.code == 3, done.said
        assert f"{limit[0]} {limit[1]}" in done.err
        assert "are estimated from the texts: the provider did not count them" in done.err
        assert 0 < len(server.log) - before < asked


def test_a_server_that_says_nothing_but_json_without_end_ends_in_words(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    whole, _ = undisturbed
    server.wire = nested(100_000)
    done = viva(*command(corpus, begun(tmp_path / "run", whole), server))
    assert done.code == 2, done.said
    assert "Traceback" not in done.said
    assert "does not answer (the response could not be read (RecursionError))" in done.err
    assert "Run the same command again" in done.err


def test_an_answer_that_is_json_without_end_is_an_unreadable_reply_and_counted(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    whole, _ = undisturbed
    server.wire = plain
    brain, server.brain = server.brain, lambda messages, parameters: '{"a": ' * 100_000
    try:
        done = viva(*command(corpus, begun(tmp_path / "run", whole), server))
    finally:
        server.brain = brain
    assert done.code == 2, done.said
    assert "Traceback" not in done.said
    assert "Not one item was accepted" in done.err
    uses = viva("ledger", tmp_path / "run", "--json").json()["model_use"]
    assert sum(sum(use["unreadable"].values()) for use in uses) == sum(use["calls"] for use in uses) > 0
