"""A program in the chair, a real one: it may hang, die, leak or talk nonsense, and each is told in words."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from asyncio.subprocess import Process
from pathlib import Path
from typing import Any

import pytest
from specs_by_hand import OPTIONS, STEM, asked, examinee, timed_out

from viva.core.errors import UsageError
from viva.examinees.adapters.command import CommandCandidate, CommandDied
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.specs.records import CommandSpec

PROGRAM = Path(__file__).parents[2] / "support/own_program.py"


def program(how: str, **more: object) -> CommandCandidate:
    return CommandCandidate(CommandSpec(examinee=examinee(), run=[sys.executable, str(PROGRAM), how], **more))  # type: ignore[arg-type]


def several(system: CommandCandidate, *stems: str, together: bool = False) -> list[Answer | BaseException]:
    async def all_of_them() -> list[Answer | BaseException]:
        if together:
            return await asyncio.gather(*(system.answer(stem) for stem in stems), return_exceptions=True)
        return [(await asyncio.gather(system.answer(stem), return_exceptions=True))[0] for stem in stems]

    try:
        return asyncio.run(all_of_them())
    finally:
        system.close()


def texts(found: list[Answer | BaseException]) -> list[str]:
    return [answer.text for answer in found if isinstance(answer, Answer)]


def dies_soon(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
        # one that nobody has buried yet is dead all the same
        if not state or state.startswith("Z"):
            return True
        time.sleep(0.02)
    return False


def pid_of(system: CommandCandidate) -> int:
    assert system._program is not None
    return system._program.result()._process.pid


def test_a_program_answers_with_passages_ids_and_tokens() -> None:
    answer = asked(program("good"))
    assert (answer.text, answer.choice) == ("B", 1)
    assert [(p.text, p.source_id) for p in answer.passages] == [("It holds 30 litres.", "t-1")]
    assert answer.usage is not None
    assert answer.usage.input_tokens == 9


def test_it_is_told_the_question_in_all_forms_and_started_once() -> None:
    told = [json.loads(text) for text in texts(several(program("echo"), "é “one” 灯塔?\n", "two?"))]
    assert [each["stem"] for each in told] == ["é “one” 灯塔?\n", "two?"]
    assert told[0]["options"] is told[0]["passages"] is None
    assert told[0]["pid"] == told[1]["pid"]
    with_options = json.loads(asked(program("echo")).text)
    assert with_options["options"] == list(OPTIONS)
    assert with_options["question"].splitlines()[:3] == [STEM, "A) 20 litres", "B) 30 litres"]


def test_passages_are_handed_over_where_the_program_takes_them() -> None:
    assert not program("echo").takes_passages
    assert json.loads(asked(program("echo", takes_passages=True), passages=["one"]).text)["passages"] == ["one"]


def test_answers_may_come_in_any_order() -> None:
    assert texts(several(program("backwards"), "one", "two", "three", together=True)) == ["one", "two", "three"]


def test_a_program_does_not_get_what_it_could_write_into_the_run_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_DATABASE_URL", "postgresql://me:secret@host/viva")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "secret")
    monkeypatch.setenv("PGPASSWORD", "secret")
    given = set(asked(program("variables")).text.split())
    assert "PATH" in given
    assert not {"VIVA_DATABASE_URL", "PGPASSWORD", "RAY_AUTH_TOKEN"} & given


def test_it_runs_in_its_folder_with_its_environment(tmp_path: Path) -> None:
    system = program("environment", folder=str(tmp_path), environment={"MY_INDEX": "here"})
    assert asked(system).text == f"here in {tmp_path.name}"


def test_answers_in_other_languages_arrive_whole() -> None:
    assert asked(program("languages")).text == "灯塔 المنارة 🗼"


@pytest.mark.parametrize(
    ("how", "raised", "words"),
    [
        ("dies", CommandDied, "exit status 3; its last words on stderr: loading / no index at all"),
        ("closes", CommandDied, "It closed its output"),
        ("prints", BadAnswerError, "no JSON object: “Loading the model …”. Logs go to stderr."),
        ("a list", BadAnswerError, "no JSON object: “[1, 2]”"),
        ("nested 950", BadAnswerError, "no JSON object"),
        ("nested 100000", BadAnswerError, "no JSON object"),
        ("other id", BadAnswerError, "the id “another”, which was not asked"),
        ("no id", BadAnswerError, "which was not asked"),
        ("long line", BadAnswerError, "a line longer than 2 MB"),
        ("no answer", NoAnswerError, "holds no answer"),
        ("a truth value", BadAnswerError, "the truth value True; expected a text or a number"),
        ("an error", BadAnswerError, "says that it failed: “the index is empty”"),
    ],
)
def test_what_goes_wrong_is_told_in_words(how: str, raised: type[Exception], words: str) -> None:
    with pytest.raises(raised) as caught:
        asked(program(how))
    assert words in str(caught.value)


def test_what_a_program_writes_before_it_is_asked_is_told_to_whoever_asks_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = asyncio.create_subprocess_exec

    async def started_and_left_alone(*argv: str, **more: Any) -> Process:
        process = await start(*argv, **more)
        await asyncio.sleep(0.5)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", started_and_left_alone)
    system = CommandCandidate(CommandSpec(examinee=examinee(), run=[sys.executable, "-c", "print(1)"]))
    with pytest.raises(BadAnswerError, match="no JSON object: “1”"):
        asked(system)


def test_a_number_that_a_program_writes_is_its_text() -> None:
    assert asked(program("a number")).text == "7"


def test_a_program_that_dies_midway_is_started_again() -> None:
    found = several(program("dies on the second"), "one", "two", "three")
    first, second, third = found
    assert isinstance(first, Answer)
    assert isinstance(second, CommandDied)
    assert "SIGABRT" in str(second)
    assert isinstance(third, Answer)
    assert first.text != third.text


def test_a_program_that_leaks_is_held_to_its_memory_and_started_again() -> None:
    found = several(program("leaks", memory_mb=256), "one", "two")
    assert all(isinstance(each, CommandDied) and "MemoryError" in str(each) for each in found)


def test_a_program_that_hangs_is_killed_and_started_again() -> None:
    system = program("hangs")
    assert timed_out(system, 0.5)
    first = pid_of(system)
    assert dies_soon(first)
    assert timed_out(system, 0.5)
    assert pid_of(system) != first
    system.close()


def test_one_that_is_given_up_takes_no_other_question_with_it() -> None:
    system = program("slow for one")

    async def two() -> tuple[str, str]:
        given_up, beside = (asyncio.ensure_future(system.answer(stem)) for stem in ("one", "two"))
        while not system._program or not system._program.done() or len(system._program.result()._waiting) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        given_up.cancel()
        await asyncio.wait({given_up})
        later = await system.answer("three")
        return (await beside).text, later.text

    try:
        beside, later = asyncio.run(two())
    finally:
        system.close()
    # the program that was too slow answers what it was asked, and is asked nothing more
    assert beside != later


def test_closing_ends_the_program_and_its_children() -> None:
    system = program("child")
    pids = [int(asyncio.run(system.answer(STEM)).text), pid_of(system)]
    system.close()
    assert all(dies_soon(pid) for pid in pids)


def test_asked_again_after_closing_it_starts_again() -> None:
    system = program("good")
    assert asked(system).choice == 1
    assert asked(system).choice == 1


def test_long_answers_are_cut_and_that_is_told() -> None:
    answer = asked(program("long"))
    assert len(answer.text) == 20_000
    assert len(answer.passages) == 50
    assert max(len(passage.text) for passage in answer.passages) == 20_000
    assert answer.meta["capped"] == "text (30,000 characters), passages (60), a passage (30,000 characters)"


def test_much_on_stderr_blocks_nobody() -> None:
    assert asked(program("shouts")).choice == 1


@pytest.mark.parametrize(
    ("argv", "more", "words"),
    [
        (["no-such-program-here"], {}, "no-such-program-here, which is not there"),
        (["./not-here.sh"], {}, "which is not there"),
        ([sys.executable], {"folder": "no/such/folder"}, "which is not there"),
    ],
)
def test_a_spec_that_cannot_work_is_refused_before_anybody_sits(
    argv: list[str], more: dict[str, str], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        CommandCandidate(CommandSpec(examinee=examinee(), run=argv, **more))  # type: ignore[arg-type]


def test_a_program_that_cannot_be_started_is_said(tmp_path: Path) -> None:
    file = tmp_path / "not_a_program"
    file.write_text("no program")
    with pytest.raises(UsageError, match="cannot be started"):
        asked(CommandCandidate(CommandSpec(examinee=examinee(), run=[str(file)])))
