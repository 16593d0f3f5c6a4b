"""reStructuredText and MDX as text without what only a program reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from viva.storage.corpus.decoding import text_of
from viva.storage.corpus.grid import directive_table
from viva.storage.corpus.plain import load_text_as, markdown_title, split_front_matter
from viva.storage.corpus.source import Loaded, SourceFile

Instead = str | Callable[[re.Match[str]], str]
Inline = tuple[tuple[re.Pattern[str], Instead], ...]


def rules(*pairs: tuple[str, Instead]) -> Inline:
    """Patterns of lines or of what is in them, and what is put in their place."""
    return tuple((re.compile(pattern, re.MULTILINE), instead) for pattern, instead in pairs)


def applied(rules: Inline, text: str) -> str:
    """The text after each rule in turn."""
    for pattern, instead in rules:
        text = pattern.sub(instead, text)
    return text


# --- reStructuredText -------------------------------------------------------------------------------------


_DEFINED = re.compile(
    r"^\.\. \|([^|\n]{1,80})\| (replace|unicode|image|date)::[ \t]*(.*(?:\n[ \t]+\S.*)*)\n?", re.MULTILINE
)
_DIRECTIVE = re.compile(r"([ \t]*)\.\. ([A-Za-z][\w:.+-]{0,40})::(?:[ \t]+(.*))?\Z")
_COMMENT = re.compile(r"([ \t]*)\.\.(?: (?!\[)(?!_)\S.*)?\Z")
_OPTION = re.compile(r"[ \t]+:[\w-]+:(?:[ \t].*)?\Z")
_CODE = frozenset(
    "code code-block sourcecode parsed-literal math productionlist highlight literalinclude"
    " table raw doctest testcode".split()
)
"""Directives that stay as they are written: what is in them is no prose, or its own markup."""
_ADMONITIONS = frozenset("note warning tip hint important caution danger attention error seealso todo".split())
_TABLES = frozenset(("list-table", "csv-table"))
_UNREAD = frozenset(
    "index toctree contents sectnum include meta default-role currentmodule module tabularcolumns image"
    " highlightlang sectionauthor moduleauthor role".split()
)
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}
_ROLE = re.compile(
    # a space behind a backslash parts a role from the letters at its sides
    r"(?:(?<!\\)\\ |(?<![\w`:])):([A-Za-z][\w:.+-]{0,40}):`(?!`)([^`\n]{1,300}(?:\n[^`\n]{1,300})?)`(?!`)(?:\\ )?"
)
_LITERAL = re.compile(r"``.+?``", re.DOTALL)


def load_restructured(source: SourceFile) -> Iterator[Loaded]:
    """One document; header fields or a field list are its metadata; title from them, else the first title."""
    yield load_text_as("rst", source, restructured(text_of(source), source))


def restructured(text: str, source: SourceFile) -> str:
    """The text with roles and substitutions as readers see them, and without directives' names and comments."""
    named = {match.group(1): _substitute(match) for match in _DEFINED.finditer(text)}
    text = _DEFINED.sub("", text)
    lines = list(_without_directives(text.split("\n"), source))
    return "\n".join(_inline_outside_code(lines, named))


def _substitute(match: re.Match[str]) -> str:
    kind, value = match.group(2), " ".join(match.group(3).split())
    if kind == "image":
        alt = re.search(r":alt:\s*(.*?)(?:\s:\w+:|\Z)", value)
        return alt.group(1) if alt else ""
    if kind == "unicode":
        return re.sub(r"(?:0x|U\+|\\u)([0-9A-Fa-f]{2,5})", lambda code: chr(int(code.group(1), 16)), value)
    return value


def _without_directives(lines: list[str], source: SourceFile) -> Iterator[str]:
    at = 0
    code: int | None = None
    """indentation beyond which lines are code"""
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        if code is not None and (not line.strip() or indent > code):
            yield line
            at += 1
            continue
        code = None
        directive = _DIRECTIVE.match(line)
        if directive is None and _COMMENT.match(line):
            end = _indented_end(lines, at)
            source.leave_out("comments", "\n".join(lines[at:end]))
            at = end
            continue
        at += 1
        if directive is None:
            code = indent if line.rstrip().endswith("::") else None
            yield line
            continue
        pad, name, argument = directive.group(1), directive.group(2).lower(), directive.group(3) or ""
        if name in _CODE:
            code = indent
            yield line
            continue
        options = at
        while at < len(lines) and _OPTION.match(lines[at]):
            at += 1
        if name in _TABLES:
            end = _indented_end(lines, at - 1, pad=len(pad), over_blanks=True)
            yield from directive_table(name, argument, lines[options:at], lines[at:end], source.bounded)
            at = end
            continue
        if name in _UNREAD:
            end = _indented_end(lines, at - 1, over_blanks=True)
            source.leave_out("directives", "\n".join([argument, *lines[at:end]]))
            at = end
        elif name in _ADMONITIONS or name in _VERSIONS:
            told = _VERSIONS.get(name, f"{name.capitalize()}:")
            yield f"{pad}{told} {argument}".rstrip()
        elif name not in {"figure", "class", "container", "only"}:
            yield f"{pad}{argument}".rstrip()


