"""A program in the chair: it reads one JSON object per line and writes one per line, in any order."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import signal
import sys
import weakref
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Any

from viva.core.errors import UsageError
from viva.examinees.adapters.base import LONGEST_REPLY, Adapter
from viva.examinees.adapters.replies import parsed
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.readers.choosing import Asked
from viva.examinees.readers.reading import first_words, read_answer
from viva.examinees.specs.records import CommandSpec
from viva.llm import interrupts
from viva.llm.secrets import Secrets
from viva.storage.corpus.source import storable

_LAST_BYTES = 2_000
_LAST_LINES = 3
_LAST_WORDS_S = 0.5
# set where nothing else runs, then handed on: setting it between fork and exec is not safe beside threads
_LIMITED = (
    "import os, resource, sys; limit = int(sys.argv[1]); "
    "resource.setrlimit(resource.RLIMIT_AS, (limit, limit)); os.execvp(sys.argv[2], sys.argv[2:])"
)


class CommandDied(Exception):
    """The program ended with a question open. The text holds its exit status and what it last wrote to stderr."""


class CommandCandidate(Adapter):
    """Keeps the program running between questions; starts it again when it has died or was too slow."""

    takes_history = True

    def __init__(self, spec: CommandSpec) -> None:
        super().__init__(spec.examinee)
        _check(spec)
        self._spec = spec
        self._numbers = itertools.count(1)
        self._program: asyncio.Future[_Running] | None = None
        self.takes_passages = spec.takes_passages

    async def _ask(self, asked: Asked) -> Answer:
        number = str(next(self._numbers))
        running = await self._at_work()
        reply = await running.asked(number, _line(number, asked))
        if isinstance(reply.get("error"), str):
            raise BadAnswerError(f"It says that it failed: {first_words(reply['error'], 300)}.")
        if all(reply.get(field) is None for field in ("answer", "text", "choice")):
            raise NoAnswerError(f"Its line holds no answer: it has {', '.join(list(reply)[:8])}.")
        return read_answer({field: value for field, value in reply.items() if field != "id"}, asked.options)

    async def _at_work(self) -> _Running:
        """The program, started where none runs."""
        program = self._program
        if program is None or (program.done() and (program.exception() or program.result().closed)):
            program = self._program = asyncio.ensure_future(_Running.started(self._spec))
        # whoever gives up waiting does not leave half a program behind
        return await asyncio.shield(program)

    async def _end(self) -> None:
        if self._program is not None:
            await (await self._program).end("the examination is over")
            self._program = None


_NOT_INHERITED = {"VIVA_DATABASE_URL", "PGPASSWORD", "RAY_AUTH_TOKEN"}
"""With which a program could write into the run, or into its cluster."""


class _Running:
    """One process: whoever waits for which line, and what it wrote to stderr."""

    def __init__(self, process: Process) -> None:
        self._process = process
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("it was started with pipes")
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._given_up: set[str] = set()
        self._early: Exception | None = None
        """what went wrong before the first question: whoever asks it is told"""
        self._last = bytearray()
        self._was_asked = False
        self.closed = False
        """whether it is asked nothing more"""
        # also where nobody closes: no program outlives the examination
        self._killer = weakref.finalize(self, _kill, process.pid)
        interrupts.at_last(self._killer)
        self._tasks = [asyncio.create_task(self._read_replies()), asyncio.create_task(self._read_complaints())]

    @classmethod
    async def started(cls, spec: CommandSpec) -> _Running:
        argv = spec.run
        if spec.memory_mb is not None:
            argv = [sys.executable, "-I", "-S", "-c", _LIMITED, str(spec.memory_mb * 2**20), *argv]
        inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=spec.folder or None,
                env={**inherited, **spec.environment},
                # a group of its own: Ctrl-C is viva's to handle, and its children end with it
                start_new_session=True,
                limit=LONGEST_REPLY,
            )
        except (OSError, ValueError) as error:
            raise UsageError(f"The program {spec.run[0]} cannot be started: {error}.") from error
        return cls(process)

    async def asked(self, number: str, line: bytes) -> dict[str, Any]:
        """The object with this number. CommandDied, BadAnswerError; whoever gives up waiting has it killed."""
        if self._early is not None:
            # so that each start ends alike: one that talks without being asked is not asked
            self.closed = True
            self._killer()
            raise self._early
        self._was_asked = True
        self._waiting[number] = asyncio.get_running_loop().create_future()
        reply = self._waiting[number]
        try:
            self._stdin.write(line)
            with suppress(ConnectionError):  # the reader sees the end, and knows the reason
                await self._stdin.drain()
            return await reply
        except asyncio.CancelledError:
            self.closed = True
            self._given_up.add(number)
            raise
        finally:
            self._waiting.pop(number, None)
            # those asked beside one that was given up are not lost with it: the last of them ends what hangs
            if self.closed and not self._waiting:
                self._killer()

    async def end(self, reason: str) -> None:
        """Kill the whole group; whoever still waits is told the reason."""
        self.closed = True
        self._killer()
        self._fail(CommandDied(reason))
        # at the end of its output they end by themselves
        await asyncio.wait(self._tasks, timeout=2 * _LAST_WORDS_S)
        self._close_pipes()

    async def _read_replies(self) -> None:
        while True:
            try:
                line = await self._stdout.readline()
            except ValueError:
                self._fail(BadAnswerError(f"It wrote a line longer than {LONGEST_REPLY / 1e6:g} MB."))
                await self._died()
                return
            if not line:
                await self._died()
                return
            if line.strip():
                self._take(line)

    def _take(self, line: bytes) -> None:
        text = line.decode("utf-8", errors="replace")
        try:
            reply = parsed(text)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            self._fail(
                BadAnswerError(f"It wrote a line that is no JSON object: {first_words(text)}. Logs go to stderr.")
            )
            return
        number = str(reply.get("id"))
        waiting = self._waiting.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)
        elif number not in self._given_up:
            self._fail(BadAnswerError(f"It answered the id {first_words(number, 40)}, which was not asked."))

    async def _read_complaints(self) -> None:
        while block := await self._stderr.read(2**16):
            self._last += block
            del self._last[:-_LAST_BYTES]

    async def _died(self) -> None:
        """Tell whoever waits how it ended: it may have closed its output and live on."""
        self.closed = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _LAST_WORDS_S)
        code = self._process.returncode
        self._killer()
        await asyncio.wait([self._tasks[1]], timeout=_LAST_WORDS_S)
        how = "It closed its output" if code is None else f"It ended with {_status(code)}"
        self._fail(CommandDied(f"{how}; {self._complaints()}"))
        self._close_pipes()

    def _close_pipes(self) -> None:
        """Now, for later their loop is gone; nothing public closes them."""
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()

    def _complaints(self) -> str:
        lines = [line.strip() for line in self._last.decode("utf-8", errors="replace").splitlines() if line.strip()]
        if not lines:
            return "it wrote nothing to stderr."
        return f"its last words on stderr: {Secrets().redacted(storable(' / '.join(lines[-_LAST_LINES:])))}"

    def _fail(self, error: Exception) -> None:
        if not self._was_asked and self._early is None:
            self._early = error
        for number, waiting in self._waiting.items():
            if not waiting.done():
                self._given_up.add(number)
                waiting.set_exception(type(error)(*error.args))


def _line(number: str, asked: Asked) -> bytes:
    told = {
        "id": number,
        "question": asked.question,
        "stem": asked.stem,
        "options": None if asked.options is None else list(asked.options),
        "passages": None if asked.passages is None else list(asked.passages),
        "history": asked.earlier,
    }
    # in ASCII: nobody knows in which encoding it reads
    return json.dumps(told).encode("ascii") + b"\n"


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _status(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"


def _check(spec: CommandSpec) -> None:
    name = f"The examinee “{spec.examinee.name}”"
    if not Path(spec.folder).is_dir():
        raise UsageError(f"{name} is to run in the folder {spec.folder}, which is not there.")
    program = spec.run[0]
    beside = Path(spec.folder) / program
    if not (beside.is_file() if os.sep in program else shutil.which(program, path=_path_of(spec))):
        raise UsageError(
            f"{name} names the program {program}, which is not there.",
            next_step="Give its path, or a program that is on the PATH, such as python3.",
        )
    if spec.memory_mb is not None and sys.platform == "win32":
        raise UsageError(f"{name} has a memory limit, which this system cannot hold a program to.")


def _path_of(spec: CommandSpec) -> str | None:
    return spec.environment.get("PATH", os.environ.get("PATH"))
