"""One chunk's walk: every way through the graph, every step on record, no unit lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, Never

import pytest
from by_hand import distractors, source, unit
from fakes import Critic, Expert, Options, Reviewer, Writer, cast

from viva.agents.roles import MODEL_CAST, Cast, Source, Worded
from viva.core.calls import bound
from viva.core.errors import RoleFailed
from viva.core.records import BloomLevel, Distractor, Draft, FactSort, KnowledgeUnit, Recall, Rewording, Verdict
from viva.graphs.authoring.state import Committee
from viva.graphs.chunk import ChunkRecord, walk_chunk

HERE = source("Pumps move water. Valves stop it. Tanks hold it. Rust eats it.")
UNITS = [unit(HERE, words) for words in ("Pumps move water.", "Valves stop it.", "Tanks hold it.", "Rust eats it.")]
ROUND = ["question writer", "question reader", "expert answerer", "critics"]
ENDING = ["distractor writer", "option critics", "chair"]


def walk(of: Cast, *, items: int = 9, revisions: int = 2, redos: int = 2) -> ChunkRecord:
    return asyncio.run(walk_chunk(HERE, Committee(of, items, revisions, redos)))


def one() -> list[KnowledgeUnit]:
    return UNITS[:1]


def roles(out: ChunkRecord) -> list[str]:
    return [step.role for step in out.steps]


def test_a_draft_that_everybody_passes_is_accepted() -> None:
    out = walk(cast(one()))
    assert roles(out) == ["unit extractor", *ROUND, *ENDING]
    (item,) = out.items
    assert (item.key, [d.text for d in item.distractors]) == (
        "key of Pumps move water.",
        ["wrong 0a", "wrong 0b", "wrong 0c"],
    )
    assert (item.topic, item.provenance.attempts, item.provenance.cast) == ("pumps", 1, "fake")
    assert out.rejections == ()


def test_a_draft_that_fails_is_revised_with_the_critics_reason() -> None:
    writer = Writer()
    out = walk(cast(one(), writer=writer, critics=[Critic("strict", "unclear")]))
    assert roles(out) == ["unit extractor", *ROUND, *ROUND, *ENDING]
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, "unclear"]
    assert out.items[0].provenance.attempts == 2
    assert "wording 1" in out.items[0].stem


def test_when_the_revisions_are_used_up_the_unit_is_rejected_with_the_last_reason() -> None:
    out = walk(cast(one(), critics=[Critic("strict", "unclear", "unfaithful", "vague", "never asked")]), revisions=2)
    assert roles(out) == ["unit extractor", *ROUND * 3, "chair"]
    (rejection,) = out.rejections
    assert (rejection.verdict.code, rejection.verdict.critic) == ("vague", "strict")
    assert rejection.draft is not None
    assert rejection.draft.attempt == 2


def test_with_no_revisions_the_first_failure_ends_it() -> None:
    out = walk(cast(one(), critics=[Critic("strict", "unclear")]), revisions=0)
    assert roles(out) == ["unit extractor", *ROUND, "chair"]


def test_a_writer_with_no_other_wording_ends_it_with_the_critics_reason() -> None:
    out = walk(cast(one(), writer=Writer(wordings=1), critics=[Critic("strict", "unclear", "unclear")]))
    assert roles(out) == ["unit extractor", *ROUND, "question writer", "chair"]
    assert out.rejections[0].verdict.code == "unclear"


def test_a_unit_that_nobody_can_ask_about_is_rejected_without_a_draft() -> None:
    out = walk(cast(one(), writer=Writer(wordings=0)))
    (rejection,) = out.rejections
    assert (rejection.draft, rejection.verdict.code) == (None, "no_question")


def test_a_unit_that_a_critic_would_drop_is_given_up_and_no_writer_is_asked() -> None:
    class Dropping(Critic):
        async def judge(self, draft: Draft, said: object, source: Source) -> Verdict:
            return (await super().judge(draft, said, source)).model_copy(update={"final": True})

    writer = Writer()
    out = walk(cast(one(), writer=writer, critics=[Critic("strict", "unclear"), Dropping("judge", "not_useful")]))
    assert len(writer.heard) == 2
    assert out.rejections[0].verdict.code == "not_useful"


def test_the_first_critic_that_fails_a_draft_ends_the_round() -> None:
    second = Critic("second", "never heard")
    out = walk(cast(one(), critics=[Critic("first", "unclear"), second]), revisions=0)
    assert out.rejections[0].verdict.critic == "first"
    assert second._script == ["never heard"]


class Reader:
    """Guesses the same of every question and refuses as scripted; keeps what it read."""

    def __init__(self, *script: str) -> None:
        self._critic = Critic("natural", *script)
        self.asked: list[str] = []

    async def read(self, draft: Draft) -> tuple[Recall, tuple[Verdict, ...]]:
        self.asked.append(draft.stem)
        plain = Verdict(critic="specificity", passed=True, reason="5 of 5", bloom=(BloomLevel.APPLY,))
        return Recall(known=False, answer="", guesses=("an hour",)), (
            plain,
            await self._critic.judge(draft, None, HERE),
        )


class Hearing(Critic):
    async def judge(self, draft: Draft, said: object, source: Source) -> Verdict:
        assert draft.recall is not None
        assert draft.recall.guesses == ("an hour",)
        return await super().judge(draft, said, source)


def test_each_question_is_read_once_before_critics_and_writers_of_options() -> None:
    reader = Reader()
    committee = cast(
        one(),
        writer=Writer(names_key=False),
        critics=[Hearing("strict", "unclear", "key:unfaithful")],
        expert=Expert("another answer"),
        option_critics=[Hearing("options", "second_key")],
    )
    out = walk(replace(committee, question_reader=reader))
    assert len(reader.asked) == len(set(reader.asked)) == 2
    told = [step.output for step in out.steps if step.role == "question reader"]
    assert told == [
        "does not know it\nguesses: an hour\nspecificity: passed. 5 of 5\nnatural: passed. says yes"
    ] * len(reader.asked)
    # what the reader said stays with the item, whatever the expert answered
    assert [item.bloom for item in out.items] == [(BloomLevel.APPLY,)]


BETTER = "better words"


class WordingReader(Reader):
    """Has better words for every question; its verdicts are as scripted."""

    def __init__(self, *script: str, better: str = BETTER, plain: str = "") -> None:
        super().__init__(*script)
        self._better, self._plain = better, plain
        self.fails = plain or script[0]

    async def read(self, draft: Draft) -> tuple[Recall, tuple[Verdict, ...]]:
        recall, (plain, natural) = await super().read(draft)
        plain = plain.model_copy(update={"passed": not self._plain, "code": self._plain})
        edits = (Rewording(old=draft.stem, new=draft.stem.replace("wording", self._better)),)
        return recall, (plain, natural.model_copy(update={"score": 0.5, "edits": edits}))


@pytest.mark.parametrize("rated", ["", "not_natural"])
def test_a_question_that_is_but_stiff_goes_on_in_its_readers_words_and_the_rating_of_the_others_is_dropped(
    rated: str,
) -> None:
    writer, reader = Writer(), WordingReader(rated)
    out = walk(replace(cast(one(), writer=writer), name=MODEL_CAST, question_reader=reader))
    assert [item.stem for item in out.items] == ["Pumps move water. better words 0?"]
    assert (len(reader.asked), len(writer.heard), out.items[0].doubts) == (1, 1, 0)
    assert "Reworded: “Pumps move water. better words 0?”" in next(
        step.output for step in out.steps if step.role == "question reader"
    )


def test_a_question_with_another_fault_too_or_words_that_break_a_rule_goes_back_to_its_writer() -> None:
    for reader, screen in (
        (WordingReader("not_natural", plain="unspecific"), []),
        (WordingReader("not_natural", better="words of 1984"), []),
        (WordingReader("not_natural"), [Critic("screener", "", "vague")]),
    ):
        out = walk(replace(cast(one(), screen=screen), question_reader=reader), revisions=0)
        assert [rejection.verdict.code for rejection in out.rejections] == [reader.fails]


def test_a_question_that_its_reader_refuses_is_revised_before_an_answer_is_sought() -> None:
    writer, expert = Writer(), Expert()
    out = walk(replace(cast(one(), writer=writer, expert=expert), question_reader=Reader("not_natural")))
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, "not_natural"]
    assert roles(out) == ["unit extractor", *ROUND[:2], *ROUND, *ENDING]
    assert len(expert.heard) == len(out.items) == 1


def test_a_question_that_breaks_a_rule_is_not_read() -> None:
    reader = Reader()
    walk(replace(cast(one(), screen=[Critic("screener", "vague")]), question_reader=reader))
    assert [stem.endswith("wording 1?") for stem in reader.asked] == [True]


def test_options_that_fail_are_redone() -> None:
    out = walk(cast(one(), option_critics=[Critic("strict", "second_key")]))
    assert roles(out) == ["unit extractor", *ROUND, *ENDING[:2], *ENDING]
    assert [d.text for d in out.items[0].distractors] == ["wrong 1a", "wrong 1b", "wrong 1c"]


def test_when_the_redos_are_used_up_the_unit_is_rejected() -> None:
    out = walk(cast(one(), option_critics=[Critic("strict", *["second_key"] * 9)]), redos=2)
    assert roles(out) == ["unit extractor", *ROUND, *ENDING[:2] * 3, "chair"]
    assert out.rejections[0].verdict.code == "second_key"


@pytest.mark.parametrize(("lacking", "code"), [(0, "too_few_distractors"), (1, "second_key")])
def test_a_unit_without_options_is_rejected_for_what_was_wrong_with_the_last_ones(lacking: int, code: str) -> None:
    out = walk(cast(one(), options=Options(lacking), option_critics=[Critic("strict", "options:second_key")]))
    assert out.rejections[0].verdict.code == code


def test_a_key_that_has_no_wrong_options_of_its_kind_makes_way_for_another_question() -> None:
    writer = Writer(wordings=2)
    out = walk(cast(one(), writer=writer, options=Options(lacking=0)))
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, *["too_few_distractors"] * 2]
    assert [(r.verdict.code, r.draft and r.draft.attempt) for r in out.rejections] == [("too_few_distractors", 1)]
    assert out.rejections[0].draft is not None


def test_a_unit_begins_afresh_after_another_was_redone_or_rejected() -> None:
    script = ["second_key"] * 3 + ["second_key"]
    out = walk(cast(UNITS[:2], option_critics=[Critic("strict", *script)]), redos=2, items=1)
    assert [r.unit.id for r in out.rejections] == [UNITS[0].id]
    assert [d.text for d in out.items[0].distractors] == ["wrong 1a", "wrong 1b", "wrong 1c"]
    assert out.items[0].provenance.unit_id == UNITS[1].id


def test_a_chunk_stops_when_it_has_its_share_of_items() -> None:
    out = walk(cast(UNITS), items=2)
    assert [item.provenance.unit_id for item in out.items] == [u.id for u in UNITS[:2]]
    assert (out.found, out.rejections) == (4, ())


def test_a_chunk_without_units_ends_at_once() -> None:
    out = walk(cast([]))
    assert (out.found, roles(out)) == (0, ["unit extractor"])


def test_every_step_is_on_record_in_order_with_its_verdict() -> None:
    out = walk(cast(one(), critics=[Critic("strict", "unclear")], option_critics=[Critic("picky", "second_key")]))
    steps = out.steps
    assert [step.number for step in steps] == list(range(len(steps)))
    assert [(step.role, step.verdict) for step in steps] == [
        ("unit extractor", ""),
        ("question writer", ""),
        ("question reader", ""),
        ("expert answerer", ""),
        ("critics", "unclear"),
        ("question writer", ""),
        ("question reader", ""),
        ("expert answerer", ""),
        ("critics", "passed"),
        ("distractor writer", ""),
        ("option critics", "second_key"),
        ("distractor writer", ""),
        ("option critics", "passed"),
        ("chair", ""),
    ]
    assert {step.chunk_id for step in steps} == {HERE.chunk.id}
    assert {step.unit_id for step in steps[1:]} == {UNITS[0].id}
    assert steps[-1].item_id == out.items[0].id
    assert steps[-1].output == "accepted"
    assert steps[4].output.startswith("strict")
    assert "says unclear" in steps[4].output
    assert all(step.duration_s >= 0 for step in steps)


def test_every_unit_is_accepted_rejected_or_not_asked() -> None:
    critic = Critic("strict", "", "unclear", "unclear", "unclear", "")
    out = walk(cast(UNITS, critics=[critic]), items=2)
    ids = [i.provenance.unit_id for i in out.items] + [r.unit.id for r in out.rejections]
    assert sorted(ids) == sorted(u.id for u in UNITS[:3])
    assert (out.found, len(out.items), len(out.rejections)) == (4, 2, 1)


def test_as_many_units_walk_at_once_as_items_are_wanted_and_their_record_keeps_the_units_order() -> None:
    at_work: list[int] = []

    class Slow(Writer):
        async def write(self, unit: KnowledgeUnit, *said: Any) -> Draft | None:
            at_work.append(1)
            await asyncio.sleep(0.01 * (4 - UNITS.index(unit)))
            at_work.append(-1)
            return await super().write(unit, *said)

    out = walk(cast(UNITS, writer=Slow()), items=3)
    assert max(accumulate(at_work)) == 3
    assert [i.provenance.unit_id for i in out.items] == [u.id for u in UNITS[:3]]
    assert [step.number for step in out.steps] == list(range(len(out.steps)))
    assert [k for k, _ in groupby(step.unit_id for step in out.steps)] == [None, *(u.id for u in UNITS[:3])]


def test_a_question_that_the_screen_refuses_is_revised_before_anybody_is_asked_about_it() -> None:
    writer, expert, critic = Writer(), Expert(), Critic("strict", "never asked in the first round")
    screen = [Critic("screener", "vague")]
    out = walk(cast(one(), writer=writer, expert=expert, screen=screen, critics=[critic]), revisions=1)
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, "vague"]
    assert roles(out) == ["unit extractor", *ROUND[:2], *ROUND, "chair"]
    assert len(expert.heard) == 1
    assert out.rejections[0].verdict.code == "never asked in the first round"


def test_the_experts_answer_is_the_key_where_the_writer_names_none() -> None:
    critic = Critic("strict")
    out = walk(cast(one(), writer=Writer(names_key=False), critics=[critic]))
    (item,) = out.items
    assert item.key.startswith("expert on Pumps")
    assert item.reference_answer == f"{item.key}."
    assert critic.judged == [item.key]


class Leaning(Critic):
    """Finds a slight fault with every set of options."""

    async def judge(self, draft: Draft, said: object, source: Source) -> Verdict:
        found = await super().judge(draft, said, source)
        told = {"passed": False, "code": "given_away", "blames": "options", "slight": True, "guessable": True}
        return found.model_copy(update=told)


@pytest.mark.parametrize(("redos", "sets"), [(0, 1), (1, 2), (2, 2)])
def test_a_slight_fault_is_mended_once_and_then_borne(redos: int, sets: int) -> None:
    options = Options()
    out = walk(cast(one(), options=options, option_critics=[Leaning("blind")]), redos=redos)
    assert len(options.heard) == sets
    assert [item.guessable for item in out.items] == [True]


def test_a_slight_fault_for_which_there_are_no_other_options_is_borne_at_once() -> None:
    options = Options(lacking=1)
    (item,) = walk(cast(one(), options=options, option_critics=[Leaning("blind")])).items
    assert [wrong.text for wrong in item.distractors] == ["wrong 0a", "wrong 0b", "wrong 0c"]
    assert len(options.heard) == 2


def test_a_finished_item_whose_question_is_contrived_goes_back_to_the_writer_and_begins_afresh() -> None:
    writer, options = Writer(), Options()
    out = walk(cast(one(), writer=writer, options=options, option_critics=[Critic("review", "question:contrived")]))
    (item,) = out.items
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, "contrived"]
    assert "wording 1" in item.stem
    # what was said of the options of the question before is not said of these
    assert options.heard == [None, None]


def test_options_of_another_wording_are_mended_as_often_as_those_of_the_first() -> None:
    options = Options()
    checks = Critic("options", "options:overlap", "", "options:overlap", "")
    review = Critic("review", "question:contrived")
    out = walk(cast(one(), options=options, option_critics=[checks, review]), redos=1)
    assert [verdict.code if verdict else None for verdict in options.heard] == [None, "overlap"] * 2
    assert len(out.items) == 1


class Finding(Critic):
    """Finds every question contrived."""

    async def judge(self, draft: Draft, said: object, source: Source) -> Verdict:
        told = {"passed": False, "code": "contrived", "blames": "question", "slight": True}
        return (await super().judge(draft, said, source)).model_copy(update=told)


@pytest.mark.parametrize(("revisions", "wordings", "attempts"), [(0, 9, 1), (2, 9, 3), (2, 2, 2)])
def test_a_question_that_no_rewording_makes_natural_is_borne(revisions: int, wordings: int, attempts: int) -> None:
    of = cast(one(), writer=Writer(wordings=wordings), option_critics=[Finding("review")])
    (item,) = walk(of, revisions=revisions).items
    assert (item.provenance.attempts, item.guessable) == (attempts, False)
    assert f"wording {attempts - 1}" in item.stem or attempts == 1


class Guessed(Critic):
    """Passes every set of options, as one whose key an outsider picks whatever is offered."""

    async def judge(self, draft: Draft, said: object, source: Source) -> Verdict:
        return (await super().judge(draft, said, source)).model_copy(update={"guessable": True})


def test_where_mending_a_slight_fault_makes_only_worse_options_the_set_that_had_it_is_borne() -> None:
    checks = Critic("options", "", "second_key", "second_key")
    out = walk(cast(one(), option_critics=[checks, Leaning("blind")]))
    (item,) = out.items
    assert [wrong.text for wrong in item.distractors] == ["wrong 0a", "wrong 0b", "wrong 0c"]
    assert (item.guessable, out.rejections) == (True, ())


def test_where_an_item_that_is_guessed_was_accepted_the_next_unit_is_asked_about_too() -> None:
    guessed = walk(cast(UNITS[:2], option_critics=[Guessed("item review")]), items=1)
    assert [item.guessable for item in guessed.items] == [True, True]
    assert len(walk(cast(UNITS[:2]), items=1).items) == 1


def test_where_more_than_remembering_is_wanted_details_are_not_asked_about() -> None:
    caused = UNITS[1].model_copy(update={"sort": FactSort.CAUSE})
    wanted = replace(HERE, above_recall=True)
    out = asyncio.run(walk_chunk(wanted, Committee(cast([UNITS[0], caused]), 9, 2, 2)))
    assert [item.key for item in out.items] == ["key of Valves stop it."]
    assert (out.found, out.rejections) == (2, ())


def test_an_item_that_can_be_guessed_goes_back_to_the_distractor_writer_with_the_reason() -> None:
    options = Options()
    out = walk(cast(one(), options=options, option_critics=[Critic("blind", "options:guessable")]))
    assert roles(out) == ["unit extractor", *ROUND, *ENDING[:2], *ENDING]
    assert [verdict.code if verdict else None for verdict in options.heard] == [None, "guessable"]
    assert options.refused == [(), ("wrong 0a", "wrong 0b", "wrong 0c")]


def test_an_item_that_stays_guessable_is_rejected() -> None:
    out = walk(cast(one(), option_critics=[Critic("blind", *["options:guessable"] * 9)]), redos=1)
    assert roles(out) == ["unit extractor", *ROUND, *ENDING[:2] * 2, "chair"]
    assert out.rejections[0].verdict.code == "guessable"


def test_a_key_that_is_doubted_goes_back_to_the_expert_and_is_rejected_if_the_expert_stands_by_it() -> None:
    expert, doubter = Expert(), Critic("doubter", "key:key_disputed")
    out = walk(cast(one(), writer=Writer(names_key=False), expert=expert, option_critics=[doubter]))
    assert [verdict.code if verdict else None for verdict in expert.heard] == [None, "key_disputed"]
    assert out.rejections[0].verdict.code == "key_disputed"
    assert [step.role for step in out.steps][-2:] == ["expert answerer", "chair"]


def test_a_key_that_the_expert_takes_back_is_judged_again_and_gets_options_of_its_own() -> None:
    critic, options = Critic("strict"), Options()
    doubter = Critic("doubter", "key:key_disputed")
    people = cast(one(), writer=Writer(names_key=False), expert=Expert("another answer"), critics=[critic])
    out = walk(replace(people, distractors=options, option_critics=(doubter,)))
    (item,) = out.items
    assert item.key == "another answer"
    assert critic.judged == ["expert on Pumps move water. wording 0?", "another answer"]
    assert [d.text for d in item.distractors] == ["wrong 1a", "wrong 1b", "wrong 1c"]


# --- the review, with options to spare -----------------------------------------------------------------------

FIVE = ("wrong 0a", "wrong 0b", "wrong 0c", "wrong 0d", "wrong 0e")
FINE = Verdict(critic="item review", passed=True, reason="says yes")


def failed(code: str, blames: Any) -> Verdict:
    return Verdict(critic="faithfulness", passed=False, reason=f"says {code}", code=code, blames=blames)


def test_an_option_that_the_reviewer_finds_unfit_gives_way_to_a_spare_one_without_another_call() -> None:
    options, reviewer = Options(letters="abcde"), Reviewer((FINE.model_copy(update={"unfit": ("wrong 0a",)}),))
    (item,) = walk(cast(one(), options=options, reviewer=reviewer)).items
    assert [wrong.text for wrong in item.distractors] == ["wrong 0b", "wrong 0c", "wrong 0d"]
    assert reviewer.read == [FIVE]
    assert options.heard == [None]


def test_the_options_are_those_that_tempt_the_reviewer_most() -> None:
    reviewer = Reviewer((FINE.model_copy(update={"tempting": ("wrong 0e", "wrong 0c", "wrong 0a")}),))
    (item,) = walk(cast(one(), options=Options(letters="abcde"), reviewer=reviewer)).items
    assert [wrong.text for wrong in item.distractors] == ["wrong 0e", "wrong 0c", "wrong 0a"]


class Proofreading:
    """Lets edits stand, or not; keeps what it read."""

    def __init__(self, *, passed: bool = True) -> None:
        self._passed = passed
        self.read_: list[str] = []

    async def read(self, edited: Worded, before: Worded, source: Source) -> Verdict:
        self.read_ += [edited[0].key, *(wrong.text for wrong in edited[1]), before[0].key]
        return Verdict(
            critic="proofreading", passed=self._passed, reason="says so", code="" if self._passed else "no"
        )


def edits(*changes: tuple[str, str]) -> Reviewer:
    return Reviewer((FINE.model_copy(update={"edits": tuple(Rewording(old=a, new=b) for a, b in changes)}),))


def test_the_reviewers_edits_are_made_where_no_rule_is_broken_and_the_proofreader_lets_them_stand() -> None:
    proofreader, rule = Proofreading(), Critic("rule")
    of = cast(one(), reviewer=edits(("key of", "answer to"), ("wrong", "false")), option_critics=[rule])
    out = walk(replace(of, name=MODEL_CAST, proofreader=proofreader))
    (item,) = out.items
    printed = ["answer to Pumps move water.", "false 0a", "false 0b", "false 0c"]
    assert [item.key, *(wrong.text for wrong in item.distractors)] == printed
    assert proofreader.read_ == [*printed, "key of Pumps move water."]
    assert (rule.judged[-1], item.doubts) == (item.key, 0)
    assert [step.role for step in out.steps][-3:] == ["option critics", "proofreader", "chair"]


@pytest.mark.parametrize("changes", [[("wrong", "false")], [("wrong", "1984")]])
def test_edits_that_are_not_made_leave_the_wording_and_cost_a_point(changes: list[tuple[str, str]]) -> None:
    of = cast(one(), reviewer=edits(*changes))
    for proofreader in (Proofreading(passed=False), None):
        (item,) = walk(replace(of, name=MODEL_CAST, proofreader=proofreader, reviewer=edits(*changes))).items
        assert [wrong.text for wrong in item.distractors] == ["wrong 0a", "wrong 0b", "wrong 0c"]
        assert item.doubts == 1


@pytest.mark.parametrize("form", ["", "overlap"])
def test_where_options_are_edited_those_are_printed_that_the_reviewer_would_print_if_rules_allow(form: str) -> None:
    named = ("wrong 0d", "wrong 0c", "a much longer wrong 0e")
    fine = FINE.model_copy(update={"tempting": named, "edits": (Rewording(old="wrong", new="false"),)})
    written = distractors("wrong 0a", "wrong 0b", "wrong 0c", "wrong 0d", "a much longer wrong 0e")

    class Longer(Options):
        async def write(self, *asked: Any, **more: Any) -> tuple[Distractor, ...]:
            return written

    of = cast(one(), options=Longer(), option_critics=[Critic("form", "", form)], reviewer=Reviewer((fine,)))
    (item,) = walk(replace(of, proofreader=Proofreading())).items
    printed = [wrong.text for wrong in item.distractors]
    assert (printed == [text.replace("wrong", "false") for text in named]) is (not form)


def test_edits_after_which_options_break_a_rule_are_not_read() -> None:
    proofreader = Proofreading()
    of = cast(one(), option_critics=[Critic("form", "", "overlap")], reviewer=edits(("wrong", "false")))
    (item,) = walk(replace(of, name=MODEL_CAST, proofreader=proofreader)).items
    assert (proofreader.read_, item.doubts) == ([], 1)


def test_where_too_few_options_are_left_the_writer_is_asked_again() -> None:
    right = failed("second_key", "options").model_copy(update={"unfit": FIVE[:3]})
    options, reviewer = Options(letters="abcde"), Reviewer((right,))
    (item,) = walk(cast(one(), options=options, reviewer=reviewer)).items
    assert [verdict.code if verdict else None for verdict in options.heard] == [None, "second_key"]
    assert [wrong.text for wrong in item.distractors] == ["wrong 1a", "wrong 1b", "wrong 1c"]


def test_the_set_that_the_review_leaves_is_held_to_the_rules_again() -> None:
    options, reviewer = Options(letters="abcde"), Reviewer((FINE.model_copy(update={"unfit": ("wrong 0a",)}),))
    out = walk(cast(one(), options=options, option_critics=[Critic("form", "", "overlap")], reviewer=reviewer))
    assert [verdict.code if verdict else None for verdict in options.heard] == [None, "overlap"]
    assert options.refused[1] == ("wrong 0b", "wrong 0c", "wrong 0d")
    (checked, _) = [step for step in out.steps if step.role == "option critics"]
    assert (checked.verdict, "says overlap" in checked.output) == ("overlap", True)
    assert len(out.items) == 1


@pytest.mark.parametrize("blames", ["options", "question"])
def test_a_slight_fault_is_not_borne_with_a_set_that_breaks_a_rule(blames: str) -> None:
    slight = failed("given_away", blames).model_copy(update={"slight": True, "unfit": ("wrong 0a",)})
    of = cast(
        one(),
        options=Options(letters="abcde"),
        option_critics=[Critic("form", "", "overlap")],
        reviewer=Reviewer((slight,)),
    )
    out = walk(of, revisions=0, redos=0)
    assert out.items == ()
    assert [rejection.verdict.code for rejection in out.rejections] == ["given_away"]


def test_what_breaks_a_rule_is_not_reviewed() -> None:
    reviewer = Reviewer()
    walk(cast(one(), option_critics=[Critic("form", "overlap")], reviewer=reviewer))
    assert len(reviewer.read) == 1


def test_a_key_of_which_the_passage_does_not_say_all_goes_back_to_the_expert() -> None:
    expert, reviewer = Expert("another answer"), Reviewer((failed("unfaithful", "key"), FINE))
    (item,) = walk(cast(one(), writer=Writer(names_key=False), expert=expert, reviewer=reviewer)).items
    assert [verdict.code if verdict else None for verdict in expert.heard] == [None, "unfaithful"]
    assert item.key == "another answer"


def test_an_unfaithful_first_answer_goes_back_to_the_writer() -> None:
    writer, reviewer = Writer(), Reviewer((failed("unfaithful_history", "question"), FINE))
    (item,) = walk(cast(one(), writer=writer, reviewer=reviewer)).items
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, "unfaithful_history"]
    assert "wording 1" in item.stem


def test_a_key_is_doubted_once_only() -> None:
    doubter = Critic("doubter", "key:key_disputed", "key:key_disputed")
    out = walk(cast(one(), writer=Writer(names_key=False), expert=Expert("another answer"), option_critics=[doubter]))
    assert out.rejections[0].verdict.code == "key_disputed"
    assert [step.role for step in out.steps].count("expert answerer") == 2


def test_an_answer_that_critics_find_wanting_goes_back_to_the_expert_and_the_question_stays() -> None:
    writer, expert = Writer(names_key=False), Expert("another answer")
    out = walk(cast(one(), writer=writer, expert=expert, critics=[Critic("strict", "key:unfit_answer")]))
    (item,) = out.items
    assert (item.key, "wording 0" in item.stem) == ("another answer", True)
    assert [verdict.code if verdict else None for verdict in expert.heard] == [None, "unfit_answer"]
    assert len(writer.heard) == 1


def test_an_answer_that_the_expert_only_says_better_is_judged_again() -> None:
    expert = Expert(reference="The answer, with every name in full.")
    out = walk(
        cast(one(), writer=Writer(names_key=False), expert=expert, critics=[Critic("strict", "key:unfit_answer")])
    )
    assert out.items[0].reference_answer == "The answer, with every name in full."


def test_an_answer_that_the_expert_does_not_change_needs_another_question() -> None:
    writer = Writer(names_key=False)
    out = walk(cast(one(), writer=writer, critics=[Critic("strict", "key:unfit_answer")]))
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, "unfit_answer"]
    assert "wording 1" in out.items[0].stem


def test_where_question_and_answer_are_both_at_fault_the_question_is_written_again() -> None:
    writer, expert = Writer(names_key=False), Expert("another answer")
    panel = (Critic("first", "key:unfaithful"), Critic("second", "vague"))
    out = walk(replace(cast(one(), writer=writer, expert=expert), draft_critics=(panel,)))
    assert "wording 1" in out.items[0].stem
    assert expert.heard == [None, None]


def test_a_key_that_the_writer_named_is_not_replaced_by_the_experts() -> None:
    out = walk(cast(one(), expert=Expert("another answer"), option_critics=[Critic("doubter", "key:key_disputed")]))
    assert out.rejections[0].verdict.code == "key_disputed"


def test_one_critic_may_give_several_verdicts_and_each_is_counted() -> None:
    class Rater(Critic):
        async def judge(self, *said: Any) -> Any:
            return (Verdict(critic="clear", passed=True, reason="5 of 5"), await super().judge(*said))

    out = walk(cast(one(), critics=[Rater("useful", "useless")]), revisions=0)
    assert (out.rejections[0].verdict.critic, out.rejections[0].verdict.code) == ("useful", "useless")
    assert "clear: passed" in out.steps[4].output


def test_the_critics_of_a_panel_are_asked_at_once_and_the_writer_hears_all_their_reasons() -> None:
    writer = Writer()
    panel = (Critic("first", "unclear"), Critic("second", "vague"), Critic("third"))
    never = Critic("next panel", "not asked in the first round")
    out = walk(replace(cast(one(), writer=writer), draft_critics=(panel, (never,))), revisions=1)
    heard = writer.heard[1]
    assert heard is not None
    assert (heard.code, "says unclear" in heard.reason, "says vague" in heard.reason) == ("unclear", True, True)
    assert "third" not in heard.reason
    assert out.rejections[0].verdict.code == "not asked in the first round"


class Speechless:
    """A role that cannot do its work, whatever it is asked."""

    name = "speechless"

    async def _fail(self, *said: object) -> Never:
        raise RoleFailed("model_refused", "The model refused.")

    extract = write = answer = judge = read = review = _fail


@pytest.mark.parametrize(
    ("role", "before"),
    [
        ("writer", []),
        ("expert", ["question writer", "question reader"]),
        ("screen", ["question writer"]),
        ("question_reader", ["question writer"]),
        ("draft_critics", ["question writer", "question reader", "expert answerer"]),
        ("distractors", ROUND),
        ("option_critics", [*ROUND, "distractor writer"]),
        ("reviewer", [*ROUND, "distractor writer"]),
    ],
)
def test_a_role_that_cannot_do_its_work_ends_its_unit_as_failed_and_not_the_chunk(
    role: str, before: list[str]
) -> None:
    panels = ((Speechless(),),)
    part: dict[str, Any] = {"screen": panels, "draft_critics": panels, "option_critics": panels[0]}
    played = part.get(role, Speechless())
    out = walk(replace(cast(UNITS[:2]), **{role: played}))
    assert [r.unit.id for r in out.rejections] == [u.id for u in UNITS[:2]]
    assert all(r.verdict.failed and r.verdict.code == "model_refused" for r in out.rejections)
    mine = [step for step in out.steps if step.unit_id == UNITS[0].id]
    assert [step.role for step in mine[: len(before)]] == before
    failed = mine[len(before)]
    assert (failed.verdict, "The model refused." in failed.output) == ("model_refused", True)


def test_a_chunk_whose_units_cannot_be_found_ends_with_the_reason() -> None:
    out = walk(replace(cast(UNITS), units=Speechless()))
    assert (out.found, out.items, roles(out)) == (0, (), ["unit extractor"])
    failure = out.failure
    assert failure is not None
    assert (failure.failed, failure.code) == (True, "model_refused")


def test_a_step_names_the_model_calls_it_took() -> None:
    class Calling(Writer):
        async def write(self, *said: Any) -> Draft | None:
            place = bound()
            assert place.calls is not None
            place.calls.append(f"call for {place.unit_id}")
            return await super().write(*said)

    out = walk(cast(one(), writer=Calling()))
    assert {step.role: step.calls for step in out.steps}["question writer"] == (f"call for {UNITS[0].id}",)
    assert {step.role: step.calls for step in out.steps}["critics"] == ()


@pytest.mark.parametrize("name", ["chunk", "item", "run"])
def test_the_picture_in_the_docs_is_the_graph(name: str) -> None:
    from viva.graphs import chunk, item, run

    drawn = {"chunk": chunk.graph, "item": item.graph, "run": run.graph}[name].get_graph().draw_mermaid()
    kept = (Path(__file__).parents[3] / "docs" / f"graph-{name}.mmd").read_text(encoding="utf-8")
    assert drawn == kept
