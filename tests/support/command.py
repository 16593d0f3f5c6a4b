"""The command line for tests: real processes that can be killed, without paying for the imports each time.

A fork server imports and loads what the commands would (loaded.py), once; each command is then a process of its
own, with its own arguments, folder, environment and output files. `fresh` starts the installed `viva` instead, from
nothing.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver, get_context
from pathlib import Path
from typing import Any

import pytest

VIVA = Path(sys.executable).with_name("viva")
# read when torch and the tokenizers are imported: the fork server must have them from the start
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# one thread each where nobody says otherwise: two cores are shared, and nothing depends on it
# and nobody sits but those a test names, nor is examined orally, where it does not say otherwise
CALM = {
    "OMP_NUM_THREADS": os.environ["OMP_NUM_THREADS"],
    "TOKENIZERS_PARALLELISM": "false",
    "COLUMNS": "160",
    "VIVA_MANUFACTURED": "false",
    "VIVA_ORAL_QUESTIONS": "0",
}

_server = get_context("forkserver")
_server.set_forkserver_preload(["loaded"])
_path_before = os.environ.get("PYTHONPATH")


@cache
def _serve() -> None:
    """Start the fork server where it finds loaded.py: it is not told of sys.path, and passes over what it misses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
        forkserver.ensure_running()


@dataclass(frozen=True)
class Done:
    """How a command ended. `code` is negative where a signal ended it."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both streams, for what must not stand in either."""
        return self.out + self.err

    def json(self) -> Any:
        """Standard output, which must be one JSON document."""
        return json.loads(self.out)


def _child(
    arguments: tuple[str, ...], folder: str, environment: Mapping[str, str], out: str, err: str, ignoring: bool
) -> None:
    os.setpgid(0, 0)
    for path, number in ((out, 1), (err, 2)):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", buffering=1, closefd=False)
    os.chdir(folder)
    assert "loaded" in sys.modules
    del os.environ["PYTHONPATH"]
    os.environ.update(CALM | ({"PYTHONPATH": _path_before} if _path_before else {}) | dict(environment))
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignoring else signal.default_int_handler)
    if "VIVA_TEST_NO_NETWORK" in environment:
        del os.environ["VIVA_TEST_NO_NETWORK"]
        _switch_off_network()
    vectors, most = (os.environ.pop(name, "") for name in ("VIVA_TEST_VECTORS", "VIVA_TEST_MOST_BYTES"))
    if vectors:
        from vectors import embed_once

        embed_once(Path(vectors), keep=not most)
    if most:
        # of a file that is written: more is refused as on a full disk (EFBIG)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    sys.argv = ["viva", *arguments]
    from viva.cli.main import main

    main()


def _switch_off_network() -> None:
    """Every connection out of this process fails from now on, to its own machine too."""

    def refused(_socket: socket.socket, address: object) -> None:
        raise OSError(f"the network is switched off: {address!r}")

    socket.socket.connect = refused
    socket.socket.connect_ex = refused


class Running:
    """A command at work; `ignoring`: it is started as in the background, where SIGINT is ignored."""

    def __init__(
        self,
        *arguments: str | Path,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        ignoring: bool = False,
    ) -> None:
        self._output = tempfile.TemporaryDirectory(prefix="viva-test-")
        self._out, self._err = (Path(self._output.name) / name for name in ("out", "err"))
        given = tuple(map(str, arguments))
        where = str(folder or Path.cwd())
        # the fork server may be older than the session's folder
        variables = {"VIVA_TEST_VECTORS": os.environ.get("VIVA_TEST_VECTORS", "")} | dict(environment or {})
        self._process = _server.Process(
            target=_child, args=(given, where, variables, str(self._out), str(self._err), ignoring)
        )
        _serve()
        self._process.start()

    @property
    def pid(self) -> int:
        """Of the command's process, which leads a process group."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.is_alive()

    def send(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def wait_for(self, come: Callable[[], bool], *, seconds: float = 60) -> bool:
        """Wait until it has come to this; False if the command ended first."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if come():
                return True
            if not self.alive:
                return come()
            time.sleep(0.002)
        raise AssertionError(f"not come to it within {seconds} s:\n{self._err.read_text(errors='replace')}")

    def done(self, seconds: float = 120) -> Done:
        """Wait for its end."""
        self._process.join(seconds)
        if self._process.exitcode is None:
            self.send(signal.SIGKILL)
            self._process.join()
            raise AssertionError(f"still running after {seconds} s:\n{self._err.read_text(errors='replace')}")
        out, err = (
            path.read_text("utf-8", errors="replace") if path.exists() else "" for path in (self._out, self._err)
        )
        code = self._process.exitcode
        self._output.cleanup()
        return Done(code, out, err)


def viva(
    *arguments: str | Path,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float = 120,
) -> Done:
    """A command from beginning to end."""
    return Running(*arguments, folder=folder, environment=environment).done(seconds)


def fresh(
    *arguments: str | Path,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    seconds: float = 120,
) -> Done:
    """The installed command, in an interpreter of its own; `before` stands in front of it."""
    ran = subprocess.run(
        [*before, str(VIVA), *map(str, arguments)],
        cwd=folder,
        env=os.environ | CALM | dict(environment or {}),
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    return Done(ran.returncode, ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace"))


def copy_run(run: Path, folder: str | Path) -> Path:
    """Copy a run folder that others may be reading: what SQLite has open meanwhile is not part of it."""
    return Path(shutil.copytree(run, folder, ignore=shutil.ignore_patterns("*-wal", "*-shm")))
