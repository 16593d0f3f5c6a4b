"""Markdown, reStructuredText and plain text, kept as it is; front matter and header fields are its metadata."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from itertools import pairwise

import yaml

from viva.core.markup import Dialect, plain_line
from viva.core.records import Document, ExclusionReason
from viva.storage.corpus.decoding import text_of
from viva.storage.corpus.source import PARSER_FAULTS, Excluded, Loaded, SourceFile, document_of, lookup

_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
"""What a terminal shows as a colour."""
_LONGEST_HEADING = 2_000  # characters; the patterns below would take the square of a longer one
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*\Z")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*\Z")


def load_markdown(source: SourceFile) -> Iterator[Loaded]:
    """One document; title from the front matter, else the first heading."""
    whole = text_of(source)
    metadata, text = split_front_matter(whole, source)
    _refuse_blank(text, metadata)
    title = plain_line(lookup(metadata, "title")) or markdown_title(after_front_matter(text))
    yield document_of(source, text, format="md", title=title, metadata=metadata, first_line=_first_line(whole, text))


def load_text(source: SourceFile) -> Iterator[Loaded]:
    """One document; front matter or mail-like header fields are its metadata."""
    whole = _COLOURS.sub("", text_of(source))
    front, text = split_front_matter(whole, source)
    _refuse_blank(text, front)
    metadata, line = front or header_fields(text), _first_line(whole, text)
    yield document_of(source, text, format="txt", title=_field_title(metadata), metadata=metadata, first_line=line)


def _first_line(whole: str, text: str) -> int | None:
    """The line of the file with which the text begins; None where text of its front matter was put before it."""
    return whole.count("\n", 0, len(whole) - len(text)) + 1 if whole.endswith(text) else None


def load_text_as(
    format: str,  # noqa: A002 - the field's name
    source: SourceFile,
    text: str,
    title_of: Callable[[str], str] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Document:
    """The document of a text with the marks of its format; without `title_of` it is reStructuredText."""
    _refuse_blank(text, dict(metadata or {}))
    if title_of is not None:
        title = plain_line(lookup(metadata or {}, "title")) or title_of(text)
        return document_of(source, text, format=format, title=title, metadata=metadata)
    fields = header_fields(text) or field_list(text)
    title = plain_line(_field_title(fields), Dialect.RESTRUCTURED) or restructured_title(text)
    return document_of(source, text, format=format, title=title, metadata=fields)


def _field_title(metadata: dict[str, str]) -> str:
    title, number = lookup(metadata, "title"), lookup(metadata, "pep")
    return f"PEP {number}: {title}" if title and number else title


def _refuse_blank(text: str, metadata: dict[str, str]) -> None:
    if not text.strip():
        what = "nothing but front matter" if metadata else "nothing but white space"
        raise Excluded(ExclusionReason.EMPTY, f"The file holds {what}.")


def markdown_title(text: str) -> str:
    """The first heading outside code fences, without its markup; "" if there is none."""
    fence = ""
    previous = ""
    for whole in text.split("\n"):
        line = whole[:_LONGEST_HEADING]
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
        elif not fence and (heading := _ATX.match(line)):
            return _without_markup(heading.group(1))
        elif not fence and _SETEXT.match(line) and previous.strip() and not previous.lstrip().startswith(("|", "-")):
            return _without_markup(previous)
        previous = line
    return ""


def _without_markup(heading: str) -> str:
    # what is left of marks that do not pair goes too
    return re.sub(r"(?<!\w)_+|_+(?!\w)|[*`]+", "", plain_line(heading)).strip()


def restructured_title(text: str) -> str:
    """The first line underlined by punctuation at least as long as itself; "" if there is none."""
    lines = text.split("\n")
    for line, below in pairwise(lines):
        title = line.strip()
        if title and not _ADORNMENT.match(title) and _ADORNMENT.match(below) and len(below.rstrip()) >= len(title):
            return re.sub(r"[*`]+", "", plain_line(title, Dialect.RESTRUCTURED)).strip()
    return ""


# --- front matter, header fields, field lists ---------------------------------------------------------------


MAX_FRONT_MATTER = 65_536
_DEEPEST = 20
"""Levels by which nested values are moved to the right."""
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADER_LINE = re.compile(r"([A-Z][A-Za-z0-9-]{0,39}):(?:[ \t]+(.*))?\Z")
_FIELD_LINE = re.compile(r":([A-Za-z][^:\n]{0,39}):(?:[ \t]+(.*))?\Z")


class CarefulLoader(yaml.SafeLoader):
    """YAML whose aliases stand for scalars: a few lines of others may stand for more than any memory holds.

    Numbers are as they are written: for YAML 9:30 is 570, and 1.10 is 1.1.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        aliased = self.check_event(yaml.AliasEvent)
        node = super().compose_node(parent, index)
        if aliased and not isinstance(node, yaml.ScalarNode):
            raise yaml.YAMLError("an alias stands for more than a scalar")
        return node

    def number(self, node: yaml.ScalarNode) -> str:
        """The number's own characters. Raises for what is none."""
        made = self.construct_yaml_int if node.tag.endswith(":int") else self.construct_yaml_float
        str(made(node))
        return str(node.value)


