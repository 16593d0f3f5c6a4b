"""The command that CI runs: it does all or nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a checkout whose `make` only says what it was asked for."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    make = folder / "make"
    make.write_text('#!/bin/sh\necho "make $*" >> made\n')
    make.chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    return subprocess.run(
        [folder / ".ci/run", *arguments],
        env=os.environ | {"PATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["tests/unit/core"], ["-k", "ids"], [""], ["test", "--fast"]])
def test_what_it_does_not_know_it_refuses(tmp_path: Path, arguments: list[str]) -> None:
    done = ran(tmp_path, *arguments)
    assert done.returncode == 2
    assert f"unknown argument: {' '.join(arguments)}\n" in done.stderr
    assert "It takes no arguments" in done.stderr
    assert not (tmp_path / "made").exists()


def test_without_arguments_it_runs_all_checks(tmp_path: Path) -> None:
    assert ran(tmp_path).returncode == 0
    assert (tmp_path / "made").read_text() == "make test-all\n"
