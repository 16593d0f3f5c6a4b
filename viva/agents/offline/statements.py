"""From a sentence to the plain statement in it: asides off, one clause of several."""

from __future__ import annotations

import re
from dataclasses import replace

from viva.core.text.prose import Sentence

_ASIDE = re.compile(r"\s*\((?![^)]*\()[^()]{2,}\)")
_EMPTIED = re.compile(r"\s+\(\s*\)(?=[\s.,;:])")
"""Brackets whose citation was taken out."""
_ADDED = re.compile(r";\s.*$|, (?:which|who|so|while|whereas)\s[^,]*$")
"""What stands behind a whole statement and adds to it."""
_CUT = re.compile(
    r",? (?:-{1,3}|[–—]) .*$|, since\s[^,]*$"
    r"|, (?:with|even|(?:one )?of which|[a-z]{3,}ing|[a-z]{3,}ed (?:by|in|on|from|with|to|at))\s[^,]*$"
    r"|, (?:including|such as|e\.g\.|i\.e\.)\s.*$"
)
_INSERTED = re.compile(
    r", (?:which|who|or|also known as|also called|for example|for instance)\s[^,;:()]{3,90},"
    r"(?= [a-z])(?! (?:and|or) )"
)
"""'red blood cells, which are normally round, take ...': the sentence is whole without it."""
_APPOSITION = re.compile(
    r"(?<=[a-z]), (?:a|an|the) [^,;:()]{3,90},(?= (?:is|was|are|were|has|had|[a-z]{3,}(?:s|ed)) )"
)
_ALSO = re.compile(r"(?<=\w) also(?= [a-z])(?<!but also)(?<!only also)")
"""'Cargo also runs tests': what else it does was told before."""
_MARKER = re.compile(
    r"(?:In other words|However|In particular|In contrast|By contrast"
    r"|Finally|Similarly|Likewise|Therefore|Consequently|Thus|Hence|As a result"
    r"|Nevertheless|Importantly|In fact|Of course),\s"
    r"|Note that\s|(?:Please )?[Nn]ote,? (?:however,? )?that\s"
)
_LEFT = 25
"""Characters that must be left where an end is cut off."""
Spans = tuple[tuple[int, int], ...]
_QUOTED = re.compile(r"[\"“][A-Za-z_][\w.()-]*[\"”](?=[\s.,])")


def statement(sentence: Sentence) -> Sentence:
    """The sentence reduced to what can be asked about. Offsets still point at the whole sentence."""
    text, code = sentence.text, sentence.code
    for aside in (_ASIDE, _EMPTIED):
        text, code = _delete(text, code, [m.span() for m in aside.finditer(text) if not _in_code(m.span(), code)])
    marker = _MARKER.match(text)
    if marker:
        text, code = _delete(text, code, [marker.span()])
        text = text[:1].upper() + text[1:] if not any(a == 0 for a, _ in code) else text
    if text.count(",") == 2:  # with more, it cannot be told which one ends what was inserted
        text, code = _delete(text, code, [m.span() for m in _INSERTED.finditer(text) if not _in_code(m.span(), code)])
    apposed = _APPOSITION.search(text)
    if apposed and "," not in text[: apposed.start()] and not _in_code(apposed.span(), code):
        text, code = _delete(text, code, [apposed.span()])
    text, code = _delete(text, code, [m.span() for m in _ALSO.finditer(text) if not _in_code(m.span(), code)])
    text, code = _unquoted(text, code)
    text = re.sub(r"\.{2}$", ".", text)
    ended = True
    for cuts in (_ADDED, _CUT):
        cut = cuts.search(text)
        if cut and cut.start() >= _LEFT and not _in_code(cut.span(), code):
            text = text[: cut.start()] + "."
            code = tuple(span for span in code if span[1] < len(text))
            ended = ended and cuts is _ADDED
    if text.endswith("."):
        text = text.rstrip(" .") + "."
    return replace(sentence, text=text, code=code, ended=ended)


def _unquoted(text: str, code: Spans) -> tuple[str, Spans]:
    """A single word in quotes is a name: it counts as code, without the quotes."""
    for match in reversed(list(_QUOTED.finditer(text))):
        if _in_code(match.span(), code):
            continue
        start, end = match.start(), match.end()
        text, code = _delete(text, code, [(start, start + 1), (end - 1, end)])
        code = tuple(sorted({*code, (start, end - 2)}))
    return text, code


def _in_code(span: tuple[int, int], code: Spans) -> bool:
    return any(start <= span[0] < end for start, end in code)


def _delete(text: str, code: Spans, spans: list[tuple[int, int]]) -> tuple[str, Spans]:
    for start, end in reversed(spans):
        size = end - start
        text = text[:start] + text[end:]
        code = tuple((a, b) if b <= start else (a - size, b - size) for a, b in code if b <= start or a >= end)
    return text, code
