"""All that the rules find wrong with an item."""

from __future__ import annotations

from collections.abc import Sequence

from viva.metrics.item_writing.not_stated import not_stated
from viva.metrics.item_writing.options import options_defects, value_defects
from viva.metrics.item_writing.wording import Defect, key_defects, stem_defects


def defects(stem: str, key: str, distractors: Sequence[str], language: str) -> tuple[Defect, ...]:
    """Every rule that the item breaks: those on the stem, then on the key, then on the options. () where none.

    The option that the documents do not say it is no answer like the others, and need not look like one.
    """
    unsaid = not_stated(language)
    found = list(stem_defects(stem, language))
    if key == unsaid:
        found += value_defects(stem, key, distractors, language)
    else:
        found += key_defects(key, stem, language)
        found += options_defects(stem, key, [wrong for wrong in distractors if wrong != unsaid], language)
    return tuple(dict.fromkeys(found))
