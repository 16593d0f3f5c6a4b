"""Labels of people for the open answers of a run, given in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from viva.api.result import Result
from viva.api.runs import open_run
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.core.records.labels import drawn_scores
from viva.graphs.grading.label_files import export_answers, import_labels, random_draw
from viva.graphs.grading.labels import systems_with_figure
from viva.metrics.judges.labelled_systems import LEAST


def label_answers(
    run: str | Path,
    by: str,
    *,
    export: str | Path | None = None,
    labelled: str | Path | None = None,
    number: int = 50,
    seed: int | None = None,
    systems: Sequence[str] = (),
    per_system: bool = False,
    count_only: bool = False,
    database_url: str | None = None,
) -> Result:
    """Write a random draw of open answers to a file, or read the labels of a person from one; how far that is.

    `export`: the file for `number` answers; `labelled`: the file with labels. The draw is of all answers or, with
    `per_system`, of each system equally many. With at least three labels for a system, scores of all its answers are
    corrected. `count_only`: neither writes nor reads a file.
    """
    if export is not None and labelled is not None:
        raise UsageError(
            "--export and --import are both given.", next_step="First export, then import the labelled file."
        )
    if export is None and labelled is None and not count_only:
        raise UsageError(GONE["label in the terminal"])
    with open_run(run, database_url=database_url).opened() as context:
        store = context.store
        seed = int(store.run.settings.get("seed") or 0) if seed is None else seed
        drawn = random_draw(context, systems, seed, per_system=per_system)
        if labelled is not None:
            import_labels(store, drawn, by, Path(labelled))
        elif export is not None:
            export_answers(store, drawn[:number], by, seed, Path(export))
        scores, ids = drawn_scores(store.labels()), {each.response.id for each in drawn}
    given = {response: people for response, people in scores.items() if response in ids}
    enough, of_all = systems_with_figure(drawn, given)
    people = Counter(person for scores in given.values() for person in scores)
    lines = [f"{len(given)} of {len(drawn)} open answers are labelled, {people[by]} of them by {by}."]
    if enough:
        of = "of each system" if enough == of_all else f"of {enough} of {of_all} systems"
        lines.append(f"That is enough for a figure {of}. Next: viva score {run}")
    if enough != of_all:
        begun = "Each of the others needs" if enough else "There is no figure yet. It needs"
        lines.append(f"{begun} {LEAST} labels of a system's answers.")
    record = {
        "folder": str(run),
        "answers": len(drawn),
        "labelled": len(given),
        "by": dict(sorted(people.items())),
        "systems": of_all,
        "systems_with_labels_enough": enough,
        "labels_needed": LEAST,
        "seed": seed,
    }
    return Result("", (), tuple(lines), record)
