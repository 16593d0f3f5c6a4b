"""The blueprint: which share of an exam goes to which topic, question type, Bloom level, difficulty and kind.

A facet that the blueprint does not name is left to chance; so is the share that its named levels leave over.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import Field

from viva.core.errors import UsageError
from viva.core.records import BloomLevel, Difficulty, Item, ItemKind, QuestionType, Record


class Facet(StrEnum):
    """What a blueprint gives shares to."""

    TOPIC = "topic"
    TYPE = "type"
    BLOOM = "bloom"
    DIFFICULTY = "difficulty"
    KIND = "kind"


LEVELS: dict[Facet, type[StrEnum]] = {
    Facet.TYPE: QuestionType,
    Facet.BLOOM: BloomLevel,
    Facet.DIFFICULTY: Difficulty,
    Facet.KIND: ItemKind,
}
"""The levels of each facet; a topic is whatever the documents name."""
ABOVE_RECALL = 0.35
"""Share of the questions that should ask for more than remembering, where models write and no level is wished."""
EXAMPLE = "kind.multi-hop=0.1,bloom.apply=0.3,topic.Billing=0.5"
LARGEST_FILE = 1_000_000
_ROUNDING = 1e-9


class LevelFill(Record):
    """How one share of a blueprint was filled. Counts are items."""

    facet: Facet
    level: str
    share: float
    wanted: int = Field(description="the share of the exam as it came out")
    available: int = Field(description="among the items that the exam was chosen from")
    got: int
    reason: str = Field(default="", description="why the share was missed, in words; '' where it was met")


class Blueprint(Record):
    """Shares in [0, 1] by facet and level. Those of a facet sum to 1 at most.

    A share of 0 keeps a level out of the exam. Of the kinds, single-hop has what the others leave, and is not named.
    """

    shares: dict[Facet, dict[str, float]] = Field(default_factory=dict)

    @classmethod
    def read(cls, given: str) -> Self:
        """From a TOML or JSON file, from JSON as `canonical` writes it, or from 'facet.level=share,...'.

        UsageError for a file that cannot be read, an unknown facet or level, and shares that cannot be.
        """
        text = given.strip()
        if not text:
            return cls()
        if text.startswith("{"):
            return cls._checked(_parsed(text, json_text=True, named="The blueprint"))
        if Path(text).suffix.lower() in {".toml", ".json"} or "=" not in text:
            path = Path(text)
            return cls._checked(_parsed(_text_of(path), json_text=path.suffix.lower() == ".json", named=text))
        return cls._checked(_inline(text))

    @classmethod
    def _checked(cls, found: Mapping[str, Any]) -> Self:
        shares: dict[Facet, dict[str, float]] = {}
        for name, levels in found.items():
            facet = _facet(name)
            if facet in shares or not isinstance(levels, dict):
                raise UsageError(f"The blueprint's {facet} is not one table of shares.", allowed=_form())
            read = [(_level(facet, str(level)), _share(facet, level, share)) for level, share in levels.items()]
            shares[facet] = dict(sorted(read))
            if len(shares[facet]) < len(read):
                raise UsageError(f"The blueprint names a level of {facet} twice.")
            total = math.fsum(shares[facet].values())
            if total > 1 + _ROUNDING:
                raise UsageError(
                    f"The blueprint's shares of {facet} sum to {total:g}.", allowed="They sum to 1 at most."
                )
        kinds = shares.get(Facet.KIND, {})
        if ItemKind.SINGLE_HOP in kinds:
            if abs(math.fsum(kinds.values()) - 1) > _ROUNDING:
                raise UsageError(
                    "The blueprint's shares of kind name single-hop and do not sum to 1.",
                    allowed="Single-hop has what the other kinds leave: it need not be named.",
                )
            del kinds[ItemKind.SINGLE_HOP]
        return cls(shares={facet: shares[facet] for facet in Facet if shares.get(facet)})

    @property
    def canonical(self) -> str:
        """The same blueprint as the same JSON, however it was written; '' for none."""
        return json.dumps(self.shares, sort_keys=True, ensure_ascii=True) if self.shares else ""

    @property
    def kinds(self) -> dict[ItemKind, float]:
        """The share of every kind; they sum to 1."""
        named = self.shares.get(Facet.KIND, {})
        others: dict[ItemKind, float] = {
            kind: named.get(kind, 0.0) for kind in ItemKind if kind is not ItemKind.SINGLE_HOP
        }
        rest = 1 - math.fsum(others.values())
        return {ItemKind.SINGLE_HOP: rest if rest > _ROUNDING else 0.0, **others}

    @property
    def main(self) -> ItemKind:
        """The kind of the largest share."""
        kinds = self.kinds
        return max(kinds, key=lambda kind: kinds[kind])

    def check_topics(self, topics: Iterable[str]) -> None:
        """UsageError where a share is given to a topic that is not among these."""
        known = sorted({topic for topic in topics if topic})
        unknown = [topic for topic in self.shares.get(Facet.TOPIC, {}) if topic not in known]
        if unknown:
            listed = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
            raise UsageError(
                f"The blueprint names the topic {unknown[0]!r}, and no document is about it.",
                allowed=f"Topics of these documents: {listed}." if known else "These documents name no topics.",
            )

    def wanted(self, facet: Facet, size: int) -> dict[str, int]:
        """Items of each named level in an exam of this size, by largest remainders, so that sums are kept."""
        exact = {level: share * size for level, share in self.shares.get(facet, {}).items()}
        whole = {level: math.floor(amount + _ROUNDING) for level, amount in exact.items()}
        missing = min(size, round(math.fsum(exact.values()))) - sum(whole.values())
        by_remainder = sorted(exact, key=lambda level: (-round(exact[level] - whole[level], 9), level))
        return {level: whole[level] + (level in by_remainder[: max(missing, 0)]) for level in exact}


def asks_more(item: Item) -> bool:
    """Whether it asks for more than remembering."""
    return any(level is not BloomLevel.REMEMBER for level in item.bloom)


def levels_of(item: Item, facet: Facet) -> tuple[str, ...]:
    """The levels an item counts to: several of Bloom's where it has several, none where it is not known."""
    match facet:
        case Facet.TOPIC:
            return (item.topic,)
        case Facet.TYPE:
            return (item.question_type.value,)
        case Facet.BLOOM:
            return tuple(level.value for level in item.bloom)
        case Facet.DIFFICULTY:
            return (item.difficulty.value,) if item.difficulty else ()
        case Facet.KIND:
            return (item.kind.value,)


