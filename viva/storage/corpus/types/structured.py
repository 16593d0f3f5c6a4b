"""JSON and YAML by paths, notebooks by cells, mails with their attachments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from itertools import islice
from pathlib import PurePosixPath

import yaml

from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.decoding import text_of
from viva.storage.corpus.markup import html_text
from viva.storage.corpus.plain import CarefulLoader, markdown_title
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
    joined_parts,
    one_line,
)

Loader = Callable[[SourceFile], Iterable[Loaded]]
_PROGRAMS_OWN = frozenset(
    "package.json package-lock.json tsconfig.json composer.json mkdocs.yml mkdocs.yaml docker-compose.yml"
    " docker-compose.yaml compose.yml compose.yaml pnpm-lock.yaml _config.yml _config.yaml".split()
)
_MOST_YAML = 5_000_000
"""Bytes: YAML is read slowly."""
_DEEPEST = 200


class _AsWritten(CarefulLoader):
    """YAML in which NO is no truth value, and a date that cannot be is one all the same."""

    def own_characters(self, node: yaml.ScalarNode) -> str:
        """The scalar as it is written."""
        return str(node.value)


for _kind in ("int", "float", "bool", "timestamp"):
    _AsWritten.add_constructor(f"tag:yaml.org,2002:{_kind}", _AsWritten.own_characters)


# --- JSON and YAML ----------------------------------------------------------------------------------------


def load_json(source: SourceFile) -> Iterator[Loaded]:
    """One document: a line for each value, with the path to it."""
    _refuse_settings(source)
    try:
        value = json.loads(text_of(source), parse_float=str)
    except (ValueError, RecursionError) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"It is no JSON: {_reason(error)}.") from error
    yield from _by_paths(source, [value], "json")


def load_yaml(source: SourceFile) -> Iterator[Loaded]:
    """One document: a line for each value, with the path to it."""
    _refuse_settings(source)
    if len(source.data) > _MOST_YAML:
        raise Excluded(ExclusionReason.OVERSIZED, f"YAML is read up to {_MOST_YAML / 1e6:g} MB; split the file.")
    try:
        values = list(yaml.load_all(text_of(source), _AsWritten))
    except (yaml.YAMLError, *PARSER_FAULTS) as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"It is no YAML: {_reason(error)}.") from error
    yield from _by_paths(source, values, "yaml")


def _refuse_settings(source: SourceFile) -> None:
    if PurePosixPath(source.relative).name.lower() in _PROGRAMS_OWN:
        raise Excluded(ExclusionReason.UNKNOWN_TYPE, "The settings of a program are no document.")


def _reason(error: Exception) -> str:
    return one_line(fault_in_words(error)).rstrip(".")


def _by_paths(source: SourceFile, values: list[object], format: str) -> Iterator[Loaded]:  # noqa: A002
    lines = [line for value in values for line in _lines(source, value)]
    if not lines:
        raise Excluded(ExclusionReason.EMPTY, "The file holds no values.")
    first = values[0] if isinstance(values[0], Mapping) else {}
    info = first.get("info") if isinstance(first.get("info"), Mapping) else first
    title = info.get("title") or info.get("name") if isinstance(info, Mapping) else ""
    yield document_of(source, "\n".join(lines), format=format, title=title if isinstance(title, str) else "")


def _lines(source: SourceFile, value: object) -> Iterator[str]:
    """'path.to[0].it: value', a blank line between the entries of a list of objects."""
    length = 0
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    while waiting:
        path, each, depth = waiting.pop()
        if depth > _DEEPEST:
            raise Excluded(ExclusionReason.UNREADABLE, f"Its values lie more than {_DEEPEST} levels deep.")
        if isinstance(each, Mapping):
            below = [(f"{path}.{key}" if path else str(key), inner, depth + 1) for key, inner in each.items()]
        elif isinstance(each, list) and any(isinstance(inner, Mapping | list) for inner in each):
            below = [(f"{path}[{number}]", inner, depth + 1) for number, inner in enumerate(each)]
        else:
            told = ", ".join(map(_scalar, each)) if isinstance(each, list) else _scalar(each)
            if told:
                line = f"{path}: {told}" if path else told
                length += len(line)
                source.bounded(length)
                yield line
            continue
        waiting.extend(reversed(below))


def _scalar(value: object) -> str:
    if value is None:
        return ""
    return " ".join(str(value).lower().split() if isinstance(value, bool) else str(value).split())


# --- notebooks --------------------------------------------------------------------------------------------


_LONGEST_OUTPUT = 2_000


def load_notebook(source: SourceFile) -> Iterator[Loaded]:
    """One document of Markdown: cells of text, code in fences, and what the code printed."""
    try:
        book = json.loads(text_of(source))
        language = book.get("metadata", {}).get("kernelspec", {}).get("language") or "python"
        cells = book.get("cells") or [cell for sheet in book.get("worksheets", []) for cell in sheet["cells"]]
        each = enumerate(cells, start=1)
        text, parts = joined_parts(
            (f"cell {number}", "\n\n".join(filter(str.strip, _cell(source, cell, language)))) for number, cell in each
        )
    except PARSER_FAULTS as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"It is no notebook: {_reason(error)}.") from error
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The notebook holds no cells with text.")
    yield document_of(source, text, format="ipynb", title=markdown_title(text), parts=parts)


def _cell(source: SourceFile, cell: Mapping[str, object], language: str) -> Iterator[str]:
    written = _joined(cell.get("source", cell.get("input", ""))).strip("\n")
    if cell.get("cell_type") != "code":
        yield written
        return
    if written:
        yield f"```{language}\n{written}\n```"
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        data = output.get("data") or {}
        told = _joined(output.get("text") or data.get("text/plain") or "").strip("\n")
        if len(told) > _LONGEST_OUTPUT:
            source.leave_out("long outputs", told)
        elif told:
            yield f"```\n{told}\n```"


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


# --- mails ------------------------------------------------------------------------------------------------


_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MOST_PARTS = 1_000


def load_mail(source: SourceFile, loaders: Mapping[str, Loader]) -> Iterator[Loaded]:
    """The mail as one document, its attachments as documents beside it."""
    try:
        mail = message_from_bytes(source.data, policy=policy.default)
        assert isinstance(mail, EmailMessage)  # noqa: S101 - the policy's own class
        heads = {name: " ".join(str(mail[name]).split()) for name in _SHOWN if mail[name]}
        parts = list(islice(_parts(mail), _MOST_PARTS))
        text = "\n\n".join(filter(None, (_content(source, part).strip() for part in parts if _is_body(part))))
        attachments = [part for part in parts if not _is_body(part)]
    except PARSER_FAULTS as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"It is no mail: {_reason(error)}.") from error
    if not text.strip() and not heads:
        raise Excluded(ExclusionReason.EMPTY, "The mail holds no text.")
    whole = "\n".join(f"{name}: {value}" for name, value in heads.items()) + f"\n\n{text.strip()}\n"
    yield document_of(source, whole, format="eml", title=heads.get("Subject", ""), metadata=heads)
    for number, part in enumerate(attachments, start=1):
        name = part.get_filename() or (f"mail-{number}.eml" if _is_mail(part) else "")
        if name:
            yield from _attached(source, part, PurePosixPath(name).name, loaders)


def _parts(part: MIMEPart) -> Iterator[MIMEPart]:
    """The parts without those of mails within it; of alternatives the plainest."""
    if _is_mail(part) or not part.is_multipart():
        yield part
    elif part.get_content_type() == "multipart/alternative":
        inner = [list(_parts(each)) for each in part.iter_parts()]
        chosen = _first_with("text/plain", inner) or _first_with("text/html", inner) or next(iter(inner), [])
        yield from chosen
        yield from (one for each in inner if each is not chosen for one in each if one.get_filename())
    else:
        for each in part.iter_parts():
            yield from _parts(each)


def _first_with(kind: str, alternatives: list[list[MIMEPart]]) -> list[MIMEPart]:
    for parts in alternatives:
        if any(part.get_content_type() == kind and str(part.get_content()).strip() for part in parts):
            return parts
    return []


def _is_mail(part: MIMEPart) -> bool:
    return part.get_content_type() == "message/rfc822"


def _is_body(part: MIMEPart) -> bool:
    """Tell whether it is text of the mail itself."""
    is_text = part.get_content_type() in {"text/plain", "text/html"}
    return is_text and not part.get_filename() and not part.is_attachment()


def _content(source: SourceFile, body: MIMEPart) -> str:
    content = str(body.get_content())
    return html_text(source, content)[1] if body.get_content_subtype() == "html" else content


def _attached(source: SourceFile, part: object, name: str, loaders: Mapping[str, Loader]) -> Iterator[Loaded]:
    path = f"{source.relative}/{name}"
    loader = loaders.get(PurePosixPath(name).suffix.lower())
    data = None
    if isinstance(part, EmailMessage):
        inner = part.get_payload(0) if _is_mail(part) else None
        # its heads as they are: malformed ones cannot be folded anew
        as_it_is = policy.default.clone(refold_source="none")
        data = inner.as_bytes(policy=as_it_is) if isinstance(inner, EmailMessage) else part.get_payload(decode=True)
    if loader is None or not isinstance(data, bytes) or not data:
        detail = "An attachment without content." if loader else "An attachment of a type that is not read."
        yield Exclusion(path=path, reason=ExclusionReason.UNKNOWN_TYPE, detail=detail)
        return
    attached = SourceFile(path, data, source.max_bytes, source.gone, source.noted)
    try:
        yield from loader(attached)
    except Excluded as excluded:
        yield Exclusion(path=path, reason=excluded.reason, detail=excluded.detail)
    except RecursionError:
        yield Exclusion(path=path, reason=ExclusionReason.UNREADABLE, detail="Mails within mails, too deep to read.")
