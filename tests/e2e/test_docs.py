"""What the pages tell users to type: Python and commands that run, commands that viva has.

A block that cannot run here has `<!-- not run: REASON -->` in front of it.
"""

from __future__ import annotations

import importlib
import json
import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest
from command import copy_run, viva
from harbour import HARBOUR, write_corpus
from model_server import ModelServer, serve
from typer.main import get_command

from viva.api.runs import Exam
from viva.cli.main import GROUPS, app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = {name for group in GROUPS.values() for name in group}
SHELL = {"sh", "bash", "shell", "console"}
PROGRAMS = {"viva", ".venv/bin/viva", ".venv/bin/pip", "make", "export", "cp", "pip", "python", "lm_eval"}
MOST_NOT_RUN = 6
RUN_BY_TEST_GUIDE = ROOT / "docs/examinees.md"
"""whose systems tests/unit/examinees/test_guide.py asks"""


# --- what a page holds --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """Python or commands of a page."""

    kind: str
    text: str
    reason: str
    """why it is not run; "" where it is"""

    @property
    def file(self) -> str:
        """The file that its first line names."""
        named = re.match(r"# ([\w.]+\.(?:py|yaml))\n", self.text)
        return named[1] if named else ""


def blocks(page: Path) -> list[Block]:
    """The blocks of Python and of commands of a page, in their order: in fences, or indented by four blanks."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(
        r"(?P<not><!-- not run: (?P<reason>.*?) -->\n\n?)?"
        r"(?:^```(?P<language>\w*)\n(?P<fenced>.*?)^```$|(?P<indented>(?<=\n\n)(?: {4}[^\n]*\n)+))",
        text,
        re.DOTALL | re.MULTILINE,
    )
    return [block for each in found if (block := _block(each)) is not None]


def _block(found: re.Match[str]) -> Block | None:
    reason = found["reason"] or ""
    if found["indented"]:
        text = re.sub(r"(?m)^ {4}", "", found["indented"])
        return Block("shell", text, reason) if text.split()[0] in PROGRAMS else None
    kind = "shell" if found["language"] in SHELL else found["language"]
    return Block(kind, found["fenced"], reason) if kind in ("shell", "python", "yaml") else None


def command_lines(text: str) -> list[str]:
    """The commands of a block, continued lines joined, without what explains them."""
    joined = re.sub(r"\s\\(\s+#.*)?\n\s*", " ", text)
    return [cut for line in joined.splitlines() if (cut := re.sub(r"(^|\s)#(\s.*|$)", "", line).strip())]


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    reasons = [block.reason for page in PAGES for block in blocks(page) if block.reason]
    assert len(reasons) <= MOST_NOT_RUN, "\n".join(reasons)
    assert all(len(reason.split()) > 2 for reason in reasons), reasons


# --- the pages, run -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A server of OpenAI's protocol that plays every role."""
    with serve() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run_in_their_order(
    page: Path, model: ModelServer, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("VIVA_MANUFACTURED", "false")
    PRESUPPOSED.get(page.name, lambda _run: None)(finished)
    # the price of a vendor is not that of another address
    price = {"VIVA_PRICE": "openai:gpt-4o-mini=0.15,0.6"}
    environment = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model.url, "VIVA_ITEMS": "6", **price}
    held = [block for block in blocks(page) if not block.reason and (block.kind != "yaml" or block.file)]
    for number, (kind, group) in enumerate(groupby(held, lambda block: block.file or block.kind)):
        text = "\n\n".join(block.text for block in group)
        if kind == "shell":
            for line in command_lines(text):
                _run(line, environment)
        elif kind == "python":
            # as a module, so that the source of its functions is to be had
            name = f"page_{page.stem.replace('-', '_').lower()}_{number}"
            Path(f"{name}.py").write_text(text, encoding="utf-8")
            importlib.import_module(name)
        else:
            Path(kind).write_text(text, encoding="utf-8")


def _run(line: str, environment: dict[str, str]) -> None:
    words = shlex.split(line)
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        environment[name] = value
    elif words[0] in ("viva", ".venv/bin/viva"):
        done = viva(*words[1:], environment=environment, seconds=300)
        assert done.code == 0, f"{line}\n{done.said}"
    else:
        subprocess.run(words, check=True, timeout=60)


def _lines(name: str, *rows: dict[str, object]) -> None:
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _rag() -> None:
    answer = "def answer(question):\n    return {'text': 'B', 'passages': []}\n"
    Path("my_rag.py").write_text(f"{answer}\n\ndef build(k, reranker):\n    return answer\n", encoding="utf-8")


def _golden() -> None:
    told = "How long?,38 metres,The deep-water mooring takes vessels of up to 38 metres."
    Path("golden.csv").write_text(f"question,answer,contexts\n{told}\n", encoding="utf-8")


