"""An answer without its looks: markup, LaTeX, full-width and decorated characters, white space."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

CUE = "\uf002"
"""Stands before what an answer itself marks as final: boxed, in a tag, in a field."""

_PRIVATE = re.compile("[\ue000-\uf8ff]")
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´`＇", "'"),
        **dict.fromkeys("“”„‟″«»＂『』「」《》〈〉‹›", '"'),
        **dict.fromkeys("‐‑‒–−﹣－", "-"),
        **dict.fromkeys("→⇒➜➡⟶➔", " -> "),
        **dict.fromkeys("—―", " - "),
        **dict.fromkeys("،", ","),
        **dict.fromkeys("؛", ";"),
        **dict.fromkeys("؟", "?"),
        **dict.fromkeys("।॥", "."),
        **dict.fromkeys("｡。", "。"),
        "【": "[",
        "】": "]",
        "〔": "(",
        "〕": ")",
        "🅰": "A",
        "🅱": "B",
        "ⅰ": "i",
        **{chr(first + n): f"#{n + 1}" for first in (0x2460, 0x2776, 0x2780, 0x278A) for n in range(10)},
    }
)
_ARABIC_MARKS = re.compile("[\u064b-\u065f\u0670\u0640]")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")
_MARK = re.compile("[\u0300-\u036f]")

_BOXED = re.compile(r"\\f?boxed\s{0,5}(?:\{((?:[^{}]|\{[^{}]{0,300}\}){0,600}+)\}|([A-Za-z0-9]))")
_LATEX = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:bf|rm|sf|it|tt)?|bm|boldsymbol|operatorname|mbox|displaystyle|quad"
    r"|[;,! ()\[\]])"
    r"|\$(?=[A-Za-z\\(\uf002]|$|[.,;:)\s])"
)
_FINAL_TAG = re.compile(
    r"<(/?)\s?(?:final[_-]?)?(?:answer|final|choice|option|letter|result|output|response|solution|conclusion|selection"
    r"|antwort|r[eé]ponse|respuesta|risposta|resposta|ответ|答案)(?:\s[^<>]{0,200})?>",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|table|h[1-6]|body|html|section|details|summary|hr)\b[^<>]{0,200}>", re.IGNORECASE
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_LETTER_TAG = re.compile(r"<([A-J])>")
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~|<(?:del|s|strike)>[^<>]{1,300}</(?:del|s|strike)>")
_CITATION = re.compile(r"\[\^?\d{1,3}(?:\s?[,;-]\s?\^?\d{1,3}){0,9}\]|【[^【】]{1,80}†[^【】]{0,80}】")
_LINE_MARK = re.compile(r"^[ \t]*(?:[#>|]+|[-*+•‣▪●○·–]+(?=\s))[ \t]*", re.MULTILINE)
_FENCE = re.compile(r"```[A-Za-z]{0,12}[ \t]*\n?")
_EMPHASIS = re.compile(r"\*+|`+|__+|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_REPLY = re.compile(r"((?:\A|\n)\s*Q(?:uestion)?\s?:[^\n]*\n\s*)A(?:nswer)?\s?:")
"""Of a question and its answer, one to a line."""
_ENTITY = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": " ", "&amp;": "&"}
_ENTITIES = re.compile("|".join(_ENTITY))


def without_markup(text: str, *, tags: bool = True) -> str:
    """The words of a text. What it marks as final has a CUE before it. `tags`: whether tags are markup in it."""
    text = _ENTITIES.sub(lambda m: _ENTITY[m.group()], text)
    text = _FENCE.sub("\n", text)
    text = _CITATION.sub(" ", _STRUCK.sub(" ", text))
    text = _BOXED.sub(lambda m: f"\n{CUE} {m[1] or m[2] or ''} ", text)
    text = _LATEX.sub(" ", text)
    if tags:
        text = _LETTER_TAG.sub(lambda m: m.group() if f"</{m[1]}>" in text else f"({m[1]})", text)
        text = _FINAL_TAG.sub(lambda m: "\n" if m[1] else f"\n{CUE} ", text)
        text = _TAG.sub("", _BREAK.sub("\n", text))
    text = _EMPHASIS.sub("", _LINE_MARK.sub("", text))
    return _REPLY.sub(rf"\1{CUE} ", text)


def normalised(text: str) -> str:
    """One form of every character, one blank between words, one end between lines; the case stays."""
    return _LINES.sub("\n", _BLANKS.sub(" ", in_one_form(text))).strip()


def in_one_form(text: str) -> str:
    """The text with one form of every character: of full-width ones, digits, quotation marks, dashes."""
    if text.isascii():
        return text.translate(_SIGNS)
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    text = unicodedata.normalize("NFKC", _ARABIC_MARKS.sub("", unicodedata.normalize("NFD", text)))
    return "".join(_visible(char) for char in text)


def folded(text: str) -> str:
    """The text without case and accents, character for character: as long as the text is."""
    return text.lower() if text.isascii() else "".join(_folded(char) for char in text)


def without_private(text: str) -> str:
    """The text without the characters that stand for options here, and in no text that people write."""
    return _PRIVATE.sub(" ", text)


@lru_cache(maxsize=8192)
def _visible(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Cf" or (kind == "Cc" and char not in "\n\t"):
        return ""
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    plain = _MARK.sub("", unicodedata.normalize("NFD", char)) or char
    plain = _MARK.sub("", unicodedata.normalize("NFD", plain.lower()))
    lower = unicodedata.normalize("NFC", plain)
    return lower if len(lower) == 1 else char
