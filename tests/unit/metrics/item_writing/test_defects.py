"""All that is wrong with an item, and nothing that is not."""

from __future__ import annotations

from viva.metrics.item_writing.defects import defects
from viva.metrics.item_writing.not_stated import NOT_STATED

STEM, VALUES = "How many boats does the inner basin hold?", ["35 boats", "46 boats", "12 boats"]


def test_every_broken_rule_is_named_once() -> None:
    found = [defect.code for defect in defects("According to the text, what is it", "it", ["it", "none"], "en")]
    assert {"not_a_question", "speaks_of_document", "options_overlap"} <= set(found)
    assert len(found) == len(set(found))


def test_that_the_documents_do_not_say_it_need_not_look_like_an_answer() -> None:
    assert defects(STEM, NOT_STATED["en"], VALUES, "en") == ()
    assert defects(STEM, "18 boats", [NOT_STATED["en"], *VALUES[:2]], "en") == ()


def test_the_values_of_an_unanswerable_item_are_held_against_each_other() -> None:
    found = [defect.code for defect in defects(STEM, NOT_STATED["en"], ["35 boats", "35 boats", "46 boats"], "en")]
    assert found == ["options_overlap"]
