"""`viva exam review`: a person goes through an exam, question by question."""

from __future__ import annotations

import getpass
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from rich.console import Console

from viva.cli.exam.source import Opened, opened
from viva.cli.terminal.console import print_json, wide_console
from viva.cli.terminal.escape import harmless, plain
from viva.core.errors import UsageError
from viva.core.records import ExamItem, Trial
from viva.core.wording import option_letter
from viva.exams.file import write_exam
from viva.exams.review import (
    REVIEWS_FILE,
    Decision,
    Edit,
    EditedField,
    ReviewLog,
    ReviewProgress,
    checked_text,
    part,
    reviewed_exam,
    standings,
)
from viva.metrics.item_writing.defects import defects
from viva.reports.sections.items import why_wrong

_CHOICES = "a accept, e edit, r reject, s skip, q quit. A reason may follow: r two options are right"
_FIELDS = "Which text? stem, reference, or the letter of an option (Enter: none): "


def review_exam(
    path: Path,
    file_format: str | None,
    database_url: str | None,
    reviewer: str | None,
    *,
    finish: bool,
    as_json: bool,
) -> None:
    """Ask about every undecided question; write the exam when all are decided, or with `finish`."""
    by = named_reviewer(reviewer, "--reviewer")
    with opened(path, database_url, file_format) as found:
        console = Console(stderr=True, highlight=False, soft_wrap=True) if as_json else wide_console()
        for note in found.notes:
            console.print(plain(f"Note: {note}"))
        log = ReviewLog(_log_path(found))
        review = ReviewScreen(console, found, log, by)
        if not finish:
            review.hold()
        undecided = sum(standing.settled is None for standing in review.standings)
        result = _made(found, log) if finish or not undecided else None
        told = _told(review.standings, log, result)
    if as_json:
        print_json(told)
    else:
        _print_end(console, path, told)


def named_reviewer(given: str | None, option: str) -> str:
    """The name of the person: as the option says, else that of the account. UsageError if neither is known."""
    if given is not None:
        return checked_text(given, option)
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError(
            "The name of your account is not known.", next_step=f"Give your name: {option} NAME"
        ) from error


def _log_path(found: Opened) -> Path:
    """The path of the log: in the run folder, or next to the file and named after it."""
    return found.path / REVIEWS_FILE if found.context else found.path.with_name(f"{found.path.stem}.{REVIEWS_FILE}")


class ReviewScreen:
    """Continues where the log ends. Reads one answer per line; the end of input means quit."""

    def __init__(self, console: Console, found: Opened, log: ReviewLog, by: str) -> None:
        """Review this exam as this person."""
        self._console = console
        self._log = log
        self._by = by
        self._exam = found.exam
        self._documents = {i: d.path for i, d in found.context.documents.items()} if found.context else {}
        self.standings = standings(self._exam, log.read())

    def hold(self) -> None:
        """Ask about each undecided question once."""
        for place in range(len(self.standings)):
            if self.standings[place].settled is None and not self._decide(place):
                return

    def _decide(self, place: int) -> bool:
        """Ask about one question until it is decided or skipped; False to quit."""
        self._show(place)
        while self.standings[place].settled is None:
            line = answer(self._console, "? ")
            choice, _, note = (line or "").strip().partition(" ")
            match choice.casefold():
                case "q" | "quit":
                    return False
                case "" if line is None:
                    return False
                case "s" | "skip":
                    return True
                case "a" | "accept":
                    self._record(place, "accept", note=note.strip())
                case "r" | "reject":
                    self._record(place, "reject", note=note.strip())
                case "e" | "edit":
                    self._edit(place)
                case _:
                    self._console.print(plain(_CHOICES))
                    continue
            if self.standings[place].settled is None:
                self._show(place)
        return True

    def _edit(self, place: int) -> None:
        name = answer(self._console, _FIELDS)
        if name is None or not name.strip():
            return
        try:
            field, before = _named(self.standings[place].shown, name.strip())
        except UsageError as error:
            self._console.print(plain(error.problem))
            return
        after = answer(self._console, "New text (Enter: no change): ", before)
        if after is not None and after.strip() not in {"", before}:
            self._record(place, "edit", edit=Edit(field=field, before=before, after=after.strip()))

    def _record(
        self, place: int, decision: Literal["accept", "edit", "reject"], note: str = "", edit: Edit | None = None
    ) -> None:
        """Store a decision on disk, then in memory. Where it cannot be, or another decided meanwhile, print why."""
        asked = self.standings[place]
        try:
            made = Decision(
                item=asked.shown.item.id,
                unit=asked.shown.item.provenance.unit_id,
                decision=decision,
                by=self._by,
                at=datetime.now(UTC).isoformat(timespec="seconds"),
                note=checked_text(note, "The note") if note else "",
                edit=edit,
            )
        except UsageError as error:
            self._console.print(plain(str(error)))
            return
        with self._log.deciding():
            self.standings = standings(self._exam, self._log.read())
            try:
                self.standings[place].check_seen(asked.seen)
                standing = self._after(place, made)
            except UsageError as error:
                self._console.print(plain(str(error)))
                return
            self._log.append(made)
        self.standings[place] = standing

    def _after(self, place: int, made: Decision) -> ReviewProgress:
        standing = self.standings[place].after(made)
        others = {each.shown.item.id for n, each in enumerate(self.standings) if n != place}
        if standing.shown.item.id in others:
            raise UsageError(
                "Another question of this exam has the same wording.", next_step="Choose another wording."
            )
        return standing

    def _show(self, place: int) -> None:
        console, shown = self._console, self.standings[place].shown
        item = shown.item
        reasons = {wrong.text: why_wrong(wrong) for wrong in item.distractors}
        decided = sum(standing.settled is not None for standing in self.standings)
        console.print(plain(f"\nQuestion {place + 1} of {len(self.standings)}, {decided} decided  {item.id[:8]}"))
        console.print(plain(item.stem, style="bold"))
        for n, option in enumerate(shown.options):
            mark = "*" if n == shown.key_position else " "
            console.print(plain(f" {mark} {option_letter(n)}) {option}"))
            if why := reasons.get(option):
                console.print(plain(f"      {why}", style="dim"))
        console.print(plain(f"   reference: {item.reference_answer}"))
        for span in item.evidence:
            where = self._documents.get(span.document_id, "evidence")
            console.print(plain(f"   {where}: “{' '.join(span.quote.split())}”", style="dim"))
        for context in item.contexts:
            console.print(plain(f"   context: “{' '.join(context.split())}”", style="dim"))
        if item.trials:
            console.print(plain(f"   readers: {', '.join(map(_trial, item.trials))}"))
        for review in self.standings[place].reviews:
            console.print(plain(f"   {review.decision} by {review.by}, {review.at}. {review.note}", style="dim"))
        for defect in defects(item.stem, item.key, [wrong.text for wrong in item.distractors], item.language):
            console.print(plain(f"   ! {defect.code}: {defect.reason}", style="yellow"))
        console.print(plain(_CHOICES))


