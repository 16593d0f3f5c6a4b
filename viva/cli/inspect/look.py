"""The work of `viva show`, `items`, `trace`, `ledger`: print the content of a run, as text or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.diagnose import print_diagnoses
from viva.cli.inspect.funnel import print_corpus, print_funnel, print_left_out, print_shortfall
from viva.cli.inspect.leaderboard import print_failures, print_leaderboard, print_unread_choices, unread_choices
from viva.cli.inspect.ledger import print_ledger, print_spent, spent
from viva.cli.settings import settings_of
from viva.cli.sit.oral import print_examined
from viva.core.calls import Entry
from viva.core.errors import UsageError
from viva.core.note_words import names_of, worded
from viva.core.records import Exam, ExamItem, QuestionType, Rejection, Step
from viva.core.scores import Scores
from viva.core.wording import option_letter
from viva.examinees.specs.records import Spec
from viva.exams.file import write_file
from viva.graphs import results
from viva.graphs.authoring.account import blueprint_of, coverage_of, funnel_of, notes_of, own_exam
from viva.graphs.authoring.traces import steps_of
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.peer_responses import diagnoses_of
from viva.graphs.oral_exam.record import findings, kept_scores
from viva.graphs.resources.stage_times import times_of
from viva.graphs.sitting.kept_answers import sittings_of
from viva.graphs.stages import is_incomplete
from viva.storage.ledger import replies_alone, requests_of


def _opened(run: Path, database_url: str | None) -> RunContext:
    return RunContext(run, settings_of({"database_url": database_url} if database_url else {}))


def print_summary(done: RunContext, last: str, sat: Sequence[Spec] = (), *, as_json: bool) -> None:
    """Print the results of a command that ran stages, up to its last stage; `sat`: the systems it has examined."""
    run = done.folder
    with closing(_opened(run, done.settings.database_url)) as context:
        sittings = sittings_of(context.store, sat, done.sittings)
        if as_json:
            told = {"sittings": [each.model_dump(mode="json") for each in sittings]} if sittings else {}
            print_json({**_standing(context), **told})
            return
        console = wide_console()
        for each in sittings:
            if each.kept or last == "sit":
                console.print(plain(each.sentence))
        if last == "ingest":
            print_corpus(console, context)
        elif last == "write":
            print_funnel(console, context)
        elif last in {"score", "report"}:
            print_leaderboard(console, results.scores_of(context.store, context.folder))
            print_failures(console, context)
            print_examined(console, context)
            print_diagnoses(console, context)
            print_shortfall(console, context, funnel_of(context.store))
            print_left_out(console, context)
        if last in {"write", "score", "report"}:
            print_spent(console, context)
        if last == "report":
            console.print(plain(f"\nReport: {(run / results.REPORT_FILE)}"))
        elif last == "sit":
            print_failures(console, context, {spec.examinee.id for spec in sat})
            print_unread_choices(console, context)
            console.print(plain(f"The responses are in {run}. Next: viva score {run}"))


def show_run(run: Path, database_url: str | None, *, as_json: bool) -> None:
    """Print the state of a run."""
    with closing(_opened(run, database_url)) as context:
        if as_json:
            print_json(_standing(context))
            return
        console = wide_console()
        print_corpus(console, context)
        print_funnel(console, context)
        if (scores := _scores_of_exam(context)) is not None:
            print_leaderboard(console, scores)
            print_failures(console, context)
            print_diagnoses(console, context)
        elif context.store.latest_result("scores") is not None:
            console.print(
                plain(f"The scores are for an earlier exam. For this one: viva sit {run}, then viva score {run}")
            )
        print_examined(console, context)
        print_spent(console, context)
        report = run / results.REPORT_FILE
        if report.exists():
            console.print(plain(f"\nReport: {report}"))


def show_ledger(run: Path, database_url: str | None, *, as_json: bool) -> None:
    """Print the use and the cost of language models."""
    with closing(_opened(run, database_url)) as context:
        if as_json:
            print_json(spent(context))
        else:
            print_ledger(wide_console(), context)


def record_ledger(run: Path, recording: Path, *, as_json: bool) -> None:
    """Write a recording of the run's ledger, which `--model replay:FILE` reads."""
    if recording.resolve().parent == run.resolve():
        raise UsageError(
            f"The recording {recording} is in the run folder {run}, where it could overwrite the ledger.",
            next_step="Name a file in another folder.",
        )
    kept = replies_alone(run)
    write_file(kept, recording)
    if as_json:
        print_json({"recording": str(recording), "bytes": len(kept)})
    else:
        wide_console().print(plain(f"{recording}: {len(kept):,} bytes. Replay it: --model replay:{recording}"))


