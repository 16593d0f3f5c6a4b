"""Options that are more alike than nearly all others' are found, in exams large enough to tell."""

from __future__ import annotations

from by_hand import WordEmbedder, distractors, item

from viva.core.records import Item
from viva.graphs.assembly.option_outliers import FEWEST, option_outliers


def worded(number: int, *options: str) -> Item:
    key, *wrong = options
    return item(number).model_copy(update={"key": key, "distractors": distractors(*wrong)})


ALIKE = worded(99, "the red pump runs", "the red pump runs on", "the red pump runs by", "the red pump runs at")
OTHERS = [worded(n, f"oil {n}x", f"water {n}y", f"steam {n}z", f"air {n}w") for n in range(FEWEST)]


def outliers(items: list[Item]) -> set[str]:
    texts = {i.provenance.chunk_id or "": f"A text of number {n}." for n, i in enumerate(items)}
    return option_outliers(items, texts, WordEmbedder().embed)


def test_the_one_set_of_options_that_stands_out_is_found() -> None:
    assert outliers([*OTHERS, ALIKE]) == {ALIKE.id}


def test_few_items_cannot_tell() -> None:
    assert outliers([*OTHERS[: FEWEST - 2], ALIKE]) == set()


def test_open_questions_have_no_options_to_compare() -> None:
    assert ALIKE.id not in outliers([*OTHERS, ALIKE.model_copy(update={"distractors": ()})])
