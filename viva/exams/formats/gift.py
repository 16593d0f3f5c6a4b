"""Moodle's GIFT (docs.moodle.org, GIFT format), read as Moodle's own importer reads it.

Questions are blocks between blank lines; a backslash takes the meaning from : # = ~ { } and itself, and before n is a
line break. An item travels in a comment line of its own, which Moodle skips.

pygiftparser, the library for it, only reads, and drops comments, so it could not carry an item there and back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from viva.core.records import Distractor, Exam, ExamItem
from viva.core.tables import MAX_LINE, parse_json
from viva.exams.file import compact
from viva.exams.formats.base import Read, Seen, carried_of, carry, original_of

NAME = "gift"
_CARRIER = "// viva: "
_CATEGORY = "$CATEGORY:"
_TOP = ("", "top", "$course$", "$course$/top")
_ESCAPE = re.compile(r"\\([\\:#={}~n])")
_FORMAT = re.compile(r"\[(html|moodle|plain|markdown)\]")
_WEIGHT = re.compile(r"%(-?\d{1,3}(?:\.\d{0,9})?)%")


@dataclass(frozen=True)
class _Text:
    """A text and, character for character, what of it can be a sign of GIFT: escaped characters are '\\0' there."""

    plain: str
    signs: str

    def cut(self, start: int, end: int | None = None) -> _Text:
        return _Text(self.plain[start:end], self.signs[start:end])

    @property
    def markup(self) -> str:
        """The markup it names; '' where it names none."""
        named = _FORMAT.match(self.plain.strip())
        return named[1] if named else ""

    def words(self, markup: str = "") -> str:
        """As it is to be read, without tags where it is HTML; `markup` is that of the question it belongs to."""
        text = self.plain.strip()
        text = _FORMAT.sub("", text, count=1).strip() if self.markup else text
        return _without_tags(text) if (self.markup or markup) == "html" else text


@dataclass(frozen=True)
class _Answer:
    sign: str
    weight: float
    text: str
    feedback: str


def read(text: str) -> Read:
    """The multiple-choice and short-answer questions of a file; the others are problems."""
    found = Read()
    category = ""
    for line, lines in _blocks(text):
        where = f"line {line}"
        carrier = next((row for row in lines if row.startswith(_CARRIER)), "")
        shown = [row for row in lines if row is not carrier]
        category, block = _without_category(shown, category)
        if not any(row.strip() and not row.strip().startswith("//") for row in block):
            continue
        try:
            record = {"text": "\n".join(block), "category": category}
            carried = carried_of(parse_json(carrier[len(_CARRIER) :])) if carrier else None
            found.settle(where, _see(record), record, NAME, carried, _again)
        except ValueError as error:
            found.refuse(where, error)
    return found


def write(exam: Exam) -> str:
    """The exam as a file; questions imported from GIFT and not changed since stand as they stood."""
    parts, category = [], ""
    for shown, value in carry(exam):
        block = _original_block(shown)
        if block is None or "examples" in value:
            block = f"{_CARRIER}{compact(value)}\n{block or _block(shown)}"
        if _category(shown) != category:
            category = _category(shown)
            parts.append(f"{_CATEGORY} {category or 'top'}")
        parts.append(block)
    return "\n\n".join(parts) + "\n"


def _original_block(shown: ExamItem) -> str | None:
    original = original_of(shown, NAME, _see)
    return str(original["text"]) if isinstance(original, dict) else None


def _see(record: object) -> Seen:
    """What a block shows. ValueError, in words, where it is of another type or cannot be read."""
    if not isinstance(record, dict) or not {"text", "category"} <= record.keys():
        raise ValueError("no block of GIFT")
    if len(block := str(record["text"])) > MAX_LINE:
        raise ValueError(f"longer than {MAX_LINE:,} characters")
    return _seen(block, str(record["category"]))


def _again(shown: ExamItem) -> Seen:
    return _seen(_block(shown), _category(shown))


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line number from 1, lines) of what stands between blank lines."""
    block: list[str] = []
    for number, line in enumerate([*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""], start=1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _without_category(lines: list[str], category: str) -> tuple[str, list[str]]:
    """The category that holds from here, and the lines without the one that names it."""
    for number, line in enumerate(lines):
        if line.strip().startswith(_CATEGORY):
            name = line.strip()[len(_CATEGORY) :].strip()
            return "" if name.casefold() in _TOP else name, lines[:number] + lines[number + 1 :]
        if not line.strip().startswith("//"):
            break
    return category, lines


def _category(shown: ExamItem) -> str:
    name = " ".join(shown.item.topic.split())
    return "" if name.casefold() in _TOP else name


def _seen(block: str, category: str) -> Seen:
    rows = ["" if row.strip().startswith("//") else row for row in block.split("\n")]
    text = _marked("\n".join(rows).strip())
    if text.signs.startswith("::") and (end := text.signs.find("::", 2)) >= 0:
        text = text.cut(end + 2)
    start, finish = text.signs.find("{"), text.signs.find("}")
    if start < 0 and finish < 0:
        raise ValueError("a description, not a question")
    if start < 0 or finish < start:
        raise ValueError("its braces do not match")
    after = text.plain[finish + 1 :]
    asked = _Text(text.plain[:start] + (f"_____{after}" if after.strip() else ""), "")
    answers, reference = _feedback_apart(text.cut(start + 1, finish), asked.markup)
    return _of_type(asked.words(), answers, reference, category, asked.markup)


def _of_type(stem: str, answers: _Text, reference: str, category: str, markup: str) -> Seen:
    signs = answers.signs.strip()
    if not signs:
        raise ValueError("an essay: it names no answer")
    if signs[0] == "#":
        raise ValueError("a numerical question: its answers are ranges")
    if "~" in signs:
        return _choice(stem, _answers(answers, markup), reference, category)
    pieces = _answers(answers, markup)
    if len(pieces) > 1 and all("->" in piece.text for piece in pieces):
        raise ValueError("a matching question")
    if pieces and pieces[0].sign == "" and pieces[0].text.upper() in ("T", "TRUE", "F", "FALSE"):
        raise ValueError("a true-false question")
    full = [piece.text.replace("\\*", "*") for piece in pieces if piece.weight == 100]
    if not full:
        raise ValueError("a short answer without a fully right one")
    return Seen(stem=stem, key=full[0], reference=reference or " / ".join(full), topic=category)


def _choice(stem: str, answers: list[_Answer], reference: str, category: str) -> Seen:
    right = [n for n, answer in enumerate(answers) if answer.weight == 100]
    if len(right) != 1:
        raise ValueError(f"{len(right)} of its options are right" if right else "none of its options is fully right")
    if any(0 < answer.weight < 100 for answer in answers):
        raise ValueError("one of its options is partly right")
    wrong = tuple(Distractor(text=answer.text, reason=answer.feedback) for answer in answers if answer.weight != 100)
    key = answers[right[0]].text
    return Seen(stem=stem, key=key, wrong=wrong, position=right[0], reference=reference, topic=category)


def _answers(text: _Text, markup: str) -> list[_Answer]:
    starts = [n for n, sign in enumerate(text.signs) if sign in "~="]
    if not starts or text.signs[: starts[0]].strip():
        starts.insert(0, 0)
    ends = [*starts[1:], len(text.signs)]
    return [_answer(text.cut(start, end), markup) for start, end in zip(starts, ends, strict=True)]


def _answer(text: _Text, markup: str) -> _Answer:
    sign = text.signs[:1] if text.signs[:1] in ("~", "=") else ""
    text = text.cut(len(sign))
    text = text.cut(len(text.signs) - len(text.signs.lstrip()))
    weight = 0.0 if sign == "~" else 100.0
    if told := _WEIGHT.match(text.signs):
        weight, text = float(told[1]), text.cut(told.end())
    end = text.signs.find("#")
    feedback = text.cut(end + 1).words(markup) if end >= 0 else ""
    return _Answer(sign, weight, text.cut(0, None if end < 0 else end).words(markup), feedback)


def _feedback_apart(answers: _Text, markup: str) -> tuple[_Text, str]:
    at = answers.signs.rfind("####")
    return (answers, "") if at < 0 else (answers.cut(0, at), answers.cut(at + 4).words(markup))


def _without_tags(html: str) -> str:
    """What a reader sees of it. ValueError where there is more to see than text."""
    from viva.storage.corpus.page_tree import tree_of

    page = tree_of(html)
    if page.find(["img", "video", "audio", "object", "iframe"]):
        raise ValueError("it needs a picture or a recording")
    for end in page.find_all(["br", "p", "div", "li", "pre"]):
        end.append("\n")
    return page.get_text().strip()


def _marked(text: str) -> _Text:
    plain, signs, at = [], [], 0
    for escape in _ESCAPE.finditer(text):
        plain += [text[at : escape.start()], "\n" if escape[1] == "n" else escape[1]]
        signs += [text[at : escape.start()], "\0"]
        at = escape.end()
    return _Text("".join([*plain, text[at:]]), "".join([*signs, text[at:]]))


def _block(shown: ExamItem) -> str:
    item = shown.item
    reasons = {wrong.text: wrong.reason for wrong in item.distractors}
    lines = [f"::{item.id}::[plain]{_escaped(item.stem)}{{"]
    for n, option in enumerate(shown.options):
        is_key = n == shown.key_position
        text = _escaped(option).replace("*", "\\*") if item.is_open else _escaped(option)
        reason = "" if is_key else reasons.get(option, "")
        lines.append(f"\t{'=' if is_key else '~'}{_safe(text)}" + (f"#{_safe(_escaped(reason))}" if reason else ""))
    if item.reference_answer not in ("", item.key):
        lines.append(f"\t####{_safe(_escaped(item.reference_answer))}")
    return "\n".join([*lines, "}"])


def _escaped(text: str) -> str:
    escaped = re.sub(r"([\\#=~{}:])", r"\\\1", text.replace("\r\n", "\n").replace("\r", "\n"))
    return escaped.replace("\n", "\\n")


def _safe(escaped: str) -> str:
    """Text that begins like a weight or a name of markup is told apart from one by the name of its own markup."""
    return f"[plain]{escaped}" if escaped.lstrip().startswith("%") or _FORMAT.match(escaped.lstrip()) else escaped
