"""Records are frozen, say what they hold, and have ids made of their content."""

from __future__ import annotations

import pytest
from by_hand import document, draft, exam, item, response, shown, source, unit
from pydantic import TypeAdapter, ValidationError

from viva.core.errors import RunLocked, RunMismatch, TransientError, UsageError, VivaError
from viva.core.records import (
    Chunk,
    Exam,
    ExpertAnswer,
    Grade,
    GradeResult,
    KnowledgeUnit,
    Rejection,
    Response,
    Ungraded,
    Verdict,
)
from viva.core.settings import ExamSettings, PlaceSettings, Settings, SittingSettings

HERE = source("Pumps move water. Valves stop it.")


def test_a_record_cannot_be_changed_and_takes_no_undeclared_field() -> None:
    with pytest.raises(ValidationError):
        HERE.document.text = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Verdict(critic="c", passed=True, reason="r", mood="glad")  # type: ignore[call-arg]


def test_a_verdict_of_an_earlier_version_is_read_without_what_is_gone() -> None:
    stored = {"critic": "item review", "passed": False, "reason": "r", "hides": False}
    assert Verdict.model_validate(stored).critic == "item review"


def test_copies_of_a_file_share_an_id_and_other_texts_do_not() -> None:
    assert document("a", "one.md").id == document("a", "two.md").id
    assert document("a").id != document("b").id


def test_a_chunk_is_its_documents_text_between_its_offsets() -> None:
    chunk = Chunk.of(HERE.document, 6, 17, 3)
    assert chunk.text == "move water."
    assert chunk.id != Chunk.of(HERE.document, 6, 16, 3).id


def test_a_draft_is_known_by_its_wording_and_its_fact() -> None:
    first = draft(HERE, "Pumps move water.", "What moves water?", "pumps")
    assert first.id == first.model_copy(update={"attempt": 3}).id
    assert first.id != first.model_copy(update={"stem": "What moves it?"}).id


def test_the_expert_gives_a_draft_its_key_where_the_writer_left_it_open() -> None:
    answer = ExpertAnswer(text="bilge pumps", reference="Bilge pumps move water.")
    named = draft(HERE, "Pumps move water.", "What moves water?", "pumps")
    left_open = named.model_copy(update={"key": "", "key_from": "expert"})
    assert named.answered(answer).key == "pumps"
    assert (left_open.answered(answer).key, left_open.answered(answer).reference_answer) == (
        "bilge pumps",
        "Bilge pumps move water.",
    )


def test_a_unit_of_two_facts_is_another_than_that_of_its_first() -> None:
    one, two = unit(HERE, "Pumps move water."), unit(HERE, "Valves stop it.")
    both = KnowledgeUnit.of(HERE.chunk, one.statement, one.evidence, two.evidence, at="a pair")
    assert both.id != one.id
    assert (both.chunk_id, both.spans) == ("a pair", (one.evidence, two.evidence))


def test_a_unit_is_rejected_once() -> None:
    fact = unit(HERE, "Valves stop it.")
    verdicts = [Verdict(critic="c", passed=False, reason=r, code=r) for r in ("one", "two")]
    assert len({Rejection.of(fact, None, verdict).id for verdict in verdicts}) == 1


def test_a_response_belongs_to_the_options_in_their_order() -> None:
    first, moved = shown(item(1), 0), shown(item(1), 2)
    assert response("e", first, 0).id != response("e", moved, 0).id
    assert response("e", first, 0).id == response("e", first, 1).id


def test_records_survive_json() -> None:
    whole = exam(3)
    assert Exam.model_validate_json(whole.model_dump_json()) == whole
    said = response("e", whole.items[0], 1)
    assert Response.model_validate_json(said.model_dump_json()) == said


def test_a_grade_and_the_lack_of_one_are_told_apart_in_json() -> None:
    adapter: TypeAdapter[GradeResult] = TypeAdapter(GradeResult)
    grade = Grade(response_id="r", examinee_id="e", item_id="i", score=1)
    ungraded = Ungraded(response_id="r", examinee_id="e", item_id="i", reason="raised")
    assert [adapter.validate_json(adapter.dump_json(g)) for g in (grade, ungraded)] == [grade, ungraded]


def test_errors_fall_into_what_a_person_can_mend_and_what_may_pass() -> None:
    assert issubclass(RunLocked, UsageError)
    assert issubclass(RunMismatch, UsageError)
    assert not issubclass(TransientError, UsageError)
    assert issubclass(TransientError, VivaError)
    error = UsageError("It is wrong.", allowed="This is right.", next_step="Do that.")
    assert str(error) == "It is wrong. This is right. Do that."
    assert str(UsageError("It is wrong.")) == "It is wrong."


def test_every_setting_belongs_to_one_of_exam_sitting_and_place() -> None:
    parts = [set(part.model_fields) for part in (ExamSettings, SittingSettings, PlaceSettings)]
    assert set(Settings.model_fields) == set.union(*parts)
    assert len(Settings.model_fields) == sum(map(len, parts))


def test_settings_come_from_the_environment_and_not_from_the_working_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cwd")
    (folder / ".env").write_text("VIVA_SEED=9\n")
    monkeypatch.chdir(folder)
    assert Settings().seed == 0
    monkeypatch.setenv("VIVA_SEED", "7")
    assert Settings().seed == 7
    assert Settings(seed=3).seed == 3


@pytest.mark.parametrize(
    ("name", "value"), [("seed", -1), ("options", 2), ("chunk_tokens", 8), ("timeout_s", 0), ("x", 1)]
)
def test_settings_out_of_range_or_unknown_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValidationError):
        Settings(**{name: value})  # type: ignore[arg-type]
