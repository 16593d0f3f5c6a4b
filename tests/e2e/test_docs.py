"""What the pages tell users to type: Python that runs, commands that viva has."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from harbour import write_corpus
from typer.main import get_command

from viva.cli.main import GROUPS, app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = {name for group in GROUPS.values() for name in group}


@pytest.mark.slow
def test_the_python_of_the_page_on_the_api_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "documents")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/api.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 5
    # as a module, so that the source of its functions is to be had
    (tmp_path / "page.py").write_text("\n\n".join(blocks), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import page  # type: ignore[import-not-found]

    assert page.found.verdict in {"worse", "not told apart"}
    assert (tmp_path / "report.html").is_file()


def lines(text: str) -> list[str]:
    """The command lines of a page: indented by four blanks or within a fence, continued ones joined."""
    fenced = "\n".join(re.findall(r"```(?:sh|bash|shell|console)\n(.*?)```", text, re.DOTALL))
    indented = "\n".join(line for line in text.splitlines() if line.startswith("    "))
    return re.sub(r"\\\n\s*", " ", f"{indented}\n{fenced}").splitlines()


def calls(line: str) -> list[list[str]]:
    """The words of each `viva COMMAND ...` of a line, without what explains it."""
    found = []
    for part in re.split(r"\s#\s|\s{3,}#|;|&&|\|(?=\s)", line)[0:1] if " # " in line else re.split(r"[;|]|&&", line):
        try:
            words = shlex.split(re.sub(r"(\S) {4,}\S.*", r"\1", part), comments=True)
        except ValueError:
            continue
        at = next((n for n, word in enumerate(words) if word in {"viva", ".venv/bin/viva"}), None)
        if at is not None and at + 1 < len(words) and words[at + 1] in COMMANDS:
            found.append(words[at + 1 :])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_is_one_that_viva_takes(page: Path) -> None:
    for line in lines(page.read_text(encoding="utf-8")):
        for name, *arguments in calls(line):
            given = [word.strip("[]") for word in arguments if word != "..."]
            command = get_command(app).commands[name]  # type: ignore[attr-defined]
            while hasattr(command, "commands") and given and given[0] in command.commands:
                command, given = command.commands[given[0]], given[1:]
            options = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
            unknown = (
                {word.partition("=")[0] for word in given if re.match(r"--?[a-z]", word)}
                - options
                - {"--help", "-h", "--version"}
            )
            assert not unknown, f"{page.name}: viva {name} has no {', '.join(sorted(unknown))}: {line}"