def _standing(context: RunContext) -> dict[str, object]:
    exam, scores = context.store.latest_exam(), _scores_of_exam(context)
    return {
        "run": context.store.run.model_dump(mode="json"),
        "folder": str(context.folder),
        "statistics": context.store.latest_result("statistics"),
        "exclusions": [exclusion.model_dump(mode="json") for exclusion in context.store.exclusions()],
        "funnel": funnel_of(context.store).model_dump(mode="json"),
        "exam": {
            "id": exam.id,
            "items": len(exam.items),
            "known": _known(exam),
            "incomplete": is_incomplete(context.store),
        }
        if exam
        else None,
        "blueprint": [row.model_dump(mode="json") for row in blueprint_of(context.store)],
        "coverage": [row.model_dump(mode="json") for row in coverage_of(context.store)],
        "exam_notes": list(notes_of(context.store)),
        "own_exam": (own := own_exam(context.store)) and own.model_dump(mode="json"),
        "unread_choices": unread_as_json(context),
        "scores": scores and scores.model_dump(mode="json", context=worded(names_of(scores))),
        "diagnoses": [each.model_dump(mode="json") for each in diagnoses_of(context.store, exam)] if exam else [],
        "oral": [found.model_dump(mode="json") for found in findings(kept_scores(context.store))],
        "seconds": {time.stage: time.seconds for time in times_of(context.store)},
        **spent(context),
        "report": str(context.folder / results.REPORT_FILE),
    }


def unread_as_json(context: RunContext) -> list[dict[str, object]]:
    """Notes on answers that mean no option."""
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    return [note.model_dump(mode="json", context=worded(names)) for note in unread_choices(context)]


def _known(exam: Exam) -> int:
    """Number of questions that a language model knew without documents."""
    return sum(shown.item.without_documents for shown in exam.items)


def _scores_of_exam(context: RunContext) -> Scores | None:
    """The scores, if they are for the present exam."""
    exam, found = context.store.latest_exam(), context.store.latest_result("scores")
    if exam is None or found is None or found["exam_id"] != exam.id:
        return None
    return Scores.model_validate(found)