def _form() -> str:
    return f"Shares by {', '.join(Facet)}, as a TOML or JSON file with a table for each, or as {EXAMPLE}."


def _text_of(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size > LARGEST_FILE:
            raise UsageError(f"The blueprint {path} is larger than 1 MB.", allowed=_form())
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        told = error.strerror or "it cannot be opened"
        raise UsageError(f"The blueprint {str(path)!r} cannot be read: {told}.", allowed=_form()) from error
    except ValueError as error:
        raise UsageError(f"The blueprint {str(path)!r} is not text in UTF-8.", allowed=_form()) from error


def _parsed(text: str, *, json_text: bool, named: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_once) if json_text else tomllib.loads(text)
    except RecursionError as error:
        raise UsageError(f"{named} is nested too deeply.", allowed=_form()) from error
    except ValueError as error:
        kind = "JSON" if json_text else "TOML"
        raise UsageError(f"{named} is no {kind} that can be read: {error}.", allowed=_form()) from error
    if not isinstance(found, dict):
        raise UsageError(f"{named} holds no table.", allowed=_form())
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice in one table")
    return dict(pairs)


def _inline(text: str) -> dict[str, dict[str, float]]:
    """From 'facet.level=share,...'. A topic whose name holds a comma needs a file."""
    found: dict[str, dict[str, float]] = {}
    for part in text.split(","):
        name, equals, share = part.rpartition("=")
        facet, dot, level = name.partition(".")
        if not equals or not dot or not level.strip():
            raise UsageError(f"In the blueprint, {part.strip()!r} is no facet.level=share.", allowed=_form())
        levels = found.setdefault(facet.strip(), {})
        if level.strip() in levels:
            raise UsageError(f"The blueprint names {name.strip()} twice.")
        try:
            levels[level.strip()] = float(share)
        except ValueError as error:
            raise UsageError(
                f"In the blueprint, the share of {name.strip()} is {share.strip()!r}.",
                allowed="A number from 0 to 1, such as 0.3.",
            ) from error
    return found


def _facet(name: str) -> Facet:
    try:
        return Facet(name.strip().lower())
    except ValueError as error:
        raise UsageError(f"The blueprint names the facet {name!r}.", allowed=f"{', '.join(Facet)}.") from error


def _level(facet: Facet, name: str) -> str:
    if facet is Facet.TOPIC:
        if not name.strip():
            raise UsageError("The blueprint gives a share to a topic without a name.")
        return name.strip()
    try:
        return LEVELS[facet](name.strip().lower().replace("_", "-").replace(" ", "-")).value
    except ValueError as error:
        raise UsageError(
            f"The blueprint names {name!r} as a level of {facet}.", allowed=f"{', '.join(LEVELS[facet])}."
        ) from error


def _share(facet: Facet, level: object, share: object) -> float:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise UsageError(
            f"In the blueprint, the share of {facet}.{level} is {share!r}.",
            allowed="A number from 0 to 1, such as 0.3.",
        )
    return float(share)
