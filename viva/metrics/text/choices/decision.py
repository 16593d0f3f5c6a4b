"""From what an answer says of the options to the one that it means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from viva.metrics.text.choices.result import ChoiceReading, NoChoice, ReadFrom
from viva.metrics.text.choices.statements import Statement, Weight


def _without_echo(found: list[Statement], count: int) -> list[Statement]:
    """Without the list of all options, in their order, where an answer repeats its question."""
    kept: list[Statement] = []
    for each in found:
        kept.append(each)
        run = kept[-count:]
        plain = not any(each.rejected or each.weight > Weight.ALONE for each in run)
        if count > 2 and plain and [each.options for each in run] == [{n} for n in range(count)]:
            del kept[-count:]
    return kept


@dataclass
class ChoiceDecision:
    """Takes the statements of an answer one after the other; the last final one counts."""

    count: int
    """of the options"""
    final: Statement | None = None
    right_after: set[int] = field(default_factory=set)
    """called right behind the final statement"""
    put: dict[Weight, set[int]] = field(default_factory=lambda: {weight: set() for weight in Weight})
    """by how firmly they are put forward, where nothing is final"""
    rejected: set[int] = field(default_factory=set)
    doubted: set[int] = field(default_factory=set)
    valueless: bool = False
    reason: NoChoice | None = None
    """of what was put forward and is no option"""
    letters: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, found: Iterable[Statement], count: int) -> ChoiceDecision:
        """The decision that follows from these statements."""
        decision = cls(count)
        for each in _without_echo(list(found), count):
            decision.take(each)
        return decision

    def take(self, statement: Statement) -> None:
        """One more, in the order of the answer."""
        self.letters |= statement.options if statement.letter else set()
        if statement.rejected:
            self._reject(statement.options)
        elif statement.valueless:
            self._forget(all_of_it=statement.why_none is NoChoice.NOT_AN_OPTION)
        elif statement.weight is Weight.FINAL:
            self.final = statement
            self.right_after = set()
            self.rejected -= statement.options
        elif statement.doubted:
            self.doubted |= statement.options
        else:
            self.put[statement.weight] |= statement.options
            self.reason = self.reason or statement.why_none
            if statement.weight is Weight.RIGHT:
                self.right_after |= statement.options
                self.doubted = set()

    def _reject(self, options: frozenset[int]) -> None:
        self.rejected |= options
        if self.final is not None and self.final.options & options:
            self.final = replace(self.final, why_none=NoChoice.CONTRADICTION)

    def _forget(self, *, all_of_it: bool) -> None:
        """A final statement named none of the options: what was only mentioned before decides nothing."""
        if self.final is not None:
            return
        self.valueless = True
        for weight in Weight if all_of_it else (Weight.MENTIONED,):
            self.put[weight] = set()

    # --- the end ---------------------------------------------------------------------------------------------

    def outcome(self, bold: int | None, *, refused: bool) -> tuple[ChoiceReading, Weight]:
        """What the answer means, and how firmly. `bold`: the one option in bold; `refused`: some words refuse."""
        if self.final is not None:
            return self._finally(self.final), Weight.FINAL
        for weight in (Weight.RIGHT, Weight.ALONE):
            options = self.put[weight] - self.rejected
            if options and refused and weight is Weight.ALONE:
                return ChoiceReading.none(NoChoice.REFUSED), weight
            doubted = self.doubted - self.rejected if weight is Weight.RIGHT else self.doubted
            if options and doubted - options:
                return ChoiceReading.none(NoChoice.UNDECIDED), weight
            if options:
                return self._one_of(options), weight
        return self._mentioned(bold, refused=refused), Weight.MENTIONED

    def _finally(self, final: Statement) -> ChoiceReading:
        if final.why_none is NoChoice.UNDECIDED and self.right_after:
            return self._one_of(self.right_after)
        if final.why_none is not None:
            return ChoiceReading.none(final.why_none)
        if self.right_after - final.options:
            return ChoiceReading.none(NoChoice.CONTRADICTION)
        return self._one_of(set(final.options))

    def _mentioned(self, bold: int | None, *, refused: bool) -> ChoiceReading:
        options = self.put[Weight.MENTIONED] - self.rejected
        if refused:
            return ChoiceReading.none(NoChoice.REFUSED)
        if self.doubted:
            return ChoiceReading.none(NoChoice.UNDECIDED)
        if bold in options:
            return self._one_of({bold})
        if options:
            return self._one_of(options)
        if self.valueless:
            return ChoiceReading.none(NoChoice.NOT_AN_OPTION)
        return ChoiceReading.none(NoChoice.ONLY_REJECTED if self.rejected else self.reason or NoChoice.NO_OPTION)

    def _one_of(self, options: set[int]) -> ChoiceReading:
        if self.reason is NoChoice.CONTRADICTION and self.final is None:
            return ChoiceReading.none(NoChoice.CONTRADICTION)
        if len(options) != 1:
            return ChoiceReading.none(NoChoice.SEVERAL if options else NoChoice.NO_OPTION)
        option = next(iter(options))
        return ChoiceReading(option, ReadFrom.LETTER if option in self.letters else ReadFrom.TEXT)
