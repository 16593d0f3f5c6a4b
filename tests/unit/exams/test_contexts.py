"""Reference contexts are found again in documents, however they were written, and never in a wrong place."""

from __future__ import annotations

import random
import re
import time
from functools import cache
from pathlib import Path

import pytest
from by_hand import document

from viva.core.markup import Dialect, unmarked
from viva.core.records import Document, Exam, ExamItem, Item, Provenance, QuestionType
from viva.exams.contexts import ContextSearch, find_contexts, without_documents
from viva.exams.formats.base import Seen, imported

HANDBOOK = Path(__file__).parents[3] / "examples" / "handbook"


def asked(*contexts: str, stem: str = "What?", original: object = "") -> ExamItem:
    return imported(Seen(stem=stem, key="x", contexts=contexts), "qa", original)


def search(documents: list[Document], *contexts: str, original: object = "") -> ContextSearch:
    return find_contexts(Exam.of([asked(*contexts, original=original)]), documents)


def quotes(found: ContextSearch) -> list[str]:
    return [span.quote for shown in found.exam.items for span in shown.item.evidence]


@cache
def handbook() -> list[Document]:
    paths = sorted(HANDBOOK.rglob("*.md"))
    return [document(path.read_text(encoding="utf-8"), path.relative_to(HANDBOOK).as_posix()) for path in paths]


def disturbed(text: str, draw: random.Random) -> str:
    """The text as tools pass it on: in one line or wrapped, without marks, with other quotes, cut or hyphenated."""
    way = draw.randrange(6)
    if way == 0:
        return " ".join(text.split())
    if way == 1:
        return re.sub(r"\s+", lambda _: draw.choice([" ", "\n", "  "]), text)
    if way == 2:
        return unmarked(text, Dialect.MARKDOWN).text
    if way == 3:
        return text.translate(str.maketrans({'"': "“", "'": "’", "-": "–"})).upper()
    if way == 4:
        return re.sub(r"([a-z]{4})([a-z]{5})", r"\1-\n\2", text, count=1)
    return f"…{text[len(text) // 5 : len(text) // 2]} [...] {text[len(text) * 3 // 5 :]}"


def test_contexts_cut_from_documents_are_found_at_their_place() -> None:
    draw = random.Random(7)
    cuts = []
    for _ in range(120):
        of = draw.choice(handbook())
        start = draw.randrange(len(of.text) - 250)
        start = of.text.index(" ", start) + 1
        cuts.append((of, start, of.text[start : start + draw.choice([100, 200])]))
    items = [asked(disturbed(text, draw), stem=f"Question {n}?") for n, (_, _, text) in enumerate(cuts)]
    found = find_contexts(Exam.of(items), handbook())
    assert len(found.lost) <= 3
    for shown, (of, start, text) in zip(found.exam.items, cuts, strict=True):
        for span in shown.item.evidence:
            assert (span.document_id, of.text[span.start : span.end]) == (of.id, span.quote)
            assert start - 2 <= span.start
            assert span.end <= start + len(text) + 2


def test_words_that_were_exchanged_are_no_hindrance_but_numbers_and_names_are() -> None:
    held = "The day tank of the ferry Alma holds 30 litres of oil when it is filled to the upper mark"
    ship = document(f"{held}. It is red.")
    other = "The day tank of the ferry Alma holds 30 litres of oil whenever it is filled to the upper mark."
    found = search([ship], other)
    assert found.found["fuzzy"] == 1
    assert quotes(found) == [held]
    for wrong in (other.replace("30", "40"), other.replace("Alma", "Bruno")):
        assert search([ship], wrong).lost


@pytest.mark.parametrize(
    "text",
    [
        "سعة خزان السفينة ألما ثلاثون لتراً من الوقود، ولا يفتح الصمام إلا كبير المهندسين.",
        "קיבולת מיכל הדלק של הספינה היא שלושים ליטר, והשסתום נפתח רק בידי המהנדס הראשי.",
        "阿尔玛号的日用油箱容量为三十升，只有轮机长可以打开排水阀。",
        "アルマ号のデイタンクの容量は三十リットルで、機関長だけが弁を開けます。",
    ],
)
def test_any_script_is_found(text: str) -> None:
    found = search([document(f"# 1\n\n{text}\n"), document("Nothing of it.", "b.md")], text.replace(" ", "\n"))
    assert quotes(found) == [text]


def test_of_places_that_are_alike_the_first_is_taken_unless_the_question_names_its_document() -> None:
    text = "The drain valve may be opened by the chief engineer only."
    same = [document(f"# {name}\n\n{text}", f"{name}.md") for name in "ab"]
    found = search(same, text)
    assert found.several == 1
    assert found.exam.items[0].item.evidence[0].document_id == same[0].id
    named = search(same, text, original={"question": "What?", "source": "b.md"})
    assert (named.several, named.exam.items[0].item.evidence[0].document_id) == (0, same[1].id)
    assert search(same, "valve may").lost


def test_evidence_of_the_same_documents_stays_and_that_of_others_is_found_anew() -> None:
    here = document("The tank holds 30 litres. The tank holds 30 litres.")
    exam = search([here], "The tank holds 30 litres.").exam
    moved = exam.items[0].item.evidence[0].model_copy(update={"start": 26, "end": 51})
    item = exam.items[0].item.model_copy(update={"evidence": (moved,), "contexts": ()})
    second = Exam.of([exam.items[0].model_copy(update={"item": item})])
    assert find_contexts(second, [here]).exam == second
    elsewhere = document("A preface.\n\nThe tank holds 30 litres.", "b.md")
    assert find_contexts(second, [elsewhere]).exam.items[0].item.evidence[0].document_id == elsewhere.id
    alone = without_documents(second).items[0].item
    assert (alone.evidence, alone.contexts) == ((), ("The tank holds 30 litres.",))


def test_documents_that_a_collection_names_are_found_by_their_names() -> None:
    shown = imported(Seen(stem="What?", key="", keyless=True), "trec", {"documents": ["alma", "gone"]})
    found = find_contexts(Exam.of([shown]), [document("It holds 30 litres.", "ships/alma.md")])
    assert quotes(found) == ["It holds 30 litres."]
    assert [each.context for each in found.lost] == ["gone"]


def test_an_item_that_is_found_has_an_id_of_its_own() -> None:
    item = search([document("The tank holds 30 litres.")], "The tank holds 30 litres.").exam.items[0].item
    assert item.id == Item.id_of(item.stem, item.key, [], item.evidence)
    assert item.provenance == Provenance(cast="imported: qa", original='""')
    assert item.question_type is QuestionType.FACTOID


def test_texts_that_repeat_themselves_are_searched_in_little_time() -> None:
    began = time.process_time()
    search([document("ab " * 50_000)], "ab " * 900 + "x")
    assert time.process_time() - began < 5
