"""The work of `viva examinee`: its output as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from shlex import quote
from string import ascii_uppercase
from typing import Any

from rich.console import Console

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.settings import settings_of
from viva.cli.terminal.process import output_kept_clean
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

KINDS = {
    ReferenceSpec: "reference",
    CallableSpec: "python",
    HttpSpec: "http",
    ChatSpec: "chat",
    CommandSpec: "command",
    RecordedSpec: "recorded",
}
_LONGEST_SHOWN = 200


def check_examinees(text: str, question: str | None, timeout_s: float | None, *, as_json: bool) -> bool:
    """Test all systems that the spec names. True if all of them answered."""
    if question is not None and not question.strip():
        raise UsageError("--question is empty.", next_step="Leave it out; then viva asks questions of its own.")
    settings = settings_of({} if timeout_s is None else {"timeout_s": timeout_s})
    specs = parse_specs(text, settings)
    probes = None if question is None else [TrialQuestion(question)]
    with output_kept_clean():
        checked = interrupts.run(check_all(specs, settings, probes))
    if as_json:
        print_json({"ok": all(each.ok for each in checked), "examinees": [_as_json(each) for each in checked]})
    else:
        _print_all(wide_console(), checked)
    return all(each.ok for each in checked)


def list_examinees(text: str, *, as_json: bool) -> None:
    """List all systems that the spec names."""
    specs = parse_specs(text, settings_of({}))
    if as_json:
        print_json({"examinees": [_described(spec) for spec in specs]})
        return
    console = wide_console()
    for spec in specs:
        console.print(plain(spec.examinee.name, style="bold"), plain(f"({KINDS[type(spec)]})"))
        console.print(plain("  " + ", ".join(f"{name}: {level}" for name, level in spec.examinee.components.items())))
        console.print(plain(f"  {_manners(spec)}"))
    console.print(plain(f"{len(specs)} in all. To test one: viva examinee check {quote(specs[-1].examinee.spec)}"))


def _described(spec: Spec) -> dict[str, Any]:
    told = spec.examinee.model_dump(mode="json", exclude={"manufactured"})
    return {**told, "kind": KINDS[type(spec)], "manners": asdict(spec.manners)}


def _manners(spec: Spec) -> str:
    manners = spec.manners
    told = [
        f"{manners.timeout_s:g} s per question" if manners.timeout_s else "the run's time limit per question",
        f"{manners.concurrency} at the same time",
        f"{manners.requests_per_minute} requests per minute"
        if manners.requests_per_minute
        else "no limit per minute",
        f"{manners.retries} retries",
    ]
    return ", ".join(told)


# --- as JSON ------------------------------------------------------------------------------------------------


def _as_json(checked: Checked) -> dict[str, Any]:
    error = checked.error
    told = error and {"problem": error.problem, "allowed": error.allowed, "next_step": error.next_step}
    return {
        **_described(checked.spec),
        "ok": checked.ok,
        "error": told,
        "unread_choices": checked.unread and asdict(checked.unread),
        "takes_history": checked.takes_history,
        "questions": [_probed_as_json(probed) for probed in checked.probed],
    }


def _probed_as_json(probed: CheckedExaminee) -> dict[str, Any]:
    told: dict[str, Any] = {
        "question": probed.probe.question,
        "options": probed.probe.options,
        "from_passage": probed.handed,
        "seconds": round(probed.seconds, 6),
    }
    if isinstance(probed.found, Failure):
        return {**told, "failure": probed.found.model_dump(mode="json"), "next_step": probed.next_step}
    answer = probed.found
    return {
        **told,
        "text": answer.text,
        "choice": answer.choice,
        "passages": [passage.model_dump(mode="json") for passage in answer.passages],
        "usage": answer.usage and answer.usage.model_dump(mode="json"),
        "meta": dict(answer.meta),
    }


# --- as text ------------------------------------------------------------------------------------------------


def _print_all(console: Console, checked: Sequence[Checked]) -> None:
    for each in checked:
        console.print(plain(each.spec.examinee.name, style="bold"), plain(f"({KINDS[type(each.spec)]})"))
        for line in _lines(each):
            console.print(plain(f"  {line}"))
    if len(checked) > 1:
        console.print(plain(f"{sum(each.ok for each in checked)} of {len(checked)} can take an exam."))


def _lines(checked: Checked) -> list[str]:
    if checked.error is not None:
        said = (checked.error.problem, checked.error.allowed, checked.error.next_step)
        return [f"Cannot be asked: {said[0]}", *(f"  {part}" for part in said[1:] if part)]
    lines = [line for probed in checked.probed for line in _of_probe(probed)]
    if not checked.probed:
        lines.append(
            "Its answers have item ids only. The file can be read; answers are looked up when it takes an exam."
        )
    lines += _unread(checked)
    if not isinstance(checked.spec, RecordedSpec):
        told = "is given to it" if checked.takes_history else "is not given to it: it has no place for one"
        lines.append(f"The conversation before a question {told}.")
    return [*lines, "It can take an exam." if checked.ok else "It cannot take an exam in this state."]


def _unread(checked: Checked) -> list[str]:
    unread = checked.unread
    if unread is None:
        return []
    told = "; ".join(f"“{each}”" for each in unread.examples)
    return [f"No option could be read in {unread.count} of {unread.of} recorded answers; they count as wrong. {told}"]


def _of_probe(probed: CheckedExaminee) -> list[str]:
    probe = probed.probe
    shown = "".join(f" {letter}) {text}" for letter, text in zip(ascii_uppercase, probe.options or (), strict=False))
    handed = " It was given a passage that contains the answer." if probed.handed else ""
    return [f"Asked: {_short(probe.question)}{shown}{handed}", *_of_outcome(probed)]


def _of_outcome(probed: CheckedExaminee) -> list[str]:
    found = probed.found
    if isinstance(found, Failure):
        failed = f"Failed after {probed.seconds:.2f} s ({found.kind.value}): {found.detail}"
        return [failed, *([f"To correct it: {probed.next_step}"] if probed.next_step else [])]
    usage = found.usage
    used = ""
    if usage:
        read, written = ("not known" if n is None else f"{n}" for n in (usage.input_tokens, usage.output_tokens))
        used = f" Usage: {read} tokens in, {written} out."
    if PASSAGES_ALONE in found.meta:
        told = f"Returned in {probed.seconds:.2f} s passages and no answer: it is examined as a retriever by itself."
        return [told, _passages(found)]
    return [
        f"Answered in {probed.seconds:.2f} s: “{_short(found.text)}”",
        *([_choice(found, probed.probe.options)] if probed.probe.options else []),
        f"{_passages(found)}{used}",
        *(f"{name.replace('_', ' ')}: {told}" for name, told in found.meta.items() if name != CHOICE_BY),
    ]


def _choice(answer: Answer, options: Sequence[str]) -> str:
    if answer.choice is None:
        return (
            "No option was found in it; such an answer counts as wrong. A letter, or the words of one option, can be "
            "read. In a run with language models (--model), a judge reads other answers."
        )
    by = {"letter": "from its letter", "text": "from its text", "system": "from the choice that the system reports"}
    told = by.get(answer.meta.get(CHOICE_BY, ""), "")
    return f"That is option {ascii_uppercase[answer.choice]}, “{_short(options[answer.choice])}”, read {told}."


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
