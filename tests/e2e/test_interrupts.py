"""Ctrl-C once, twice, where it is ignored, and SIGTERM: one sentence, no traceback, and the run goes on later."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import CALM, VIVA, Running, viva
from harbour import OWN, asked
from standing import count

from viva.exams.file import read_exam

# asked after another, on a loop of its own: Lingers takes its time to end
SYSTEMS = """\
import time
from pathlib import Path


class Lingers:
    def __call__(self, question):
        return "A"

    def close(self):
        Path({closing!r}).touch()
        time.sleep(60)
"""
# answers, and outlives whoever asked it unless it is killed
PROGRAM = """\
import json, os, sys, time
from pathlib import Path
Path(sys.argv[1]).write_text(str(os.getpid()))
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "answer": "A"}), flush=True)
time.sleep(600)
"""


def sitting(folder: Path, system: str, *, ignoring: bool = False) -> Running:
    """A system that sits, some of its answers in."""
    before = count(folder, "responses")
    running = Running("sit", folder, *asked(system), ignoring=ignoring)
    running.wait_for(lambda: count(folder, "responses") > before)
    return running


def works(number: int) -> bool:
    """Whether the process is there, and more than an entry that nobody has taken notice of yet."""
    said = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True, check=False)
    return bool(said.stdout.strip()) and not said.stdout.strip().startswith("Z")


def assert_goes_on(folder: Path, system: str, before: int) -> None:
    """Run again it asks the rest, and nobody twice."""
    done = viva("sit", folder, *asked(system))
    assert done.code == 0, done.err
    assert count(folder, "responses") == before + len(read_exam(folder / "exam.jsonl").items)


@pytest.mark.parametrize("ignoring", [False, True], ids=["heard", "ignored"])
def test_pressed_again_and_again_it_ends_with_its_sentence_and_no_traceback(copied: Path, ignoring: bool) -> None:
    before, system = count(copied, "responses"), f"again={OWN}:slow"
    running = sitting(copied, system, ignoring=ignoring)
    for _ in range(200):
        if not running.alive:
            break
        # it may end between the look and the press
        with suppress(ProcessLookupError):
            running.send(signal.SIGINT)
        time.sleep(0.005)
    done = running.done(30)
    assert done.code == 130
    assert done.err.endswith("Stopped: What was done is kept.\n  Run the same command again to go on.\n")
    assert "Traceback" not in done.said
    assert "KeyboardInterrupt" not in done.said
    assert_goes_on(copied, system, before)


@pytest.mark.slow
def test_in_the_background_of_a_script_it_is_interrupted_all_the_same(copied: Path) -> None:
    before, system = count(copied, "responses"), f"again={OWN}:slow"
    line = shlex.join(map(str, [VIVA, "sit", copied, *asked(system)]))
    # a shell that hears no key, and hands that down
    process = subprocess.Popen(
        ["sh", "-c", f"trap '' INT; exec {line}"], env=os.environ | CALM, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 120
    while count(copied, "responses") == before and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Run the same command again to go on." in err
    assert "Traceback" not in err
    assert_goes_on(copied, system, before)


def test_told_to_terminate_it_ends_as_when_interrupted(copied: Path) -> None:
    before, system = count(copied, "responses"), f"again={OWN}:slow"
    running = sitting(copied, system)
    running.send(signal.SIGTERM)
    done = running.done(30)
    assert done.code == 128 + signal.SIGTERM
    assert done.err.endswith("Stopped: What was done is kept.\n  Run the same command again to go on.\n")
    assert "Traceback" not in done.said
    assert_goes_on(copied, system, before)


def test_the_second_press_waits_for_no_system_and_leaves_no_program_behind(copied: Path) -> None:
    closing, number = copied.with_name("closing"), copied.with_name("number")
    lingers, program = copied.with_name("lingers.py"), copied.with_name("program.py")
    lingers.write_text(SYSTEMS.format(closing=str(closing)))
    program.write_text(PROGRAM)
    called = f"last=command:{shlex.join([sys.executable, str(program), str(number)])}"
    running = Running("sit", copied, *asked(f"first={lingers}:Lingers", called, f"{OWN}:hangs"))
    of_last = "examinee_id IN (SELECT id FROM examinees WHERE body LIKE '%\"last\"%')"
    running.wait_for(lambda: count(copied, "responses", of_last) > 0)
    running.send(signal.SIGINT)
    running.wait_for(closing.exists)
    running.send(signal.SIGINT)
    started = time.monotonic()
    done = running.done(30)
    assert time.monotonic() - started < 3
    assert done.code == 130
    assert "Traceback" not in done.said
    deadline = time.monotonic() + 10
    while works(int(number.read_text())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not works(int(number.read_text()))
