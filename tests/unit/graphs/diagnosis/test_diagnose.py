"""A diagnosis finds the fault that was planted, asks nobody twice, and says what it cannot know."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from by_hand import response
from model_brains import Scripted
from model_server import ModelServer, serve
from pump_run import PUMPS, pump_context, pump_exam, question, sit_all

from viva.core.errors import UsageError
from viva.core.records import Exam, Examinee
from viva.core.scores_diagnosis import Blame, Condition, Diagnosis, FailureMode
from viva.graphs import results, stages
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.diagnose import diagnose_own, diagnose_run
from viva.graphs.diagnosis.peer_responses import diagnoses_of

PLANTED = {
    "finds_nothing": Blame.RETRIEVAL,
    "reads_nothing": Blame.READING,
    "drowns": Blame.DISTRACTION,
    "is_misled": Blame.KNOWLEDGE,
    "wavers": Blame.UNDECIDED,
    "overlooks": Blame.READING,
}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "calls"
    file.touch()
    monkeypatch.setenv("PUMP_LOG", str(file))
    return file


def asked(log: Path) -> int:
    return len(log.read_text().splitlines())


def diagnosed(context: RunContext) -> Diagnosis:
    sit_all(context)
    (found,) = diagnose_run(context)
    return found


@pytest.mark.parametrize(("name", "blame"), PLANTED.items())
def test_the_planted_fault_is_found(name: str, blame: Blame, tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", name))
    assert found.wrong == found.diagnosed == PUMPS
    assert {answer.blame for answer in found.answers} == {blame}
    counted = {row.blame: row.answers for row in found.rows}
    assert counted == Counter({blame: PUMPS, **dict.fromkeys(set(Blame) - {blame}, 0)})


def test_what_a_stand_in_guesses_right_is_undecided_and_the_rest_is_retrieval(tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", "takes_none"))
    counted = Counter(answer.blame for answer in found.answers)
    lucky = sum(answer.right[Condition.OWN] for answer in found.answers)
    assert counted == Counter({Blame.RETRIEVAL: PUMPS - lucky, Blame.UNDECIDED: lucky})
    assert counted[Blame.RETRIEVAL] > lucky


def test_a_lucky_guess_without_passages_is_no_knowledge(tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", "guesses_b"))
    lucky = [answer for answer in found.answers if answer.right[Condition.CLOSED_BOOK]]
    assert lucky
    assert {answer.known for answer in lucky} == {False}
    assert {answer.blame for answer in found.answers} == {Blame.RETRIEVAL}


def test_answers_that_come_out_otherwise_are_put_down_to_nothing(tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", "wavers"))
    assert (found.asked_again, found.changed) == (PUMPS, PUMPS)
    assert list(found.undecided.values()) == [PUMPS]


def test_a_question_that_nobody_with_the_evidence_answers_is_itself_to_blame(tmp_path: Path) -> None:
    exam = Exam.of([*pump_exam(4).items, question(6, key="9 barrels")])
    context = pump_context(tmp_path / "run", "reads_nothing", exam=exam)
    for n in range(2):
        witness = Examinee(id=f"o{n}", name=f"oracle {n}", spec="o", components={"retriever": "oracle"})
        context.store.add_examinee(witness)
        keyed = [(shown, shown.key_position) for shown in exam.items[:4]]
        missed = [(exam.items[4], (exam.items[4].key_position + 1) % 4)]
        context.store.add_responses([response(witness.id, shown, choice) for shown, choice in keyed + missed])
    found = diagnosed(context)
    blames = {answer.item_id: answer.blame for answer in found.answers}
    assert blames.pop(exam.items[4].item.id) is Blame.ITEM
    assert set(blames.values()) == {Blame.READING}


def test_a_question_without_evidence_is_undecided_and_counted(tmp_path: Path) -> None:
    exam = Exam.of([question(1), question(2, evidence=False)])
    found = diagnosed(pump_context(tmp_path / "run", "finds_nothing", exam=exam))
    assert {answer.blame for answer in found.answers} == {Blame.RETRIEVAL, Blame.UNDECIDED}
    assert found.undecided == {"the question has no evidence that could be handed": 1}


def test_failures_of_a_condition_are_counted_and_lay_no_blame(tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", "breaks"))
    assert {answer.blame for answer in found.answers} == {Blame.UNDECIDED}
    rows = {row.condition: row for row in found.conditions}
    assert {row.failed for row in rows.values()} == {PUMPS}
    assert all(row.share is None and row.right == 0 for row in rows.values())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("says_nothing_of_passages", "Only multiple-choice questions are diagnosed"),
        ("fails", "failed on every question"),
    ],
)
def test_who_sat_and_cannot_be_diagnosed_is_told_why(name: str, said: str, tmp_path: Path) -> None:
    shown = question(1)
    item = shown.item.model_copy(update={"distractors": ()})
    shown = shown.model_copy(update={"item": item, "options": (item.key,), "key_position": 0})
    with pytest.raises(UsageError, match=said):
        diagnosed(pump_context(tmp_path / "run", name, exam=Exam.of([shown])))


def test_a_stand_in_is_named_and_its_agreement_told(tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", "overlooks"))
    assert not found.own_reader
    assert "reference reader" in found.reader
    assert found.agreement is not None
    assert found.agreement.value == 0.0
    assert any("stood in" in note for note in found.notes)
    assert {answer.known for answer in found.answers} == {None}


def test_nobody_is_asked_twice(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = diagnosed(pump_context(folder, "finds_nothing"))
    # the exam; closed book, own, oracle, among distractors; again
    assert asked(log) == PUMPS * 6
    again = pump_context(folder, "finds_nothing")
    (second,) = diagnose_run(again)
    assert asked(log) == PUMPS * 6
    assert first == second


def test_an_interrupted_diagnosis_goes_on_where_it_was(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    context = pump_context(folder, "finds_nothing")
    sit_all(context)

    def struck(stage: str, done: int, total: int, note: str = "") -> None:
        if "the evidence instead" in note:
            raise KeyboardInterrupt

    context.watch = struck
    with pytest.raises(KeyboardInterrupt):
        diagnose_run(context)
    before = asked(log)
    assert PUMPS * 3 < before < PUMPS * 6
    (found,) = diagnose_run(pump_context(folder, "finds_nothing"))
    assert asked(log) == PUMPS * 6
    assert {answer.blame for answer in found.answers} == {Blame.RETRIEVAL}


def test_a_system_is_asked_no_more_than_it_agreed_to(log: Path, tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", "finds_nothing", ablation_questions=3))
    assert (found.wrong, found.diagnosed, found.beyond) == (PUMPS, 3, PUMPS - 3)
    assert asked(log) == PUMPS + 3 * 5
    assert any("drawn at random" in note for note in found.notes)


def test_without_questions_nothing_is_diagnosed_and_nothing_claimed(log: Path, tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "run", "finds_nothing", ablation_questions=0))
    assert asked(log) == PUMPS
    assert (found.diagnosed, found.by_luck) == (0, None)
    assert all(row.share is None for row in found.rows)


def test_what_a_diagnosis_asks_is_not_among_the_scores(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    diagnosed(pump_context(folder, "finds_nothing"))
    context = pump_context(folder, "finds_nothing")
    results.score(context)
    assert [row.examinee.name for row in results.scores_of(context.store, context.folder).examinees] == [
        "finds_nothing"
    ]
    context.close()


def test_rules_tell_the_modes_they_can_and_no_other(tmp_path: Path) -> None:
    found = diagnosed(pump_context(tmp_path / "a", "finds_nothing"))
    assert found.modes == {FailureMode.MISSED_TOP_RANKED.value: PUMPS}
    found = diagnosed(pump_context(tmp_path / "b", "mumbles"))
    assert found.modes == {FailureMode.WRONG_FORMAT.value: PUMPS}
    # the option taken was offered, and has a number that no passage has
    found = diagnosed(pump_context(tmp_path / "c", "overlooks"))
    assert found.modes == {"not told": PUMPS}
    found = diagnosed(pump_context(tmp_path / "d", "invents"))
    assert found.modes == {FailureMode.FABRICATION.value: PUMPS}


def test_a_reference_system_is_diagnosed_on_what_it_reads(tmp_path: Path) -> None:
    # it tells five passages and reads one
    context = pump_context(tmp_path / "run", "closed-book+lexical")
    sit_all(context)
    (found,) = diagnose_run(context)
    assert found.own_reader
    assert found.asked_again == 0
    assert set(found.undecided) <= {"it told no passages"}


def test_who_has_not_sat_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no answer to this exam") as caught:
        diagnose_run(pump_context(tmp_path / "run", "drowns"))
    assert "viva sit" in caught.value.next_step


def test_within_a_run_only_who_shows_or_takes_passages_is_diagnosed(tmp_path: Path) -> None:
    context = pump_context(tmp_path / "run", "drowns", "says_nothing_of_passages", "bm25+lexical")
    sit_all(context)
    asyncio.run(diagnose_own(context))
    exam = stages.exam_of(context.store, context.folder)
    assert [found.examinee.name for found in diagnoses_of(context.store, exam)] == ["drowns"]
    context.close()


# --- with a language model --------------------------------------------------------------------------------


def criticised(folder: Path, server: ModelServer, name: str = "reads_nothing", **settings: object) -> Diagnosis:
    given = {"model": ("vllm:critic",), "base_url": server.url, "concurrency": 1, **settings}
    return diagnosed(pump_context(folder, name, **given))


def mode_told(mode: str) -> str:
    return f"[[ ## rationale ## ]]\nso it seems\n\n[[ ## mode ## ]]\n{mode}\n\n[[ ## completed ## ]]"


def test_the_critic_tells_what_rules_cannot(tmp_path: Path) -> None:
    with serve(Scripted(after=mode_told("logic"))) as server:
        found = criticised(tmp_path / "run", server)
    assert found.modes == {"logic": PUMPS}
    assert {(answer.mode.by, answer.mode.why) for answer in found.answers} == {("critic", "so it seems")}


def test_where_the_critic_tells_nothing_the_rule_stands(tmp_path: Path) -> None:
    with serve(Scripted(after=mode_told("none of these"))) as server:
        found = criticised(tmp_path / "run", server, "invents")
    assert {answer.mode.by for answer in found.answers} == {"rule"}


def test_a_critic_that_fails_is_counted_as_not_told_or_by_rule_and_the_blame_stands(tmp_path: Path) -> None:
    with serve(Scripted(after="I would rather not say.")) as server:
        found = criticised(tmp_path / "run", server, "invents")
    assert {answer.blame for answer in found.answers} == {Blame.READING}
    assert sum(found.modes.values()) == PUMPS
    assert {answer.mode.by for answer in found.answers} == {"rule"}


def test_a_spent_budget_ends_the_critic_not_the_diagnosis(tmp_path: Path) -> None:
    with serve(Scripted(after=mode_told("logic"))) as server:
        found = criticised(tmp_path / "run", server, max_calls=3)
    assert found.modes["logic"] == 3
    assert {answer.blame for answer in found.answers} == {Blame.READING}
    assert any("did not read 5 answers" in note for note in found.notes)
