"""What is told of a refinement: how it ended, what its reader must know, where its items are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from viva.core.refinement import Refinement
from viva.optimizers.panel import FEWEST, Split

ENDS = {
    "nothing to drop": "no item was left that had to go",
    "no growth": "the last round did not add to what the exam tells, and was taken back",
    "too few items": "another round would have left too few items",
    "rounds": "the rounds that were allowed are done",
}
ADDING_ENDS = {
    **ENDS,
    "nothing to drop": "nothing was lacking, or nothing was left to add",
}
WENT = "dropped in refining"


def notes_on_split(split: Split, names: Mapping[str, str]) -> list[str]:
    """Who had a say, where that is not everybody once."""
    notes = []
    if not split.judging:
        notes.append(
            f"Too few examinees to keep any for judging ({len(split.choosing)} that answer differently and have not "
            f"chosen items before; it takes {2 * FEWEST}): each step is judged by the same answers that chose the "
            "items, which flatters it."
        )
    if split.copies:
        copies = ", ".join(f"{names[copy]} as {names[original]}" for copy, original in split.copies)
        notes.append(f"Counted once, because they gave the same answers throughout: {copies}.")
    return notes


def notes_on_exam(made: Refinement) -> tuple[str, ...]:
    """What the reader of the exam must know."""
    if not made.changed:
        return ()
    chosen = f"{len(made.chosen_by)} of the examinees"
    told = f"This exam was refined: by the answers of {chosen} it was chosen what stays, so that it tells these apart"
    return (f"{told} a little better than it will others.",)


def left_out_after(
    before: Mapping[str, int], *, written: int, twice: int, lost: int = 0, came_from: Sequence[str] = ()
) -> dict[str, int]:
    """Accepted items that are not in the exam, by reason, when some were written, some went and some came.

    `written` were accepted since, `twice` of all were written twice; `lost` items went; `came_from` names the reason
    for which each item that came had been left out: what that reason does not hold is taken from the largest.
    """
    left = Counter(before)
    repeated = twice - left["written twice"]
    left["written twice"] += repeated
    left["from chunks beyond this exam"] += written - repeated
    left[WENT] += lost
    for reason in came_from:
        left[reason if left[reason] else max(left, key=lambda name: (left[name], name))] -= 1
    return {reason: count for reason, count in sorted(left.items()) if count}
