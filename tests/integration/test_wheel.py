"""What ships: built as an sdist and from that as a wheel, installed where nothing else is, and every file of it used.

Dependencies come from this environment, by path and without its .pth files: the checkout is out of sight.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "viva"
JUNK = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info")
# a mark for type checkers: nothing reads it here
NOT_READ = {"py.typed"}

BUILD = """
import sys
from setuptools import build_meta
getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2])
"""

USES_ALL = Path(__file__).parents[1] / "support" / "uses_all_that_ships.py"


@dataclass(frozen=True)
class Installed:
    """The environment's interpreter, the package in it, and what the source distribution holds."""

    python: Path
    package: Path
    source: Path

    def run(self, *arguments: str, folder: Path) -> str:
        """Standard output of the interpreter, started in the folder."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment["VIVA_JUDGES"] = str(folder / "no judges of one's own")
        return said(self.python, *arguments, folder=folder, environment=environment)


def said(*command: str | Path, folder: Path, environment: dict[str, str] | None = None) -> str:
    ran = subprocess.run(
        [str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    return ran.stdout


def shipped_files() -> dict[str, Path]:
    """All files in the package's folder, by their paths in the installed package."""
    return {
        str(file.relative_to(PACKAGE)): file
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith(".")
    }


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel of the sdist of this checkout, in an environment that holds nothing else."""
    here = tmp_path_factory.mktemp("wheel")
    checkout = here / "checkout"
    shutil.copytree(PACKAGE, checkout / "viva", ignore=JUNK)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    said(sys.executable, "-c", BUILD, "sdist", here, folder=checkout)
    with tarfile.open(next(here.glob("*.tar.gz"))) as archive:
        archive.extractall(here / "sdist", filter="data")
    (source,) = (here / "sdist").iterdir()
    said(sys.executable, "-c", BUILD, "wheel", here, folder=source)

    said(sys.executable, "-m", "venv", "--without-pip", here / "empty", folder=here)
    python = here / "empty" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install")
    said(*pip, "--no-deps", "--no-index", next(here.glob("*.whl")), folder=here)
    site = Path(said(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=here).strip())
    packages = [each for each in sys.path if Path(each).name in {"site-packages", "dist-packages"}]
    (site / "dependencies.pth").write_text("".join(f"{each}\n" for each in packages), encoding="utf-8")
    return Installed(python, site / "viva", source)


def test_every_file_of_the_packages_ships_as_it_is(installed: Installed) -> None:
    files = shipped_files()
    assert len(files) > 600
    for name, file in files.items():
        assert (installed.package / name).is_file(), f"the wheel lacks {name}"
        assert (installed.package / name).read_bytes() == file.read_bytes(), name
        assert (installed.source / "viva" / name).is_file(), f"the sdist lacks {name}"


def test_every_file_is_read_and_every_judge_judges_where_the_checkout_is_out_of_sight(
    installed: Installed, tmp_path: Path
) -> None:
    found = json.loads(installed.run("-c", USES_ALL.read_text("utf-8"), folder=tmp_path))
    assert found["home"] == str(installed.package)
    assert ROOT not in {(tmp_path / place).resolve() for place in found["path"]}
    assert found["unusable"] == []
    data = {name for name in shipped_files() if not name.endswith(".py")}
    assert data - set(found["opened"]) == NOT_READ
    assert found["judged"].keys() == {"answerability", "correctness", "faithfulness"}
    for name, (good, bad) in found["judged"].items():
        assert good > bad, name


def test_the_command_is_there_and_knows_the_judges(installed: Installed, tmp_path: Path) -> None:
    told = json.loads(installed.run("-m", "viva", "judges", "--json", folder=tmp_path))
    assert told["unusable"] == []
    measured = [card for card in told["judges"] if card["make"] == "offline" and card["measured"]]
    assert {card["judges"] for card in measured} == {"answerability", "correctness", "faithfulness"}
    viva = installed.python.with_name("viva" + installed.python.suffix)
    assert said(viva, "--version", folder=tmp_path).startswith("viva ")


def test_a_clone_runs_without_being_installed(installed: Installed) -> None:
    """Where the dependencies are: the folders at the top are found through the links in viva/."""
    homes = "import viva.metrics, viva.prompts; print(viva.metrics.__file__, viva.prompts.__file__)"
    assert installed.run("-c", homes, folder=ROOT).split() == [
        str(ROOT / "viva" / name / "__init__.py") for name in ("metrics", "prompts")
    ]
    assert installed.run("-m", "viva", "--version", folder=ROOT).startswith("viva ")