def _judged() -> None:
    """Answers, and labels of people. Parquet is read where pyarrow is at hand."""
    pytest.importorskip("pyarrow")
    rows = [
        {
            "question": f"How many boats has basin {n}?",
            "answer": f"It has {n if n % 3 else n + 1} boats.",
            "reference": f"{n} boats",
            "passages": [f"Basin {n} has {n} boats."],
            "label": float(n % 3 > 0),
        }
        for n in range(1, 61)
    ]
    _lines("labels.jsonl", *rows)
    import pandas

    frame = pandas.DataFrame(rows)
    frame.to_csv("labels.csv", index=False)
    (5 * frame["label"]).to_frame().join(frame.drop(columns="label")).to_csv("answers.csv", index=False)
    frame.assign(label=1 + 4 * frame["label"]).to_csv("ratings.csv", index=False)
    frame = frame.drop(columns="label")
    frame.to_parquet("answers.parquet")
    frame.to_json("answers.jsonl", orient="records", lines=True)


def _of_readme(_run: Path) -> None:
    write_corpus(Path("path/to/documents"))
    _golden()


def _of_api(_run: Path) -> None:
    write_corpus(Path("documents"))


def _of_gate(_run: Path) -> None:
    _rag()
    rows = "".join(f"How long is berth {n}?,{n} metres\n" for n in range(1, 71))
    Path("berths.csv").write_text(f"question,answer\n{rows}", encoding="utf-8")
    Exam.read("berths.csv").write("exam.jsonl")


def _of_publishing(run: Path) -> None:
    _of_gate(run)
    Exam.read("exam.jsonl").gate("base=my_rag.py:answer", save="base.json", out="RUN")


def _of_exam_file(run: Path) -> None:
    write_corpus(Path("DOCS"))
    copy_run(run, "RUN")
    _golden()
    _rag()


def _of_panel_file(run: Path) -> None:
    write_corpus(Path("docs"))
    copy_run(run, "RUN")
    _rag()
    retriever = "def make(documents, k):\n    return lambda question: documents[:k]\n"
    Path("my_retriever.py").write_text(retriever, encoding="utf-8")


def _of_documents(_run: Path) -> None:
    for name in ("docs/safety", "path/to/documents", "handbook"):
        write_corpus(Path(name))
    Path("docs/other").mkdir()
    Path("docs/other/museum.md").write_text("# Museum\n\nThe museum opens at ten o'clock.\n", encoding="utf-8")
    told = "".join(f'When?,"{HARBOUR.partition(title)[2]}"\n' for title in ("# Harbour rules", "## Moorings"))
    Path("faq.csv").write_text(f"question,answer\n{told}", encoding="utf-8")
    with closing(sqlite3.connect("tickets.sqlite")) as database:
        database.execute("CREATE TABLE tickets (text TEXT, closed INTEGER)")
        database.execute("INSERT INTO tickets VALUES (?, 1)", (HARBOUR,))
        database.commit()


def _of_articles(_run: Path) -> None:
    for name in ("bank.csv", "gradings.jsonl", "run.trec", "passages.jsonl"):
        shutil.copy(ROOT / "tests/data/articles" / name, name)
    systems = ["ada", "bell", "coil"]
    for folder in ("gold", *(f"systems/{name}" for name in systems)):
        Path(folder).mkdir(parents=True)
        Path(folder, "lock.md").write_text("The lock gate closes 35 minutes before low water.\n", encoding="utf-8")
    Path("ranks.json").write_text(json.dumps({name: rank for rank, name in enumerate(systems, 1)}), encoding="utf-8")


def _of_equating(run: Path) -> None:
    from viva.core.ids import rng

    for name in ("march", "june"):
        copy_run(run, name)
        numbers = rng(0, name)
        rows = [[str(int(numbers.random() < 0.2 + 0.03 * n)) for _ in range(20)] for n in range(20)]
        lines = [",".join([f"s{n}", *row]) for n, row in enumerate(rows)]
        Path(f"{name}.csv").write_text("\n".join([",".join(["", *(f"i{n}" for n in range(20))]), *lines]))


def _of_irt(_run: Path) -> None:
    from viva.core.ids import rng

    numbers = rng(0, "matrix")
    rows = [[str(int(numbers.random() < 0.3 + 0.05 * n)) for _ in range(20)] for n in range(8)]
    header = ",".join(["", *(f"i{n}" for n in range(20))])
    Path("matrix.csv").write_text("\n".join([header, *(",".join([f"s{n}", *row]) for n, row in enumerate(rows))]))
    told = "\n".join(f"s{n},{'bm25' if n % 2 else 'dense'}" for n in range(8))
    Path("systems.csv").write_text(f"examinee,retriever\n{told}\n")


def _of_judges(_run: Path) -> None:
    _judged()
    write_corpus(Path("docs"))


PRESUPPOSED: dict[str, Callable[[Path], None]] = {
    "README.md": _of_readme,
    "api.md": _of_api,
    "articles.md": _of_articles,
    "authoring.md": _of_documents,
    "equating.md": _of_equating,
    "exam-file.md": _of_exam_file,
    "gate.md": _of_gate,
    "irt.md": _of_irt,
    "judges.md": _of_judges,
    "language-models.md": _of_documents,
    "panel-file.md": _of_panel_file,
    "publishing.md": _of_publishing,
    "sources.md": _of_documents,
    "tuning.md": lambda _run: _judged(),
}
"""page -> what it takes for granted, made in the working folder"""


# --- each command is one that viva takes --------------------------------------------------------------------


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
