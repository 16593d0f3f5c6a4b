"""From what an answer says of the options to the one that it means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from viva.examinees.choices.result import ChoiceReading, NoChoice, ReadFrom
from viva.examinees.choices.statements import Statement, Weight


@dataclass
class Decision:
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
    letters: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, found: Iterable[Statement], count: int) -> Decision:
        """The decision that follows from these statements."""
        decision = cls(count)
        for each in found:
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
            self.right_after |= statement.options if statement.weight is Weight.RIGHT else set()

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
            if weight is Weight.ALONE and len(options) == self.count > 2:
                continue  # the options, written out once more
            if options and refused and weight is Weight.ALONE:
                return ChoiceReading.none(NoChoice.REFUSED), weight
            if options and self.doubted - options:
                return ChoiceReading.none(NoChoice.UNDECIDED), weight
            if options:
                return self._one_of(options), weight
        return self._mentioned(bold, refused=refused), Weight.MENTIONED

    def _finally(self, final: Statement) -> ChoiceReading:
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
        return ChoiceReading.none(NoChoice.ONLY_REJECTED if self.rejected else NoChoice.NO_OPTION)

    def _one_of(self, options: set[int]) -> ChoiceReading:
        if len(options) != 1:
            return ChoiceReading.none(NoChoice.SEVERAL if options else NoChoice.NO_OPTION)
        option = next(iter(options))
        return ChoiceReading(option, ReadFrom.LETTER if option in self.letters else ReadFrom.TEXT)