for _kind in ("int", "float"):
    CarefulLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", CarefulLoader.number)


def after_front_matter(text: str) -> str:
    """The text without its front matter, well-formed or not."""
    match = _FRONT_MATTER.match(text, 0, MAX_FRONT_MATTER)
    return text if match is None else text[match.end() :]


def split_front_matter(text: str, source: SourceFile | None = None) -> tuple[dict[str, str], str]:
    """(scalar fields, text after them). A front matter that is no mapping, or is prose, stays in the text.

    Of other values those with sentences in them stay in the text, and the source is told of the rest.
    """
    match = _FRONT_MATTER.match(text, 0, MAX_FRONT_MATTER)
    if match is None:
        return {}, text
    try:
        fields = _read_fields(match.group(2), is_toml=match.group(1) == "+++")
        if not isinstance(fields, dict) or _is_prose(fields):
            return {}, text
        rest = text[match.end() :].lstrip("\n")
        nested = {str(key): value for key, value in fields.items() if _is_nested(value)}
        told = {key: readable(value, key) for key, value in nested.items()}
    except (yaml.YAMLError, *PARSER_FAULTS):  # a date, number or truth value that is none, in many ways
        return {}, text
    kept = [block for block in told.values() if any(map(_SENTENCE.search, block.split("\n")))]
    if source is not None:
        for block in told.values():
            if block not in kept:
                source.leave_out("front matter", block)
    return scalars(fields), "\n\n".join([*kept, rest])


def _read_fields(block: str, *, is_toml: bool) -> object:
    return tomllib.loads(block) if is_toml else yaml.load(block, CarefulLoader)  # noqa: S506 - a safe one


def _is_nested(value: object) -> bool:
    """Whether a value is no metadata: objects and their lists, lists of sentences."""
    if isinstance(value, list) and any(isinstance(each, str) and _SENTENCE.search(each) for each in value):
        return True
    return value is not None and _as_text(value) is None


_SENTENCE = re.compile(r"(?:[ \w\-]+: |- )?\s*[^\W\d_]\S*(?:\s+\S+){3,}[.!?:]['\"”)]*\Z")
"""A line that holds a sentence, as no name and no setting does."""
_USUAL_FIELDS = frozenset("title subtitle description summary abstract author keywords excerpt date".split())
_PROSE_END = re.compile(r"\s\S+\s+\S+.*[.!?]['\"”)]?\Z", re.DOTALL)


def _is_prose(fields: Mapping[object, object]) -> bool:
    """Whether a slide or a note is written between two rules: 'Warning: The pump runs dry in 40 seconds.'"""
    return all(
        isinstance(key, str)
        and key[:1].isupper()
        and key.lower() not in _USUAL_FIELDS
        and isinstance(value, str)
        and _PROSE_END.search(value) is not None
        for key, value in fields.items()
    )


def readable(value: object, name: str = "", depth: int = 0) -> str:
    """Nested values as lines, 'name: value', those within others moved to the right. May raise RecursionError."""
    pad = "  " * min(depth, _DEEPEST)
    if isinstance(value, Mapping) and value:
        lines = [readable(each, str(key), depth + bool(name)) for key, each in value.items()]
    elif isinstance(value, list) and _is_nested(value):
        entries = (readable(each, "", depth + bool(name) + 1).lstrip() for each in value)
        inner = "  " * min(depth + bool(name), _DEEPEST)
        lines = [f"{inner}- {entry}" for entry in entries]
    else:
        told = _as_text(value)
        return f"{pad}{name}: {told or ''}".rstrip() if name else f"{pad}{told or ''}"
    return "\n".join([f"{pad}{name}:", *lines] if name else lines)


def scalars(fields: Mapping[object, object]) -> dict[str, str]:
    """Scalar values as strings, flat lists joined by commas; nested values are not metadata."""
    return {str(key): value for key, raw in fields.items() if (value := _as_text(raw)) is not None}


def _as_text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float | date):
        return str(value)
    if isinstance(value, list) and all(isinstance(part, str | int | float) for part in value):
        return ", ".join(str(part) for part in value)
    return None


def header_fields(text: str) -> dict[str, str]:
    """'Key: value' lines that open a text (two at least, indented lines continue), names in lower case.

    The fields stay part of the text: only their meaning is noted.
    """
    lines = text.lstrip("\n")[:MAX_FRONT_MATTER].split("\n")
    fields = _fields(lines, _HEADER_LINE)
    return fields if len(fields) > 1 else {}


def field_list(text: str) -> dict[str, str]:
    """The first reStructuredText field list (':name: value') among the first 40 lines, names in lower case."""
    lines = text[:MAX_FRONT_MATTER].split("\n")
    for number, line in enumerate(lines[:40]):
        if _FIELD_LINE.match(line) and (number == 0 or not lines[number - 1].strip()):
            return _fields(lines[number:], _FIELD_LINE)
    return {}


def _fields(lines: list[str], pattern: re.Pattern[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if not line.strip():
            return fields
        if name and line[0] in " \t":
            fields[name] = f"{fields[name]} {line.strip()}".strip()
        elif match := pattern.match(line):
            name = match.group(1).lower()
            fields[name] = (match.group(2) or "").strip()
        else:
            # a paragraph that merely begins like a header
            return {}
    return fields
