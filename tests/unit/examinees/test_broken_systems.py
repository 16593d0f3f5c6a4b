"""Targets that leak, hang, die, drip, send web pages and megabytes: each sits, each failure is counted in words."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from by_hand import exam
from rag_server import RagServer, rag_server
from specs_by_hand import examinee, function_spec

from viva.core.records import FailureKind, Response
from viva.examinees.adapters import OwnSpec, adapter_of
from viva.examinees.answering import Closes
from viva.examinees.specs.records import ChatSpec, CommandSpec, HttpSpec, Manners, RecordedSpec
from viva.graphs.sitting.administer import Invigilator, sit

SUPPORT = Path(__file__).parents[2] / "support"
EXAM = exam(3)
TIMED_OUT, RAISED, BAD, NONE = (
    *(FailureKind.TIMED_OUT, FailureKind.RAISED),
    *(FailureKind.BAD_ANSWER, FailureKind.NO_ANSWER),
)


@pytest.fixture(scope="module")
def server() -> Iterator[RagServer]:
    with rag_server() as running:
        yield running


def sat(spec: OwnSpec, timeout_s: float = 5) -> list[Response]:
    recorded: list[Response] = []
    system = adapter_of(spec)
    try:
        invigilator = Invigilator(system, timeout_s, Manners(retries=0))
        asyncio.run(sit(invigilator, EXAM, set(), record=recorded.extend, watch=lambda done: None))
    finally:
        if isinstance(system, Closes):
            system.close()
    return recorded


def failures(responses: list[Response]) -> set[tuple[FailureKind, str]]:
    assert [response.item_id for response in responses] == [shown.item.id for shown in EXAM.items]
    return {(response.failure.kind, response.failure.detail) for response in responses if response.failure}


@pytest.mark.parametrize(
    ("how", "more", "kind", "words"),
    [
        ("leaks", {"memory_mb": 128}, RAISED, "MemoryError"),
        ("hangs", {}, TIMED_OUT, "no answer within 0.4 s"),
        ("dies", {}, RAISED, "exit status 3"),
        ("prints", {}, BAD, "no JSON object"),
        ("long line", {}, BAD, "longer than 2 MB"),
        ("a truth value", {}, BAD, "truth value"),
        ("no answer", {}, NONE, "holds no answer"),
    ],
)
def test_a_broken_program_fails_every_question_in_words(
    how: str, more: dict[str, int], kind: FailureKind, words: str
) -> None:
    argv = [sys.executable, "-S", str(SUPPORT / "own_program.py"), how]
    spec = CommandSpec(examinee=examinee(), run=argv, **more)  # type: ignore[arg-type]
    for found, detail in failures(sat(spec, 0.4 if how == "hangs" else 5)):
        assert found is kind
        assert words in detail


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("/html", BAD, "HTML came"),
        ("/big", BAD, "longer than 2 MB"),
        ("/drip", TIMED_OUT, "no answer within"),
        ("/hang", TIMED_OUT, "no answer within"),
        ("/reset", RAISED, "the connection failed"),
        ("/midway", RAISED, "the connection failed"),
        ("/empty", NONE, "empty"),
    ],
)
@pytest.mark.parametrize("chat", [False, True])
def test_a_broken_server_fails_every_question_in_words(
    server: RagServer, path: str, kind: FailureKind, words: str, chat: bool
) -> None:
    spec = (
        ChatSpec(examinee=examinee(), base_url=f"{server.url}/anything{path}", model="m", key_from="")
        if chat
        else HttpSpec(examinee=examinee(), url=server.url + path, body={"q": "{question}"})
    )
    found = failures(sat(spec, 0.2 if kind is TIMED_OUT else 5))
    assert {kind for kind, _ in found} == {kind}
    if not chat:
        assert all(words in detail for _, detail in found)
    assert all(len(detail) > 10 for _, detail in found)


@pytest.mark.parametrize("name", ["raising_chain", "raising_graph", "silent_graph", "failing_tool", "hanging_chain"])
def test_a_broken_chain_fails_every_question_in_words(name: str) -> None:
    found = failures(sat(function_spec(str(SUPPORT / "own_chains.py"), name), 0.2))
    assert found
    assert all(detail for _, detail in found)


def test_what_is_not_recorded_is_counted_question_by_question(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(f'{{"item_id": "{EXAM.items[0].item.id}", "answer": "A"}}')
    responses = sat(RecordedSpec(examinee=examinee(), path=str(file)))
    assert [response.failure is None for response in responses] == [True, False, False]
    assert failures(responses) == {(NONE, "There is no recorded answer to this question.")}
