"""A panel file's systems sit on a real run store: their manners hold, and a critic reads what names no option."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from by_hand import exam
from model_server import serve
from pydantic import JsonValue

from viva.core.calls import Message
from viva.core.records import FailureKind, Response
from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.sitting.option_matching import CHOICE_BY

OF = exam(12)
RAG = """\
import time
at_work, peak = 0, 0
def answer(question):
    global at_work, peak
    at_work += 1
    peak = max(peak, at_work)
    time.sleep(0.03)
    at_work -= 1
    return f"I would say it is what comes second ({peak} at work)."
"""


def critic(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
    assert re.search("what comes second", messages[-1].text)
    return "[[ ## quote ## ]]\nwhat comes second\n\n[[ ## meant_option ## ]]\nB\n\n[[ ## completed ## ]]"


def sat(folder: Path, **settings: object) -> dict[str, list[Response]]:
    """Everybody's responses, in the exam's order."""
    context = RunContext(folder / "run", Settings(examinees=(str(folder / "panel.yaml"),), **settings))  # type: ignore[arg-type]
    context.bind(folder, "fingerprint")
    context.store.add_exam(OF)

    async def work() -> None:
        try:
            for spec in context.candidates.specs:
                await stages.sit(context, spec, OF)
        finally:
            await context.aclose_models()

    try:
        asyncio.run(work())
        found = {response.id: response for response in context.store.responses()}
        return {
            spec.examinee.name: [found[Response.id_of(spec.examinee.id, shown)] for shown in OF.items]
            for spec in context.candidates.specs
        }
    finally:
        context.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rag.py").write_text(RAG)
    (tmp_path / "panel.yaml").write_text(
        "examinees:\n- {name: words, python: 'rag.py:answer', concurrency: 3}\n"
        "- {name: hasty, python: 'rag.py:answer', timeout: 0.005}\n"
    )
    return tmp_path


def test_without_language_models_an_answer_without_an_option_has_none(folder: Path) -> None:
    responses = sat(folder)
    assert {(r.choice, r.meta[CHOICE_BY]) for r in responses["words"]} == {(None, "nobody")}
    assert max(int(re.search(r"\((\d) at", r.text)[1]) for r in responses["words"]) == 3  # type: ignore[index]
    assert responses["hasty"][0].failure
    assert responses["hasty"][0].failure.kind is FailureKind.TIMED_OUT


def test_with_them_a_critic_reads_it(folder: Path) -> None:
    with serve(critic) as server:
        responses = sat(folder, model=("vllm:critic",), base_url=server.url)
    assert {(r.choice, r.meta[CHOICE_BY]) for r in responses["words"]} == {(1, "critic")}
    assert all(r.failure for r in responses["hasty"])