def _indented_end(lines: list[str], at: int, *, pad: int = -1, over_blanks: bool = False) -> int:
    """Find where what belongs to this line by its indentation ends; `over_blanks`: empty lines do not end it."""
    pad = len(lines[at]) - len(lines[at].lstrip()) if pad < 0 else pad
    end = at + 1
    while end < len(lines) and (
        len(lines[end]) - len(lines[end].lstrip()) > pad if lines[end].strip() else over_blanks
    ):
        end += 1
    return end


def _inline_outside_code(lines: list[str], named: dict[str, str]) -> Iterator[str]:
    """The lines with roles and substitutions as text; blocks of code, which an indentation ends, stay."""
    code: int | None = None
    prose: list[str] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if code is not None and (not line.strip() or indent > code):
            yield from _flushed(prose, named)
            yield line
            continue
        code = None
        directive = _DIRECTIVE.match(line)
        if line.rstrip().endswith("::") or directive:
            code = indent
        prose.append(line)
    yield from _flushed(prose, named)


def _flushed(prose: list[str], named: dict[str, str]) -> list[str]:
    if not prose:
        return []
    text = "\n".join(prose)
    prose.clear()
    parts, last = [], 0
    for literal in _LITERAL.finditer(text):
        parts += [_told(text[last : literal.start()], named), literal.group()]
        last = literal.end()
    return "".join([*parts, _told(text[last:], named)]).split("\n")


def _told(text: str, named: dict[str, str]) -> str:
    if named:
        text = re.sub(r"\|([^|\s][^|\n]{0,79})\|_{0,2}", lambda name: named.get(name.group(1), name.group()), text)
    return _ROLE.sub(_role, text)


def _role(match: re.Match[str]) -> str:
    name, inner = match.group(1).rsplit(":", 1)[-1].lower(), match.group(2)
    if titled := re.fullmatch(r"(.*\S)\s*<[^<>]*>", inner, re.DOTALL):
        return titled.group(1)
    if name in {"pep", "rfc"}:
        return f"{name.upper()} {inner.partition('#')[0]}"
    if name in {"sup", "superscript"}:
        return f"^{inner}"
    if name in {"strike", "strikethrough", "del"}:
        return f"~~{inner}~~"
    inner = inner.removeprefix("!")
    return inner.removeprefix("~").rsplit(".", 1)[-1] if inner.startswith("~") else inner


# --- MDX --------------------------------------------------------------------------------------------------


_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n[\s\S]{0,50000}?^\1[ \t]*$", re.MULTILINE)
_MDX = rules(
    (r"\{/\*[\s\S]{0,5000}?\*/\}", ""),
    (r"^(?:import|export)\s[^\n]*(?:\n[ \t}][^\n]*)*\n?", ""),
    (r"</?[A-Z][\w.]*(?:\s[^<>]{0,2000})?/?>|<>|</>", lambda tag: _shown(tag.group())),
)
_SHOWN = re.compile(r"""\s(?:title|label|heading|header|question|summary)=(?:"([^"]*)"|'([^']*)'|\{"([^"]*)"\})""")
"""What a component shows of its attributes."""


def _shown(tag: str) -> str:
    words = " ".join("".join(found).strip() for found in _SHOWN.findall(tag))
    return f"{words} " if words.endswith(("?", "!", ".", ":")) else f"{words}: " if words else ""


def load_mdx(source: SourceFile) -> Iterator[Loaded]:
    """One document of Markdown without imports, components' names and comments; title as of Markdown."""
    metadata, text = split_front_matter(text_of(source), source)
    parts, last = [], 0
    for fence in _FENCED.finditer(text):
        parts += [applied(_MDX, text[last : fence.start()]), fence.group()]
        last = fence.end()
    text = re.sub(r"\n{3,}", "\n\n", "".join([*parts, applied(_MDX, text[last:])])).lstrip("\n")
    yield load_text_as("mdx", source, text, markdown_title, metadata)
