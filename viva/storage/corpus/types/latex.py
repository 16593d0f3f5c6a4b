"""LaTeX as text: headings, lists, tables by columns, formulas on one line; without what only a program reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import partial

from viva.storage.corpus.decoding import text_of
from viva.storage.corpus.plain import load_text_as, markdown_title
from viva.storage.corpus.source import Loaded, SourceFile
from viva.storage.corpus.types.plain_markup import applied, rules

_ARGUMENT = r"\{((?:[^{}\n]|\{[^{}\n]*\})*)\}"
"""With braces in it."""
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_FONT = re.compile(
    r"\\(?:text(?:bf|it|tt|sc|rm|sf|sl|md|up)?|emph|underline|mbox|math(?:rm|bf|it|sf|tt|cal|bb))\s*\{([^{}]*)\}"
)
_COMMENT = re.compile(r"(?<!\\)%.*$", re.MULTILINE)
_DEFINED = re.compile(r"\\(?:(?:re)?newcommand|providecommand|def)\*?\s*\{?(\\[A-Za-z]+)\}?\s*" + _ARGUMENT)
_SPACES = re.compile(r"[ \t]+")
_CALLED = r"{}(?![A-Za-z])(?:\{{\}}|[ \t]?)"
_AS_IT_IS = re.compile(r"\\begin\{((?:verbatim|lstlisting|minted|Verbatim)\*?)\}[^\n]{0,200}\n")
_MARKS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "c": "\u0327", "v": "\u030c"}
_ACCENTED = re.compile(r"""\\(?:(["'`^~])\s*|([cv])(?=\s*\{|\s))\s*\{?\s*\\?([A-Za-z])(?![A-Za-z]*\{)\}?""")
_LETTERS = {"ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł"}
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|[oOl])(?![A-Za-z])(?:\{\}|[ \t])?")
_RULES = rules(
    (r"\\begin\{(?:tabular|array|longtable|tabularx)\*?\}(?:\[[^\]\n]*\])?(?:\{\\\w+\})?" + _ARGUMENT, "\n"),
    (r"\\(?:begin|end)\{[\w*]+\}(?:\[[^\]\n]*\])?", "\n"),
    (r"[~ ]?\\(?:label|(?:eq|page|auto|c|C)?ref|(?:no|text|paren)?cite[pt]?\w*|includegraphics|bibliography\w*|input"  # noqa: ISC004
     r"|include|[vh]space|cline|cmidrule)\*?(?:\([^)\n]*\))?(?:\[[^\]\n]*\]){0,2}\{[^{}\n]*\}", ""),
    (r"\\(?:hline|toprule|midrule|bottomrule|maketitle|centering|noindent|newpage|clearpage|tableofcontents)\b", ""),
    (r"\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}\n]*\}\s*" + _ARGUMENT,
     lambda cell: " & ".join([cell.group(2)] * int(cell.group(1)))),
    (r"\\multirow\s*(?:\[[^\]\n]*\])?\{[^{}\n]*\}(?:\[[^\]\n]*\])?\s*\{[^{}\n]*\}\s*" + _ARGUMENT, r"\1"),
    (r"\\(?:part|chapter|section)\*?\{([^{}]*)\}", r"\n# \1\n"),
    (r"\\subsection\*?\{([^{}]*)\}", r"\n## \1\n"),
    (r"\\(?:subsubsection|paragraph)\*?\{([^{}]*)\}", r"\n### \1\n"),
    (r"\n? ?\\item(?![A-Za-z])(?:\[([^\]\n]*)\])?[ \t]*", r"\n- \1"),
    (r"\\footnote" + _ARGUMENT, r" (\1)"),
    (r"\\href\{[^{}]*\}\{([^{}]*)\}", r"\1"),
    (r"\\(?:SI|qty)\{([^{}]*)\}\{\\?([^{}]*)\}", r"\1 \2"),
    (r"\\times\b", "×"), (r"\\cdot\b", "·"), (r"\\pm\b", "±"), (r"\\leq?\b", "≤"), (r"\\geq?\b", "≥"),
    (r"\\(?:circ|degree)\b", "°"), (r"\\ldots\b|\\dots\b", "…"), (r"\\approx\b", "≈"),
    (r"\^\{([^{}]{1,20})\}", r"^\1"), (r"_\{([^{}]{1,20})\}", r"_\1"),
    (r" ?(?<!\\)& ?", " | "),
    (r" ?\\\\(?:\[[^\]\n]*\])? ?\n?", "\n"),
    (r"(?<!\\)\$\$?", ""), (r"\\([%&$#_{}])", r"\1"),
    (r"``|''", '"'), (r"---", "—"), (r"(?<=\d)--(?=\d)|--", "–"), (r"(?<!\\)~", " "), (r"\\[,;: ]", " "),
)  # fmt: skip
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\]\n]*\])?\{([^{}]*)\}")
_NESTED = 5
_MOST_DEFINED = 200


def load_latex(source: SourceFile) -> Iterator[Loaded]:
    """One document of LaTeX; its title is that of the document, else its first heading."""
    text = text_of(source)
    title = re.search(r"\\title\*?\{([^{}]*)\}", text)
    head, begun, body = text.partition(r"\begin{document}")
    if begun:
        text = (f"# {title.group(1)}\n\n" if title else "") + body.partition(r"\end{document}")[0]
    yield load_text_as("tex", source, _latex(text, head if begun else ""), markdown_title)


def _latex(text: str, head: str) -> str:
    """The text; what commands of its own stand for is put in their place, and code stays as it is written."""
    named = dict(_DEFINED.findall(_COMMENT.sub("", f"{head}\n{text}"))[:_MOST_DEFINED])
    parts, last = [], 0
    while code := _AS_IT_IS.search(text, last):
        end = f"\\end{{{code.group(1)}}}"
        at = text.find(end, code.end())
        if at < 0:
            break
        parts += [_prose(text[last : code.start()], named), f"```\n{text[code.end() : at].rstrip()}\n```"]
        last = at + len(end)
    parts.append(_prose(text[last:], named))
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()).strip() + "\n"


def _prose(text: str, named: dict[str, str]) -> str:
    text = _SPACES.sub(" ", _DEFINED.sub("", _COMMENT.sub("", text)))
    for name, meant in named.items():
        # one that takes arguments is not replaced so simply
        if "#" not in meant:
            text = re.sub(_CALLED.format(re.escape(name)), partial(_put, meant), text)
    text = _LETTER.sub(lambda found: _LETTERS[found.group(1)], _ACCENTED.sub(_accented, text))
    for _ in range(_NESTED):
        text = _FONT.sub(r"\1", _FRACTION.sub(r"\1/\2", text))
    text = applied(_RULES, text)
    for _ in range(_NESTED):
        text = _COMMAND.sub(r"\1", text)
    text = re.sub(r"\\[A-Za-z]+\*?[ \t]?|(?<!\\)[{}]", "", text)
    return re.sub(r"\n[ \t]*\n[ \t\n]*", "\n\n", text)


def _put(meant: str, _: re.Match[str]) -> str:
    return meant


def _accented(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", found.group(3) + _MARKS[found.group(1) or found.group(2)])