def show_items(
    run: Path,
    database_url: str | None,
    question_type: str | None,
    contains: str | None,
    *,
    rejected: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Print the questions of the exam, or the rejected drafts."""
    known = [kind.value for kind in QuestionType]
    if question_type and question_type.lower() not in known:
        raise UsageError(f"--type is {question_type!r}.", allowed=f"One of {', '.join(known)}.")
    with closing(_opened(run, database_url)) as context:
        if rejected:
            _print_rejections(_of_type(context.store.rejections(), question_type), contains, limit, as_json=as_json)
            return
        exam: Exam | None = context.store.latest_exam()
        if exam is None:
            raise UsageError("There is no exam in this run yet.", next_step=f"Write one: viva write {run}")
        chosen = [s for s in exam.items if _wanted(s, question_type, contains)]
        shown = chosen[: limit or None]
        if as_json:
            print_json([s.model_dump(mode="json") for s in shown])
            return
        console = wide_console()
        for item in shown:
            _print_item(console, item, {i: d.path for i, d in context.documents.items()})
        console.print(plain(f"{len(shown)} of {len(exam.items)} questions."))


def _wanted(shown: ExamItem, question_type: str | None, contains: str | None) -> bool:
    if question_type and shown.item.question_type.value != question_type.lower():
        return False
    text = " ".join([shown.item.asked, *shown.options]).casefold()
    return contains is None or contains.casefold() in text


def _of_type(found: Sequence[Rejection], question_type: str | None) -> Sequence[Rejection]:
    if question_type is None:
        return found
    return [r for r in found if r.draft and r.draft.question_type.value == question_type.lower()]


def _print_item(console: Console, shown: ExamItem, paths: Mapping[str, str]) -> None:
    item = shown.item
    for turn in item.history:
        console.print(plain(f"          {turn.line}", style="dim"))
    console.print(plain(f"{item.id[:8]}  {item.stem}", style="bold"))
    for n, option in enumerate(shown.options):
        mark = "*" if n == shown.key_position else " "
        console.print(plain(f"   {mark} {option_letter(n)}) {option}"))
    known = ["known without documents"] if item.known else ["can be guessed"] if item.guessable else []
    known += ["disputable"] if item.disputable else []
    tier = [f"{item.provenance.tier} tier"] if item.provenance.tier else []
    classes = ", ".join([item.question_type.value, *(level.value for level in item.bloom), *known, *tier])
    quotes = [f"{paths.get(span.document_id, '?')}: “{' '.join(span.quote.split())}”" for span in item.evidence]
    console.print(plain(f"     {'; '.join([classes, *quotes])}\n", style="dim"))


def _print_rejections(found: Sequence[Rejection], contains: str | None, limit: int, *, as_json: bool) -> None:
    chosen = [r for r in found if contains is None or contains.casefold() in r.model_dump_json().casefold()]
    shown = chosen[: limit or None]
    if as_json:
        print_json([r.model_dump(mode="json") for r in shown])
        return
    console = wide_console()
    for rejection in shown:
        stem = rejection.draft.stem if rejection.draft else rejection.unit.statement
        console.print(plain(f"{rejection.unit.id[:8]}  {stem}", style="bold"))
        verdict = rejection.verdict
        console.print(
            plain(
                f"     {verdict.code} ({verdict.critic}): {verdict.reason.removeprefix(f'{verdict.critic}: ')}\n",
                style="dim",
            )
        )
    console.print(plain(f"{len(shown)} of {len(found)} rejected drafts."))


def show_trace(run: Path, database_url: str | None, wanted: str, *, as_json: bool) -> None:
    """Print the steps of the committee for one unit."""
    with closing(_opened(run, database_url)) as context:
        steps = steps_of(context.store, wanted, run)
        if as_json:
            print_json([step.model_dump(mode="json") for step in steps])
            return
        console = wide_console()
        asked = requests_of(context.folder, [key for step in steps for key in step.calls])
        for step in steps:
            _print_step(console, step)
            for key in step.calls:
                for entry in asked.get(key, []):
                    _print_request(console, entry)


def _print_request(console: Console, entry: Entry) -> None:
    usage = entry.reply.usage if entry.reply else None
    tokens = entry.error or ""
    if usage:
        read, written = ("not known" if n is None else f"{n}" for n in (usage.input_tokens, usage.output_tokens))
        tokens = f"{read} + {written} tokens"
    cost = f", ${entry.reply.cost:.6f}" if entry.reply and entry.reply.cost else ""
    model = f"{entry.call.provider}:{entry.call.model}"
    line = f"     call {entry.call.key[:8]}  {entry.role} by {model}: {entry.outcome.value}, {tokens}{cost}"
    console.print(plain(f"{line}, {entry.latency_s:.2f} s", style="dim"))


def _print_step(console: Console, step: Step) -> None:
    head = f"{step.number:3d}  {step.role}"
    verdict = f"  [{step.verdict}]" if step.verdict else ""
    console.print(plain(f"{head}{verdict}  {step.duration_s * 1000:.1f} ms", style="bold"))
    for label, text in (("in ", step.input), ("out", step.output)):
        first, *rest = (text or "-").splitlines() or ["-"]
        console.print(plain(f"     {label}  {first}"))
        for line in rest[:12]:
            console.print(plain(f"          {line}"))
        if len(rest) > 12:
            console.print(plain(f"          ... {len(rest) - 12} more lines (--json shows all)"))
