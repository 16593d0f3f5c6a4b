"""Questions put without their options: which of them can be, and the items they become."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.core.records import Item, ItemKind
from viva.core.text.languages.phrase_lookup import phrases
from viva.core.text.overlap import plain
from viva.metrics.item_writing.wording import asks_for_statement

_ENDS = ("?", "？", "؟")
_OF_THESE = re.compile(
    r"\bwhich (?:one )?of (?:these|those)\b"
    r"|\bwelche[rsn]? (?:davon|dieser|von diesen)\b"
    r"|\b(?:lequel|laquelle|lesquels|lesquelles) (?:de ces|d'entre)\b"
    r"|\bcuál(?:es)? de (?:est[ao]s|ell[ao]s)\b",
    re.IGNORECASE,
)
"""Asks among what only the options name."""


def can_be_open(item: Item) -> bool:
    """Whether its stem is a full question without options, and its key an answer of its own.

    Of single-hop items only: whether what is missing or joined was found, options must tell. "Which of these", "which
    statement is true", "which is not" ask about options; so does the key "both of them". Where no rule knows the
    language, nobody can tell.
    """
    known, stem = phrases(item.language), plain(item.stem)
    return (
        item.kind is ItemKind.SINGLE_HOP
        and not item.is_open
        and known is not None
        and stem.endswith(_ENDS)
        and not known.options.search(stem)
        and not _OF_THESE.search(stem)
        and not asks_for_statement(stem)
        and not known.negative.search(stem)
        and not known.catch_all.search(plain(item.key))
    )


def open_wanted(share: float, items: int) -> int:
    """How many of so many questions are asked openly."""
    return round(share * items)


def with_open(items: Sequence[Item], share: float) -> list[Item]:
    """The items, in order, the first that can be open without their options, up to this share of all.

    A larger share opens further ones: what was answered openly stays so.
    """
    able = [item.id for item in items if can_be_open(item)]
    chosen = frozenset(able[: open_wanted(share, len(items))])
    return [_opened(item) if item.id in chosen else item for item in items]


def _opened(item: Item) -> Item:
    identity = Item.id_of(item.stem, item.key, (), item.evidence, item.history)
    # how readers fared with options says nothing of it
    return item.model_copy(update={"id": identity, "distractors": (), "trials": ()})


def lacking_open(items: Sequence[Item], share: float) -> str:
    """In words, how many fewer open questions there are than the share asks for; '' where it is met."""
    wanted, got = open_wanted(share, len(items)), sum(item.is_open for item in items)
    if got >= wanted:
        return ""
    return (
        f"{got} of the {wanted} open questions asked for: of the others none can do without its options (single-hop, "
        "a full question by itself, in a language that the rules know)."
    )
