"""`viva oral`: examine systems orally, until every knowledge unit has a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.run.options import OralOptions
from viva.cli.settings import settings_given
from viva.cli.terminal.process import long_command
from viva.cli.terminal.tables import percent_told
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.core.note_words import note_sentence, worded
from viva.core.records import UnitStatus
from viva.core.scores import Estimate
from viva.core.scores_oral import OralRow, OralScore
from viva.graphs.context import RunContext
from viva.graphs.oral_exam.record import kept_problem, kept_scores
from viva.reports.sections.oral_words import headline, types_in_words

if TYPE_CHECKING:
    from viva.graphs.oral_exam.conduct import Examination

_LIMITS = ("questions", "tries", "flat")
_COVERED = (UnitStatus.CORRECT, UnitStatus.INCORRECT)
_UNITS_SHOWN, _CLUSTERS_SHOWN = 12, 12


def oral_run(given: OralOptions) -> None:
    """Examine the named systems."""
    # langgraph takes seconds to import, and a look at a run needs none of it
    from viva.graphs.oral_exam.conduct import examine_orally
    from viva.graphs.oral_exam.state import Limits
    from viva.graphs.resources.casts import check_models

    folder = given.run
    if not given.examinee:
        raise UsageError(
            "No system is named.",
            next_step=f"Name one: viva oral {folder} --examinee my_rag.py:answer",
        )
    # not remembered for later stages: the next plain sitting must not be this examinee's
    settings = settings_given(given, folder)
    if not settings.model:
        raise UsageError(GONE["oral examination by rules"])
    context = RunContext(folder, settings)
    limits = Limits(**{name: value for name in _LIMITS if (value := getattr(given, name)) is not None})
    with long_command() as watch:
        context.watch = watch
        context.candidates.check()
        check_models(context.settings, context.models)
        found = examine_orally(context, limits)
    if given.json:
        print_json(_as_json(folder, found))
    else:
        console = wide_console()
        for each in found:
            _print(console, each)
    if context.stopped is not None:
        raise context.stopped


def _as_json(folder: Path, found: list[Examination]) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "plan": found[0].plan.model_dump(mode="json"),
        "examinations": [
            {**each.score.model_dump(mode="json", context=worded()), "asked_now": each.asked_now} for each in found
        ],
    }


# --- as text ----------------------------------------------------------------------------------------------


def _print(console: Console, found: Examination) -> None:
    score = found.score
    console.print(plain(score.examinee.name, style="bold"))
    console.print(plain(f"  {headline(score)}"))
    console.print(
        plain(
            f"  Correct: {score.correct}. Incorrect: {score.incorrect}. Given up (asked about alone, and not in the "
            f"answer): {score.given_up}. Open: {score.open}."
        )
    )
    console.print(plain(f"  {score.how_clustered}"))
    console.print(plain(f"  Ended: {score.reason}."))
    earlier = score.questions - found.asked_now
    forms = _listed(score.forms)
    before = f"; {earlier} of them were asked before" if earlier > 0 else ""
    console.print(plain(f"  Questions: {score.questions} ({forms}){before}."))
    console.print(plain(f"  {types_in_words(score)}"))
    for said, counts in (("Answers", score.flags), ("Failed", score.failures)):
        if counts:
            console.print(plain(f"  {said}: {_listed(counts)}."))
    if score.contradictions or score.unjudged:
        console.print(
            plain(f"  Units contradicted later: {score.contradictions}. Answers not judged: {score.unjudged}.")
        )
    _print_rounds(console, score)
    _print_rows(console, score.by_cluster)
    _print_roles(console, score)
    _print_ability(console, score)
    _print_uncovered(console, found)


def _print_rounds(console: Console, score: OralScore) -> None:
    table = _table("Rounds", "round", "questions", "units asked about", "covered", "correct", "given up")
    for row in score.rounds:
        table.add_row(*map(str, (row.round, row.questions, row.asked, row.covered, row.correct, row.given_up)))
    console.print(table)


def _print_rows(console: Console, rows: tuple[OralRow, ...]) -> None:
    table = _table(
        "Clusters, least known first", "cluster", "units", "correct", "incorrect", "given up", "open", "known"
    )
    ranked = sorted(rows, key=lambda row: (row.known.value if row.known else 1.0, row.level))
    for row in ranked[:_CLUSTERS_SHOWN]:
        counts = map(str, (row.units, row.correct, row.incorrect, row.given_up, row.open))
        table.add_row(plain(row.level), *counts, percent_told(row.known))
    console.print(table)
    if len(ranked) > _CLUSTERS_SHOWN:
        console.print(plain(f"  and {len(ranked) - _CLUSTERS_SHOWN} more clusters (--json shows all)"))


def _print_roles(console: Console, score: OralScore) -> None:
    for use in score.roles:
        tokens = "tokens not counted" if use.tokens is None else f"{use.tokens:,} tokens"
        cost = f", ${use.cost:.4f}" if use.cost is not None else ""
        console.print(plain(f"  {use.role}: {use.calls:,} calls, {tokens}{cost}"))


def _print_ability(console: Console, score: OralScore) -> None:
    ability = score.ability
    if ability is None:
        console.print(plain(f"  {score.why_no_ability}"))
        return
    alone = _interval(ability.alone) if ability.alone else "not measured"
    scale = "" if ability.linked or ability.alone is None else " (each on a scale of its own)"
    console.print(
        plain(f"  Ability by the exam alone: {alone}; with the oral examination: {_interval(ability.joined)}{scale}.")
    )
    for note in ability.notes:
        console.print(plain(f"    {note_sentence(note)}"))


def _print_uncovered(console: Console, found: Examination) -> None:
    covered = {each.unit_id for each in found.score.outcomes if each.status in _COVERED}
    never = [unit for unit in found.plan.units if unit.id not in covered]
    if never:
        console.print(plain(f"  Never covered ({len(never)}):"))
    for unit in never[:_UNITS_SHOWN]:
        console.print(plain(f"    {unit.description}"))
    if len(never) > _UNITS_SHOWN:
        console.print(plain(f"    and {len(never) - _UNITS_SHOWN} more (--json shows all)"))


def _table(title: str, *names: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in names:
        table.add_column(name, justify="left" if name == "cluster" else "right", no_wrap=name != "cluster")
    return table


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _interval(found: Estimate) -> str:
    return f"{found.value:+.1f} (95%: {found.low:+.1f} to {found.high:+.1f})"


def announce_oral(context: RunContext) -> None:
    """Print on standard error, before any system is asked, how much the oral examination will ask."""
    from viva.graphs.oral_exam.stage import announced

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for sentence in announced(context.settings, context.candidates.specs):
        console.print(plain(sentence))


def print_examined(console: Console, context: RunContext) -> None:
    """Print one line for each examinee, and the problem if there was one."""
    for score in kept_scores(context.store):
        console.print(plain(f"Oral examination of {score.examinee.name}: {headline(score)} Ended: {score.reason}."))
    problem = kept_problem(context.store)
    if problem:
        console.print(plain(f"Oral examination: {problem}"))
