"""Error messages for text that is nearly the spec of an examinee, with the spec that was probably meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from viva.core.errors import UsageError
from viva.examinees.specs.kinds import KindDescription, module_file

LARGEST_READ = 2**20
"""Bytes of a Python file that are searched for names."""
MOST_NAMED = 8
_KINDS = ("command", "recorded", "http", "https")
_CHAT = "http://127.0.0.1:8000/v1"
_ADDRESS = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-fA-F:]+\]):\d{2,5}(?:/[^\s?]*)?|localhost/[^\s?]*")
_RECORDED = re.compile(r".+\.(?:jsonl|ndjson)", re.IGNORECASE)


def near_miss(told: KindDescription, body: str) -> UsageError | None:
    """The error for text that is nearly a spec; None for text that may be a spec."""
    kind, _, rest = body.partition(":")
    if kind.lower() in _KINDS and rest:
        return None
    if kind.lower() == "chat" and module_file("chat") is None:
        return UsageError(
            f"“{told.spec}” is not a spec: a chat model, with its address, is described in a panel file.",
            allowed=f"examinees: [{{name: mine, chat: {{base_url: {_CHAT}, model: {rest or 'NAME'}}}}}]",
            next_step="Write this line to panel.yaml, then use --examinee panel.yaml.",
        )
    if _ADDRESS.fullmatch(body):
        return _instead(told, body, f"http://{body}", "is an address without http://")
    if _RECORDED.fullmatch(body) and ":" not in body:
        if (told.folder / body).is_file():
            return _instead(told, body, f"recorded:{body}", "seems to be a file of answers")
        return UsageError(
            f"“{told.spec}” is not a spec, and there is no file {body}.",
            next_step="For recorded answers, use recorded:FILE.jsonl with the path relative to this folder.",
        )
    return of_python(told, body) or _of_program(told, body)


def of_python(told: KindDescription, body: str) -> UsageError | None:
    """The error for a Python file or module without the name of the function to ask; None for other text."""
    said = body.removesuffix(":")
    target = said if said.endswith(".py") else f"{said}.py"
    path = told.folder / target
    if target != said and not (said.isidentifier() and path.is_file()):
        return None
    if not path.is_file():
        return UsageError(
            f"“{told.spec}” names the file {target}, which does not exist.",
            allowed="FILE.py:FUNCTION, with the path relative to this folder.",
        )
    found = list(_names_in(path))
    if not found:
        return UsageError(
            f"“{told.spec}” names no function, and none was found in {target}.", allowed="FILE.py:FUNCTION."
        )
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return UsageError(
        f"“{told.spec}” does not name the function in {target} to ask.",
        allowed=f"The file defines {', '.join(found[:MOST_NAMED])}{more}.",
        next_step=f"For example: {_said(told, body, f'{target}:{found[0]}')}",
    )


def _of_program(told: KindDescription, body: str) -> UsageError | None:
    path = told.folder / body
    if "/" not in body or not path.is_file():
        return None
    return _instead(told, body, f"command:{body}", "is a file, and a program needs command: before it")


def _instead(told: KindDescription, body: str, better: str, what: str) -> UsageError:
    return UsageError(
        f"“{told.spec}” is not a spec: {body} {what}.", next_step=f"Did you mean {_said(told, body, better)}?"
    )


def _said(told: KindDescription, body: str, better: str) -> str:
    return told.spec.replace(body, better) if body in told.spec else better


def _names_in(path: Path) -> Iterator[str]:
    """Names of functions, classes and results of calls in the file, which is read but not run."""
    try:
        with path.open("rb") as file:
            tree = ast.parse(file.read(LARGEST_READ))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    made: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not node.name.startswith("_"):
                yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call | ast.BinOp | ast.Lambda):
            made += [n.id for n in node.targets if isinstance(n, ast.Name)]
    yield from (name for name in dict.fromkeys(made) if not name.startswith("_") and not name.isupper())