def _trial(trial: Trial) -> str:
    how = "with the evidence" if trial.with_evidence else "blind"
    return f"{trial.reader} {trial.picked}/{trial.tried} {how}"


def _named(shown: ExamItem, name: str) -> tuple[EditedField, str]:
    """The part of the item with this name, as an edit names it. UsageError if there is none."""
    letters = {option_letter(n).casefold(): n for n in range(len(shown.options))}
    match name.casefold():
        case "stem":
            return "stem", shown.item.stem
        case "reference":
            return "reference", shown.item.reference_answer
        case "key":
            return part(shown, shown.key_position)
        case letter if letter in letters:
            return part(shown, letters[letter])
    raise UsageError(f"This question has no part {name!r}.")


def answer(console: Console, prompt: str, prefilled: str = "") -> str | None:
    """A line from standard input; None at its end. On a terminal the old text is there to be edited."""
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            with _prefilled(harmless(prefilled)):
                return input(harmless(prompt))
        console.print(plain(prompt))
        line = sys.stdin.readline()
        return line.rstrip("\r\n") if line else None
    except EOFError:
        return None
    except UnicodeDecodeError as error:
        raise UsageError("The input is not text in the encoding of the terminal.", allowed="UTF-8.") from error


@contextmanager
def _prefilled(text: str) -> Iterator[None]:
    try:
        import readline
    except ImportError:  # not on every system: then the line starts empty
        yield
        return
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        yield
    finally:
        readline.set_startup_hook()


# --- the result -------------------------------------------------------------------------------------------


def _made(found: Opened, log: ReviewLog) -> Path:
    """Write the reviewed exam: as the latest exam of the run, or as a new file beside the old one."""
    if found.context is None:
        path = found.path.with_name(f"{found.path.stem}.reviewed.jsonl")
        write_exam(reviewed_exam(found.exam, standings(found.exam, log.read())), path)
        return path
    from viva.graphs.stages import EXAM_FILE, review
    from viva.storage.lock import run_lock

    with run_lock(found.path), found.context.store.server_lock():
        review(found.context, log.read())
    return found.path / EXAM_FILE


def _told(standing: Sequence[ReviewProgress], log: ReviewLog, result: Path | None) -> dict[str, object]:
    ended = Counter(each.settled for each in standing)
    return {
        "questions": len(standing),
        "accepted": ended["accept"],
        "edited": sum(each.is_edited and each.settled == "accept" for each in standing),
        "rejected": ended["reject"],
        "undecided": ended[None],
        "log": str(log.path),
        "exam": str(result) if result else None,
    }


def _print_end(console: Console, path: Path, told: Mapping[str, object]) -> None:
    console.print(
        plain(
            f"\n{told['accepted']} accepted ({told['edited']} of them edited), {told['rejected']} rejected, "
            f"{told['undecided']} undecided. Decisions: {told['log']}"
        )
    )
    if told["exam"]:
        console.print(plain(f"The reviewed exam: {told['exam']}"))
    else:
        console.print(
            plain(
                f"To continue, run the same command. To write the exam as it is now: viva exam review {path} --finish"
            )
        )
