"""The work of `viva label`: answers on the terminal and in files, and their labels in the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from viva.cli.exam.review import answer, named_reviewer
from viva.cli.judges.label_files import read_labels, rows_of, write_answers
from viva.cli.settings import settings_of
from viva.cli.terminal.escape import plain
from viva.core.errors import UsageError
from viva.core.records import Examinee
from viva.core.records.labels import LABELS, Label, drawn_scores, standing
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import reference_of
from viva.graphs.grading.labels import (
    Drawn,
    answers_to_label,
    in_draw_order,
    labelled_by,
    left_to_draw,
    systems_with_figure,
)
from viva.metrics.judges.labelled_systems import LEAST

_CHOICES = "y right, n wrong, p partly, s skip, b back, q quit"
_WORDS = {
    "y": "y",
    "yes": "y",
    "1": "y",
    "n": "n",
    "no": "n",
    "0": "n",
    "p": "partial",
    "partial": "partial",
    ".5": "partial",
    "0.5": "partial",
}


@dataclass(frozen=True)
class Order:
    """The options of the command."""

    number: int
    by: str | None
    seed: int | None
    per_system: bool
    systems: tuple[str, ...]


@dataclass
class LabelWork:
    """The answers in the order of labelling, and the labels of this person so far."""

    context: RunContext
    order: Order
    by: str
    seed: int
    drawn: list[Drawn]
    labels: dict[str, Label] = field(default_factory=dict)

    @property
    def labelled(self) -> int:
        """Answers that the draw brought up, and that this person has scored."""
        given = (self.labels.get(each.response.id) for each in self.drawn)
        return sum(label is not None and label.score is not None and label.seed is not None for label in given)

    @property
    def wanted(self) -> int:
        """Answers that this person labels in all."""
        return min(self.order.number, len(self.drawn))

    def score_of(self, each: Drawn) -> float | None:
        """The score by this person; None without one, and for a skipped answer."""
        label = self.labels.get(each.response.id)
        return None if label is None else label.score

    def keep(self, labels: Sequence[Label]) -> None:
        """Store labels on disk, then in memory."""
        self.context.store.add_labels(labels)
        self.labels |= {label.response_id: label for label in labels if label.by == self.by}

    def say(self, each: Drawn, score: float | None) -> None:
        """Store one label."""
        self.keep([Label(response_id=each.response.id, by=self.by, at=_now(), score=score, seed=self.seed)])

    def standing(self) -> dict[str, object]:
        """The number of labels by all people."""
        given = drawn_scores(self.context.store.labels())
        ids = {each.response.id for each in self.drawn}
        said = {i: by for i, by in given.items() if i in ids}
        enough, systems = systems_with_figure(self.drawn, said)
        return {
            "folder": str(self.context.folder),
            "answers": len(self.drawn),
            "labelled": len(said),
            "by": dict(sorted(Counter(person for by in said.values() for person in by).items())),
            "systems": systems,
            "systems_with_labels_enough": enough,
            "labels_needed": LEAST,
            "seed": self.seed,
        }

    def told(self) -> list[Text]:
        """The same in words, and the next command."""
        standing = self.standing()
        total = f"{standing['labelled']} of {standing['answers']} open answers are labelled"
        lines = [f"{total}, {self.labelled} of them by {self.by}."]
        enough, systems, least = (standing[k] for k in ("systems_with_labels_enough", "systems", "labels_needed"))
        if enough:
            of = "of each system" if enough == systems else f"of {enough} of {systems} systems"
            lines.append(f"That is enough for a figure {of}. Next: viva score {self.context.folder}")
        if enough != systems:
            begun = "Each of the others needs" if enough else "There is no figure yet. It needs"
            lines.append(f"{begun} {least} labels of a system's answers.")
        return [plain(line) for line in lines]


@contextmanager
def opened_labels(run: Path, database_url: str | None, order: Order) -> Iterator[LabelWork]:
    """The answers of the run that are labelled, in the order of the draw."""
    with closing(RunContext(run, settings_of({"database_url": database_url} if database_url else {}))) as context:
        by = named_reviewer(order.by, "--by")
        exam = stages.exam_of(context.store, context.folder)
        asked_for = [each for each in stages.as_asked_for(context.store) if not each.manufactured]
        answers = answers_to_label(context.store, exam, _named(asked_for, order.systems))
        seed = order.seed if order.seed is not None else int(context.store.run.settings.get("seed") or 0)
        drawn = in_draw_order(answers, seed, per_system=order.per_system)
        yield LabelWork(context, order, by, seed, drawn, labelled_by(context.store, by))


def _named(examinees: Sequence[Examinee], names: Sequence[str]) -> list[Examinee]:
    known = {each.name for each in examinees}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"No system {unknown[0]!r} took this exam.", allowed=f"{', '.join(sorted(known))}.")
    return [each for each in examinees if not names or each.name in names]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# --- on the terminal ----------------------------------------------------------------------------------------


class Session:
    """Continues the draw where this person stopped. Reads one answer per line; the end of input means quit."""

    def __init__(self, console: Console, work: LabelWork) -> None:
        self._console = console
        self._work = work

    def hold(self) -> None:
        """Ask until the wanted number of answers is labelled."""
        work, asked = self._work, list[int]()
        place = self._next(0)
        while place is not None:
            self._show(place)
            said = self._read(can_go_back=bool(asked) or place > 0)
            if said == "quit":
                return
            if said == "back":
                place = asked.pop() if asked else place - 1
                continue
            work.say(work.drawn[place], LABELS.get(said))
            asked.append(place)
            place = self._next(place + 1)

    def _next(self, start: int) -> int | None:
        """The next that was not drawn for this person before; None if enough are labelled, or none is left."""
        work = self._work
        if work.labelled >= work.wanted:
            return None
        ids = (each.response.id for each in work.drawn[start:])
        return next((n for n, own in enumerate(ids, start) if left_to_draw(work.labels.get(own))), None)

    def _read(self, *, can_go_back: bool) -> str:
        while True:
            line = answer(self._console, "? ")
            word = "q" if line is None else line.strip().casefold()
            if word in _WORDS:
                return _WORDS[word]
            match word:
                case "s" | "skip":
                    return "skip"
                case "q" | "quit":
                    return "quit"
                case "b" | "back" if can_go_back:
                    return "back"
                case "b" | "back":
                    self._console.print(plain("This is the first answer."))
                case _:
                    self._console.print(plain(_CHOICES))

    def _show(self, place: int) -> None:
        work, console = self._work, self._console
        each = work.drawn[place]
        console.print(plain(f"\nAnswer {place + 1}, {work.labelled} of {work.wanted} labelled  ({_CHOICES})"))
        console.print(plain(" ".join(each.shown.item.stem.split()), style="bold"))
        console.print(plain(f"   right: {' '.join(reference_of(each.shown.item).split())}"))
        for span in each.shown.item.evidence:
            console.print(plain(f"   source: “{' '.join(span.quote.split())}”", style="dim"))
        lines = each.response.text.splitlines() or [""]
        for n, line in enumerate(lines):
            console.print(plain(f"{'   answer: ' if n == 0 else '           '}{line}"))
        if (before := work.score_of(each)) is not None:
            console.print(plain(f"   you said: {before:g}", style="dim"))


# --- in files -----------------------------------------------------------------------------------------------


def written(work: LabelWork, path: Path) -> None:
    """Write the first answers of the draw to a file, with the labels of this person."""
    chosen = work.drawn[: work.wanted]
    write_answers(path, rows_of(chosen, work.seed, {each.response.id: work.score_of(each) for each in chosen}))


def imported(work: LabelWork, path: Path) -> None:
    """Import all labels of the file, or none."""
    known = {each.response.id for each in work.drawn}
    held, kept = standing(work.context.store.labels()), list[Label]()
    for label in read_labels(path, known, work.by, _now(), _WORDS):
        before = held.get((label.response_id, label.by))
        # what was drawn stays drawn, also where a file without its draw corrects it
        seed = before.seed if before and label.seed is None else label.seed
        if before is None or (before.score, before.seed) != (label.score, seed):
            kept.append(label.model_copy(update={"seed": seed}))
    work.keep(kept)
