"""What a gate found, as a table, sentences, JUnit XML and annotations of GitHub."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from viva.api.result import Cell, Column, Kind, Result, Table
from viva.core.errors import UsageError
from viva.core.estimates import MOST_FAILED, Estimate
from viva.core.records import ExamItem
from viva.core.wording import counted, listed, number
from viva.exams.file import write_file
from viva.graphs.sitting.gate import GateOutcome
from viva.graphs.sitting.gate_answers import question_key
from viva.metrics.gate import GateRule, GateVerdict, fewest_asked
from viva.metrics.intervals import wilson

RECORDED = "recorded"
"""The verdict of a gate without a baseline, which saves the answers for later ones."""
UNDECIDED = {None: 5, "pass": 0, "fail": 4}
"""Exit codes of an undecided gate, by what --undecided says."""
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SHOWN = 200
"""Characters of a question in annotations, and of a failure."""


@dataclass(frozen=True, repr=False)
class GateResult(Result):
    """What a gate found. `drop`, `low` and `high` are points of accuracy, above 0 where the system is worse."""

    outcome: GateOutcome | None = None
    rule: GateRule = field(default_factory=GateRule)

    @property
    def verdict(self) -> str:
        """ "pass", "regress" or "undecided"; "recorded" without a baseline."""
        found = self._outcome.findings
        return found.verdict.value if found else RECORDED

    @property
    def asked(self) -> int:
        """The questions that the verdict is by, of `of`."""
        return self._outcome.asked

    @property
    def of(self) -> int:
        """The questions that the baseline answered too."""
        return self._outcome.of

    @property
    def drop(self) -> float:
        """Accuracy of the baseline less that of the system, over the questions asked."""
        return self._points("drop")

    @property
    def low(self) -> float:
        """The lower bound of the drop, which holds at 1 - alpha whenever the gate ends: above 0 for a regress."""
        return self._points("low")

    @property
    def high(self) -> float:
        """The upper bound of the drop, which holds at the power asked for: below the margin for a pass."""
        return self._points("high")

    @property
    def e_values(self) -> dict[str, float]:
        """The evidence against "no drop" (`regress`) and against "a drop of the margin" (`pass`)."""
        found = self._outcome.findings
        return {"regress": found.e_worse, "pass": found.e_fine} if found else {}

    @property
    def newly_wrong(self) -> list[dict[str, str]]:
        """The questions that only the baseline has right, and why: retrieval, reading, failed or not known."""
        return [each.model_dump() for each in self._outcome.newly_wrong]

    @property
    def more_needed(self) -> int | None:
        """Further questions that an undecided gate would need; None where it is decided, or where nobody can say."""
        found = self._outcome.findings
        return found.more_needed if found else None

    @property
    def accuracy(self) -> Estimate:
        """The share of right answers over the questions that were asked and graded, with its 95% interval."""
        scores = [each.score for each in self._outcome.candidate.answers.values()]
        found = wilson(sum(scores), len(scores))
        if found is None:
            raise UsageError("No answer was graded, so that there is no accuracy.")
        return found

    def score_of(self, shown: ExamItem) -> float | None:
        """What the answer to a question was worth, 0 to 1; None where it was not asked, or could not be graded."""
        found = self._outcome.candidate.answers.get(question_key(shown))
        return found.score if found else None

    def exit_code(self, undecided: str | None = None) -> int:
        """Give 0 for pass, 4 for regress, 5 for undecided or what `undecided` makes of it (pass or fail)."""
        if undecided not in UNDECIDED:
            raise UsageError(f"--undecided is {undecided!r}.", allowed="pass, or fail.")
        match self.verdict:
            case GateVerdict.REGRESS:
                return 4
            case GateVerdict.UNDECIDED:
                return UNDECIDED[undecided]
        return 0

    def junit(self, undecided: str | None = None) -> str:
        """Give it as JUnit XML with one case; an undecided gate is skipped, or fails if `undecided` is "fail"."""
        from xml.etree import ElementTree

        failed, open_ = self.exit_code(undecided) == 4, self.exit_code(undecided) == 5
        suite = ElementTree.Element(
            "testsuite", name="viva gate", tests="1", errors="0", failures=str(int(failed)), skipped=str(int(open_))
        )
        case = ElementTree.SubElement(suite, "testcase", classname="viva.gate", name=_in_xml(self.title))
        told = _in_xml("\n".join([*self.notes, *(f"{e['why']}: {e['question']}" for e in self.newly_wrong)]))
        if failed or open_:
            inside = ElementTree.SubElement(case, "failure" if failed else "skipped", message=_in_xml(self.notes[0]))
            inside.text = told
        else:
            ElementTree.SubElement(case, "system-out").text = told
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"

    def annotations(self, undecided: str | None = None) -> str:
        """Give it as annotations of GitHub: an error where the command fails, else a notice."""
        level = "error" if self.exit_code(undecided) else "notice"
        lines = [f"::{level} title=viva gate%3A {self.verdict}::{_in_command(' '.join(self.notes))}"]
        lines += [
            f"::notice title=newly wrong ({each['why']})::{_in_command(each['question'][:_SHOWN])}"
            for each in self.newly_wrong
        ]
        return "\n".join(lines) + "\n"

    def publish(self, *, junit: Path | None, github: bool, undecided: str | None) -> str:
        """Write JUnit XML to a file, and the summary to that of the GitHub job; give the annotations."""
        if junit is not None:
            write_file(self.junit(undecided).encode(), junit)
        if not github:
            return ""
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(self.markdown())
        return self.annotations(undecided)

    def _points(self, name: str) -> float:
        found = self._outcome.findings
        return 100 * getattr(found, name) if found else 0.0

    @property
    def _outcome(self) -> GateOutcome:
        if self.outcome is None:
            raise AssertionError("made by `gate_result` alone")
        return self.outcome


# --- in words -----------------------------------------------------------------------------------------------


def gate_result(outcome: GateOutcome, rule: GateRule, save: str | Path | None) -> GateResult:
    name, findings = outcome.candidate.system, outcome.findings
    if findings is None:
        scores = [each.score for each in outcome.candidate.answers.values()]
        right = f"{100 * sum(scores) / len(scores):.0f}% right" if scores else "none graded"
        notes = (f"recorded: {counted(outcome.answers, 'answer')} of {name} ({right}) in {save}.", *_remarks(outcome))
        return GateResult(name, (), notes, {"verdict": RECORDED, **outcome.candidate.model_dump()}, outcome=outcome)
    title = f"{name} against {outcome.baseline}"
    notes = (_verdict(outcome, rule), *_numbers(outcome, rule), *_remarks(outcome))
    found = GateResult(title, (), notes, outcome=outcome, rule=rule)
    row: dict[Column, Cell] = {
        Column("verdict"): found.verdict,
        Column("asked", Kind.NUMBER): found.asked,
        Column("of", Kind.NUMBER): found.of,
        Column("drop", Kind.NUMBER, 1): found.drop,
        Column("low", Kind.NUMBER, 1): found.low,
        Column("high", Kind.NUMBER, 1): found.high,
        Column("newly wrong", Kind.NUMBER): len(outcome.newly_wrong),
        Column("newly right", Kind.NUMBER): outcome.newly_right,
    }
    tables = [Table(title, tuple(row), (tuple(row.values()),))]
    if outcome.newly_wrong:
        cells = tuple((each.item_id[:8], each.why, each.question) for each in outcome.newly_wrong)
        tables.append(Table("Newly wrong", (Column("id"), Column("why"), Column("question")), cells))
    return GateResult(title, tuple(tables), notes, _record(found, outcome, notes), outcome=outcome, rule=rule)


def _record(found: GateResult, outcome: GateOutcome, notes: tuple[str, ...]) -> Mapping[str, Any]:
    figures = ("verdict", "asked", "of", "drop", "low", "high", "e_values", "newly_wrong", "more_needed")
    return {
        "system": outcome.candidate.system,
        "baseline": outcome.baseline,
        "exam": outcome.candidate.exam_id,
        **{name: getattr(found, name) for name in figures},
        "newly_right": outcome.newly_right,
        "answers": outcome.answers,
        "baseline_answers": outcome.baseline_answers,
        "failures": outcome.failures,
        "ungraded": outcome.ungraded,
        "kept": outcome.kept,
        "max_drop": 100 * found.rule.margin,
        "alpha": found.rule.alpha,
        "power": found.rule.power,
        "notes": list(notes),
    }


def _verdict(outcome: GateOutcome, rule: GateRule) -> str:
    """Say the verdict in one line."""
    name, found, margin = outcome.candidate.system, outcome.findings, f"{100 * rule.margin:g} points"
    if found is None:
        raise AssertionError("a gate without a baseline has no verdict")
    after = f"after {outcome.asked} of {counted(outcome.of, 'question')}"
    if outcome.same_system:
        return f"pass: {name} is the baseline itself, as far as its source says: nothing was asked."
    match found.verdict:
        case GateVerdict.PASS:
            return f"pass: {name} has not dropped by {margin} or more ({after})."
        case GateVerdict.REGRESS:
            return f"regress: {name} is worse than {outcome.baseline} ({after})."
    least = fewest_asked(rule, change=0)
    if outcome.of < least and not (found.drop or outcome.newly_wrong):
        return (
            f"undecided: no answer became wrong {after}, but {least} questions are needed to exclude a drop of "
            f"{margin}. A larger --max-drop needs fewer."
        )
    more = (
        f"about {counted(found.more_needed, 'more question')} like these would decide"
        if found.more_needed
        else "so far nothing speaks for either, however many questions are asked"
    )
    return f"undecided: neither worse nor a drop of {margin} excluded ({after}); {more}."


def _numbers(outcome: GateOutcome, rule: GateRule) -> list[str]:
    found = outcome.findings
    if found is None or outcome.same_system:
        return []
    least, most = (
        f"{_shown(found.low)} at {100 * (1 - rule.alpha):g}%",
        f"{_shown(found.high)} at {100 * rule.power:g}%",
    )
    bounds = f"above {least}, below {most}"
    changed = f"{len(outcome.newly_wrong)} newly wrong, {outcome.newly_right} newly right"
    told = [f"Drop: {_shown(found.drop)} points ({bounds}); {changed}."]
    if outcome.newly_wrong:
        reasons = Counter(each.why for each in outcome.newly_wrong).most_common()
        told.append(f"Newly wrong by cause: {', '.join(f'{why} {n}' for why, n in reasons)}.")
    return told


def _remarks(outcome: GateOutcome) -> list[str]:
    """Say what the reader of the verdict must know."""
    told, asked, given = [], outcome.asked, outcome.answers + outcome.ungraded
    if max(given, outcome.baseline_answers) > asked:
        counts = [f"{counted(outcome.answers, 'answer')} of {outcome.candidate.system}"]
        if outcome.baseline_answers:
            counts.append(f"{outcome.baseline_answers} of {outcome.baseline}")
        told.append(f"Of several answers to one question the mean counts: {listed(counts)}.")
    if outcome.failures:
        much = " That is no small part of them." if outcome.failures > MOST_FAILED * given else ""
        first = f" The first failure: {outcome.first_failure[:_SHOWN]}" if outcome.first_failure else ""
        part = f"on {outcome.failures} of {counted(asked, 'question')}"
        if given > asked:
            part = f"{counted(outcome.failures, 'time')}, in {given} answers"
        told.append(f"It failed {part}, counted as wrong answers.{much}{first}")
    if outcome.ungraded:
        told.append(f"{counted(outcome.ungraded, 'answer')} could not be graded and are left out.")
    if outcome.kept:
        unknown = (
            "" if outcome.identity_known else " Whether the system is still the same is not known: --again asks anew."
        )
        told.append(f"{counted(outcome.kept, 'answer')} kept from before.{unknown}")
    if outcome.without_baseline:
        told.append(
            f"{counted(outcome.without_baseline, 'question')} without an answer of the baseline are left out."
        )
    return told


def _shown(share: float) -> str:
    return number(100 * share, 1)


def _in_xml(text: str) -> str:
    return _NO_XML.sub("", text)


def _in_command(text: str) -> str:
    """Escape what a workflow command takes for its own."""
    return _NO_XML.sub("", text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
