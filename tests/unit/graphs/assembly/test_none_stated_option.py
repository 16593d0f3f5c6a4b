"""Where the documents' silence stands among the options of a question that they do answer, it gives nothing away."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "support"))

from exams_by_hand import exam_item

from viva.core.records import Item, ItemKind
from viva.graphs.assembly.none_stated_option import with_decoys
from viva.metrics.item_writing.not_stated import not_stated
from viva.metrics.item_writing.options import options_defect

SILENT = exam_item(
    "Who paints the buoy?", (not_stated("en"), "Ella Voss", "Piet Haan", "Mara Lind"), kind=ItemKind.UNANSWERABLE
).item
ANSWERED = exam_item(
    "A ship docks on 29 November. On which date is the list due?",
    ("1 November", "29 October", "15 November", "18 October"),
).item


def shown(items: list[Item], seed: int) -> Item:
    _, answered = with_decoys(items, seed)
    return answered


@pytest.mark.parametrize("seed", range(12))
def test_it_takes_the_place_of_no_option_without_which_the_others_tell_the_key(seed: int) -> None:
    assert options_defect(ANSWERED.stem, ANSWERED.key, [each.text for each in ANSWERED.distractors], "en") is None
    item = shown([SILENT, ANSWERED], seed)
    wrong = [each.text for each in item.distractors]
    assert not_stated("en") in wrong
    assert len(wrong) == 3
    assert options_defect(item.stem, item.key, wrong, "en") is None
    assert item.id != ANSWERED.id
