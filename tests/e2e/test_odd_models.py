"""A model that refuses, repeats itself, writes in another language: counted, told, and the run ends all the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, viva
from fake_model import rendered
from fake_model.reading import Reading
from fake_model.requests import read_request
from fake_model.roles import value_of
from harbour import begun
from model_server import serve

from viva.core.calls import Message
from viva.core.records import ItemKind
from viva.graphs.authoring.call_allowance import PLANNED, STRETCH

OPTIONS = ("--items", "6", "--items-per-chunk", "2", "--worked-examples", "1", "--examinee", "bm25+lexical")
GERMAN = "Wie viele Minuten vor Niedrigwasser schließt das Tor der Schleuse, und welche Meldung geht voraus?"


def written_by(
    change: Callable[[dict[str, JsonValue]], Mapping[str, JsonValue]], corpus: Path, vectors: Path, folder: Path
) -> tuple[Done, dict[str, int], int]:
    """The end of a run whose model's replies are changed; its rejections and failures, and the calls it took."""

    def brain(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        request = read_request(messages)
        reading = Reading(request)
        return rendered(request, dict(change({f.name: value_of(f, reading) for f in request.outputs})))

    run = begun(folder / "run", vectors)
    with serve(brain) as server:
        done = viva("run", corpus, "--out", run, *OPTIONS, "--model", "openai:odd", "--base-url", server.url)
        funnel = viva("show", run, "--json").json()["funnel"]
        return done, {**funnel["rejected"], **funnel["failed"]}, server.paid


def test_a_model_that_asks_the_same_of_every_fact_ends_in_one_sentence_with_what_to_do(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    def same(said: dict[str, JsonValue]) -> dict[str, JsonValue]:
        return {**said, "stem": "How long does the ferry wait?"} if "stem" in said else said

    done, ended, paid = written_by(same, corpus, finished, tmp_path)
    assert (done.code, "Not one item was accepted" in done.err, "--rejected" in done.err) == (2, True, True), (
        done.said
    )
    assert sum(ended.values()) > 0
    assert paid <= STRETCH * PLANNED[ItemKind.SINGLE_HOP] * 9


def test_a_model_that_writes_in_another_language_is_told_so_and_counted(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    def german(said: dict[str, JsonValue]) -> dict[str, JsonValue]:
        return {**said, "stem": GERMAN} if "stem" in said else said

    done, ended, _ = written_by(german, corpus, finished, tmp_path)
    assert (done.code, list(ended)) == (2, ["another_language"]), done.said
    assert f"{ended['another_language']} another_language" in done.err


def test_a_model_that_refuses_everything_ends_in_one_sentence_with_what_to_do(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    run = begun(tmp_path / "run", finished)
    with serve(lambda messages, parameters: "I cannot help with that.") as server:
        done = viva("run", corpus, "--out", run, *OPTIONS, "--model", "openai:odd", "--base-url", server.url)
    assert done.code == 2
    assert "Traceback" not in done.said
    assert "another model may help" in done.err
