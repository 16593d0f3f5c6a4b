"""A gate in Python: whether a changed system is worse than a baseline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from viva.api.results.gate import GateResult, gate_result
from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.exams.file import check_place as check_place
from viva.exams.file import write_file
from viva.exams.published import GateAnswer, GateAnswers
from viva.graphs.sitting.gate import conduct_gate
from viva.graphs.sitting.gate_answers import question_key
from viva.metrics.gate import GateRule

if TYPE_CHECKING:
    from viva.graphs.context import RunContext

SCHEMA, VERSION = "viva-gate", 1


def gate_rule(max_drop: float, alpha: float, power: float) -> GateRule:
    """Check how a gate decides. UsageError for what is no margin or no probability."""
    if not 0 < max_drop < 100:
        raise UsageError(f"The largest drop is {max_drop:g} points.", allowed="Above 0 and below 100 points.")
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise UsageError(
                f"{name} is {value:g}.", allowed="A probability above 0 and below 1, such as 0.05 or 0.8."
            )
    return GateRule(max_drop / 100, alpha, power)


def hold_gate(
    context: RunContext, baseline: str | Path | GateAnswers | None, rule: GateRule, save: str | Path | None
) -> GateResult:
    """Ask the context's one system, and say what came of it; its answers are written to the file `save`."""
    if baseline is None and save is None:
        raise UsageError(
            "No baseline is named.",
            allowed="The name of a system that has sat this exam, or a file that a gate has saved.",
            next_step="Without one, save the answers of this system as the baseline of later gates: --save FILE",
        )
    if save is not None:
        check_place(save)
    outcome = conduct_gate(context, read_baseline(baseline), rule, whole=save is not None)
    if save is not None:
        document = {"schema": SCHEMA, "version": VERSION, **outcome.candidate.model_dump(mode="json")}
        write_file((json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode(), Path(save))
    return gate_result(outcome, rule, save)


def read_baseline(named: str | Path | GateAnswers | None, exam: Exam | None = None) -> str | GateAnswers | None:
    """Read a file that a gate has saved, or of scores by the ids of items in `exam`; a name is left as it is."""
    if named is None or isinstance(named, GateAnswers):
        return named
    path = Path(named)
    if not path.is_file():
        if path.suffix == ".json":
            raise UsageError(
                f"The baseline {path} is not there.", next_step="Save one: viva gate RUN -e SPEC --save FILE"
            )
        return str(named)
    try:
        found = _answered(json.loads(path.read_text("utf-8")), path)
    except (ValidationError, ValueError, OSError) as error:
        raise UsageError(
            f"{path} holds no baseline that can be read.",
            allowed="A file that viva gate --save has written, or a JSON object of scores (0 to 1) by item id.",
        ) from error
    # the exam of a file is taken without its evidence, on which the id of an item hangs
    keys = {shown.item.id: question_key(shown) for shown in exam.items} if exam else {}
    return found.model_copy(update={"answers": {keys.get(i, i): each for i, each in found.answers.items()}})


def _answered(read: Any, path: Path) -> GateAnswers:
    if isinstance(read, dict) and "examinees" in read and "comparisons" in read:
        raise UsageError(
            f"{path} holds scores of whole systems, and a gate compares answers question by question.",
            next_step="Name the system of its run: --baseline NAME, or a file that --save wrote.",
        )
    if isinstance(read, dict) and read.get("schema") == SCHEMA:
        if read.get("version", 0) > VERSION:
            raise UsageError(
                f"{path} is of version {read['version']}; this viva reads up to version {VERSION}.",
                next_step="Take a newer viva.",
            )
        return GateAnswers.model_validate({name: read.get(name) for name in GateAnswers.model_fields})
    if not isinstance(read, dict) or not read:
        raise ValueError("no object")
    return GateAnswers(
        exam_id="not named", system=path.stem, answers={i: GateAnswer(score=s) for i, s in read.items()}
    )
