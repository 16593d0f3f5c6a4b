"""An unanswerable question is near the corpus, and the corpus does not answer it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from by_hand import WordEmbedder, bank, document, item

from viva.agents.offline.absences import Absences
from viva.agents.offline.readers import LexicalReader
from viva.agents.offline.sorts import Sorts
from viva.agents.offline.unanswerable import (
    AbsenceCritic,
    UnanswerableDistractors,
    UnanswerableExpert,
    UnanswerableUnits,
    UnanswerableWriter,
)
from viva.agents.roles import Source
from viva.agents.rules.not_stated import NOT_STATED, not_stated
from viva.core.records import Chunk, Distractor, Draft, Item, ItemKind, Verdict
from viva.graphs.decoys import lacking_decoys, with_decoys

WREN = "The Corran Wren is a tug that works at Ardle. The Corran Wren was built in 1987. Cooks like the Corran Wren."
GULL = "The Ellery Gull is a tug that works at Skerrow. The crew of the Ellery Gull eats at noon."
DATED = "The Ellery Gull was built in 1990."
STEM = "In which year was the Ellery Gull built?"


def chunk(text: str, path: str) -> Source:
    whole = document(text, path, path.partition(".")[0].title())
    return Source(Chunk.of(whole, 0, len(text), len(text.split())), whole, ItemKind.UNANSWERABLE)


def absences(*sources: Source) -> Absences:
    known, documents = bank(*sources), [source.document for source in sources]
    return Absences(documents, known, Sorts.of(documents, known))


A, B = chunk(WREN, "one.md"), chunk(GULL, "two.md")
KNOWN = absences(A, B)


class ThreeYears:
    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),
    ) -> tuple[Distractor, ...]:
        assert draft.key == "1987", "it is asked for wrong options beside the value that is right of the other thing"
        return tuple(Distractor(text=year, reason="a near year") for year in ("1985", "1990", "1994"))


def written(known: Absences = KNOWN, source: Source = A) -> list[Draft]:
    drafts = []
    for unit in asyncio.run(UnanswerableUnits(known, 0).extract(source)):
        draft = asyncio.run(UnanswerableWriter(known, 0).write(unit, source, None, None))
        assert draft is not None
        drafts.append(draft)
    return drafts


def built() -> Draft:
    return next(draft for draft in written() if draft.stem == STEM)


def test_the_question_is_asked_of_another_thing_of_the_same_sort() -> None:
    draft = built()
    assert (draft.key, draft.kind) == ("The documents do not say.", ItemKind.UNANSWERABLE)
    assert draft.unit.evidence.quote == "The Corran Wren was built in 1987."
    assert draft.unit.chunk_id == A.id


def test_what_the_corpus_says_of_both_is_not_asked() -> None:
    assert STEM not in {draft.stem for draft in written(absences(A, B, chunk(DATED, "three.md")))}


def test_what_only_a_table_says_counts_as_said() -> None:
    table = chunk("# Tugs\n\n| ship | built |\n| --- | --- |\n| Ellery Gull, built | 1990 |\n", "table.md")
    assert STEM not in {draft.stem for draft in written(absences(A, B, table))}


def test_the_tempting_mistake_is_among_the_wrong_options() -> None:
    writer = UnanswerableDistractors(KNOWN, ThreeYears(), options=4, seed=0)
    wrong = asyncio.run(writer.write(built(), A, 0, None))
    assert wrong is not None
    assert [d.text for d in wrong] == ["1987", "1985", "1990"]
    assert "Corran Wren" in wrong[0].reason


def test_the_expert_says_so_or_has_no_answer() -> None:
    expert = UnanswerableExpert(KNOWN, 0)
    answer = asyncio.run(expert.answer(STEM, "date:year", A))
    assert answer is not None
    assert answer.text == "The documents do not say."
    assert asyncio.run(expert.answer("In which year was the Corran Wren built?", "date:year", A)) is None


def judged(values: tuple[str, ...]) -> Verdict:
    critic = AbsenceCritic(KNOWN, bank(A, B), WordEmbedder(), (LexicalReader(bank(A, B).weight),), 0)
    return asyncio.run(critic.judge(built(), [Distractor(text=text) for text in values], A))


def test_a_question_without_support_passes_and_is_tried_blind() -> None:
    verdict = judged(("1987", "1985", "1990"))
    assert verdict.passed
    assert [(t.reader, t.with_evidence) for t in verdict.trials] == [("lexical", False)]


def test_a_thing_that_is_never_dated_is_asked_to_be_dated() -> None:
    drug = chunk(
        "Codeine is a drug that eases pain in adults. Doctors give codeine at night. Aspirin was first sold in 1899.",
        "drugs.md",
    )
    assert [draft.stem for draft in written(absences(drug), drug)] == ["In which year was codeine first used?"]
    dated = chunk(
        "Codeine is a drug that eases pain in adults. Doctors give codeine at night, since 1832.", "drugs.md"
    )
    assert written(absences(dated), dated) == []


@pytest.mark.parametrize(("language", "of"), [("de", "de"), ("fr", "fr"), ("es", "es"), ("nl", "en"), ("und", "en")])
def test_the_answer_is_in_the_items_language_where_it_is_known(language: str, of: str) -> None:
    assert not_stated(language) == NOT_STATED[of]


def answerable(count: int) -> list[Item]:
    return [item(n) for n in range(count)]


def absent(count: int) -> list[Item]:
    return [
        item(n).model_copy(update={"kind": ItemKind.UNANSWERABLE, "key": not_stated("en"), "evidence": ()})
        for n in range(1000, 1000 + count)
    ]


def shows(item: Item) -> bool:
    return not_stated(item.language) in {item.key, *(d.text for d in item.distractors)}


@pytest.mark.parametrize("count", [1, 3, 5])
def test_one_in_four_that_show_the_answer_have_it_as_their_key(count: int) -> None:
    items = with_decoys([*answerable(30), *absent(count)], 0)
    assert Counter(i.kind is ItemKind.UNANSWERABLE for i in items if shows(i)) == {True: count, False: 3 * count}


def test_a_decoy_says_where_the_documents_do_say_it_and_changes_nothing_else() -> None:
    before = [*answerable(30), *absent(2)]
    after = with_decoys(before, 0)
    assert [(i.stem, i.key, len(i.distractors)) for i in after] == [
        (i.stem, i.key, len(i.distractors)) for i in before
    ]
    decoyed = next(i for i in after if shows(i) and i.kind is not ItemKind.UNANSWERABLE)
    decoy = next(d for d in decoyed.distractors if d.text == not_stated("en"))
    assert decoyed.evidence[0].quote in decoy.reason
    assert decoyed.id == Item.id_of(
        decoyed.stem, decoyed.key, [d.text for d in decoyed.distractors], decoyed.evidence
    )


def test_an_exam_without_unanswerable_items_has_no_decoys() -> None:
    items = answerable(8)
    assert with_decoys(items, 0) == items


def test_decoys_depend_on_the_items_and_the_seed_alone() -> None:
    items = [*answerable(12), *absent(2)]
    by_id = {i.stem: i for i in with_decoys(items, 0)}
    assert {i.stem: i for i in with_decoys(items[::-1], 0)} == by_id
    assert {i.stem: i for i in with_decoys(items, 1)} != by_id


def test_a_decoy_leaves_the_key_the_longest_option_where_it_was_and_nowhere_else() -> None:
    for after in with_decoys([*answerable(30), *absent(4)], 0):
        if after.kind is not ItemKind.UNANSWERABLE:
            before = next(item for item in answerable(30) if item.stem == after.stem)
            longest = [len(i.key) > max(len(d.text) for d in i.distractors) for i in (before, after)]
            assert longest[0] == longest[1]


def test_a_decoy_takes_no_place_that_would_leave_the_key_as_the_crossing_of_the_others() -> None:
    wrong = [Distractor(text=text, reason="") for text in ("red flat lamps", "blue round lamps", "blue flat lamps")]
    crossed = [i.model_copy(update={"key": "red round lamps", "distractors": tuple(wrong)}) for i in answerable(30)]
    after = [i for i in with_decoys([*crossed, *absent(4)], 0) if shows(i) and i.kind is not ItemKind.UNANSWERABLE]
    assert len(after) == 12
    assert all("blue flat lamps" in {d.text for d in i.distractors} for i in after)


def test_too_few_answerable_items_to_hide_the_unanswerable_ones_are_told() -> None:
    assert lacking_decoys(with_decoys([*answerable(30), *absent(4)], 0)) == ""
    assert "is right in 50% of the questions that show it" in lacking_decoys(
        with_decoys([*answerable(4), *absent(4)], 0)
    )
    assert lacking_decoys(answerable(4)) == ""
