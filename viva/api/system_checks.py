"""Systems before they take an exam: which a spec names, and whether each can be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from shlex import quote
from string import ascii_uppercase
from typing import Any

from viva.api.calling import outside_loop
from viva.api.result import Column, Result, Table
from viva.api.settings import read_arguments
from viva.core.errors import UsageError
from viva.core.records import PASSAGES_ALONE, Failure
from viva.examinees.answering import Answer
from viva.examinees.specs.parse import parse_specs
from viva.examinees.specs.records import (
    CallableSpec,
    ChatSpec,
    CommandSpec,
    HttpSpec,
    RecordedSpec,
    ReferenceSpec,
    Spec,
)
from viva.graphs.sitting.examinee_check import Checked, CheckedExaminee, TrialQuestion, check_all
from viva.graphs.sitting.option_matching import CHOICE_BY
from viva.llm import interrupts

_KINDS = {
    ReferenceSpec: "reference",
    CallableSpec: "python",
    HttpSpec: "http",
    ChatSpec: "chat",
    CommandSpec: "command",
    RecordedSpec: "recorded",
}
_LONGEST_SHOWN = 200
_READ = {"letter": "from its letter", "text": "from its text", "system": "from the choice that the system reports"}


def list_systems(spec: str) -> Result:
    """List all systems that a spec names: kind, components, how each is asked. No system is asked."""
    specs = parse_specs(spec, read_arguments({}))
    parts = [Result(_head(each), (), (f"  {_components(each)}", f"  {_manners(each)}")) for each in specs]
    end = f"{len(specs)} in all. To test one: viva examinee check {quote(specs[-1].examinee.spec)}"
    table = Table(
        "Systems",
        tuple(map(Column, ("system", "kind", "components", "requests"))),
        tuple((each.examinee.name, _KINDS[type(each)], _components(each), _manners(each)) for each in specs),
    )
    record = {"examinees": [_described(each) for each in specs]}
    return Result("Systems", (table,), (end,), record, parts=(*parts, Result("", (), (end,))))


def check_systems(spec: str, question: str | None = None, timeout_s: float | None = None) -> Result:
    """Ask all systems that a spec names an open and a multiple-choice question, or this one; `record["ok"]`: all can.

    UsageError for an empty question, and for a spec that is none.
    """
    if question is not None and not question.strip():
        raise UsageError("--question is empty.", next_step="Leave it out; then viva asks questions of its own.")
    settings = read_arguments({} if timeout_s is None else {"timeout_s": timeout_s})
    specs = parse_specs(spec, settings)
    probes = None if question is None else [TrialQuestion(question)]
    checked = outside_loop(lambda: interrupts.run(check_all(specs, settings, probes)))
    parts = [Result(_head(each.spec), (), tuple(f"  {line}" for line in _lines(each))) for each in checked]
    can = sum(each.ok for each in checked)
    end = (f"{can} of {len(checked)} can take an exam.",) if len(checked) > 1 else ()
    table = Table(
        "Systems",
        tuple(map(Column, ("system", "kind", "can take an exam"))),
        tuple((each.spec.examinee.name, _KINDS[type(each.spec)], each.ok) for each in checked),
    )
    record = {"ok": can == len(checked), "examinees": [_as_json(each) for each in checked]}
    return Result("Systems", (table,), end, record, parts=(*parts, Result("", (), end)))


def _head(spec: Spec) -> str:
    return f"{spec.examinee.name} ({_KINDS[type(spec)]})"


def _components(spec: Spec) -> str:
    return ", ".join(f"{name}: {level}" for name, level in spec.examinee.components.items())


def _manners(spec: Spec) -> str:
    manners = spec.manners
    rate = manners.requests_per_minute
    said = [
        f"{manners.timeout_s:g} s per question" if manners.timeout_s else "the run's time limit per question",
        f"{manners.concurrency} at the same time",
        f"{rate} requests per minute" if rate else "no limit per minute",
        f"{manners.retries} retries",
    ]
    return ", ".join(said)


# --- as JSON ------------------------------------------------------------------------------------------------


def _described(spec: Spec) -> dict[str, Any]:
    fields = spec.examinee.model_dump(mode="json", exclude={"manufactured"})
    return {**fields, "kind": _KINDS[type(spec)], "manners": asdict(spec.manners)}


def _as_json(checked: Checked) -> dict[str, Any]:
    error = checked.error
    return {
        **_described(checked.spec),
        "ok": checked.ok,
        "error": error and {"problem": error.problem, "allowed": error.allowed, "next_step": error.next_step},
        "unread_choices": checked.unread and asdict(checked.unread),
        "takes_history": checked.takes_history,
        "questions": [_probed_as_json(probed) for probed in checked.probed],
    }


def _probed_as_json(probed: CheckedExaminee) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "question": probed.probe.question,
        "options": probed.probe.options,
        "from_passage": probed.handed,
        "seconds": round(probed.seconds, 6),
    }
    if isinstance(probed.found, Failure):
        return {**asked, "failure": probed.found.model_dump(mode="json"), "next_step": probed.next_step}
    answer = probed.found
    return {
        **asked,
        "text": answer.text,
        "choice": answer.choice,
        "passages": [passage.model_dump(mode="json") for passage in answer.passages],
        "usage": answer.usage and answer.usage.model_dump(mode="json"),
        "meta": dict(answer.meta),
    }


# --- as text ------------------------------------------------------------------------------------------------


def _lines(checked: Checked) -> Iterator[str]:
    if error := checked.error:
        yield f"Cannot be asked: {error.problem}"
        yield from (f"  {part}" for part in (error.allowed, error.next_step) if part)
        return
    for probed in checked.probed:
        yield from _of_probe(probed)
    if not checked.probed:
        yield "Its answers have item ids only. The file can be read; answers are looked up when it takes an exam."
    if unread := checked.unread:
        examples = "; ".join(f"“{each}”" for each in unread.examples)
        yield (
            f"No option could be read in {unread.count} of {unread.of} recorded answers; they count as wrong. "
            f"{examples}"
        )
    if not isinstance(checked.spec, RecordedSpec):
        given = "is given to it" if checked.takes_history else "is not given to it: it has no place for one"
        yield f"The conversation before a question {given}."
    yield "It can take an exam." if checked.ok else "It cannot take an exam in this state."


def _of_probe(probed: CheckedExaminee) -> Iterator[str]:
    probe, found = probed.probe, probed.found
    shown = "".join(f" {letter}) {text}" for letter, text in zip(ascii_uppercase, probe.options or (), strict=False))
    handed = " It was given a passage that contains the answer." if probed.handed else ""
    yield f"Asked: {_short(probe.question)}{shown}{handed}"
    if isinstance(found, Failure):
        yield f"Failed after {probed.seconds:.2f} s ({found.kind.value}): {found.detail}"
        if probed.next_step:
            yield f"To correct it: {probed.next_step}"
        return
    if PASSAGES_ALONE in found.meta:
        yield f"Returned in {probed.seconds:.2f} s passages and no answer: it is examined as a retriever by itself."
        yield _passages(found)
        return
    yield f"Answered in {probed.seconds:.2f} s: “{_short(found.text)}”"
    if probe.options:
        yield _choice(found, probe.options)
    yield f"{_passages(found)}{_usage(found)}"
    yield from (f"{name.replace('_', ' ')}: {value}" for name, value in found.meta.items() if name != CHOICE_BY)


def _usage(answer: Answer) -> str:
    if not (usage := answer.usage):
        return ""
    read, written = ("not known" if n is None else f"{n}" for n in (usage.input_tokens, usage.output_tokens))
    return f" Usage: {read} tokens in, {written} out."


def _choice(answer: Answer, options: Sequence[str]) -> str:
    if answer.choice is None:
        return (
            "No option was found in it; such an answer counts as wrong. A letter, or the words of one option, can be "
            "read. In a run with language models (--model), a judge reads other answers."
        )
    how = _READ.get(answer.meta.get(CHOICE_BY, ""), "")
    return f"That is option {ascii_uppercase[answer.choice]}, “{_short(options[answer.choice])}”, read {how}."


def _passages(answer: Answer) -> str:
    if not answer.passages:
        return (
            "Passages: none, so its retrieval cannot be scored. A system shows them as "
            '{"text": ..., "passages": [...]}, a retriever alone as {"passages": [...]}.'
        )
    return f"Passages: {len(answer.passages)}. The first: “{_short(answer.passages[0].text, 60)}”."


def _short(text: str, most: int = _LONGEST_SHOWN) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
