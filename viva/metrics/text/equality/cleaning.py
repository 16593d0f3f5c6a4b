"""An answer without what is no part of its statement: citations, references to places, markup, courtesies."""

from __future__ import annotations

import re
import unicodedata

from viva.metrics.text.choices.thoughts import without_thoughts

_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_SUP = re.compile(r"<sup>\s*\[?(\d{1,3})\]?\s*</sup>", re.IGNORECASE)
_RAISED = re.compile(r"⁻?[⁰¹²³⁴-⁹]+")
_HAS_POWER = re.compile(r"(?<![\d.,])(?:\d{1,2}|10+)$|(?:\b|\d)(?:[mckµ]?m|ft|in|yd|mi)$")
"""What is raised to a power; a small figure after anything else is the mark of a footnote."""
_LATEX_TEXT = re.compile(r"\\(?:mathrm|text|textbf|mathbf|operatorname|boxed|mbox)\s*\{([^{}]*)\}")
_LATEX_MATH = re.compile(r"\$([^$\n]{1,200}\\[^$\n]{1,200})\$|\\\((.{1,400}?)\\\)|\\\[(.{1,400}?)\\\]", re.DOTALL)
_LATEX_SPACE = re.compile(r"\\[,;:! ]|~")
_CITATIONS = re.compile(
    r"【[^】\n]{0,80}】"
    r"|\[\^?\s?(?:(?:doc|document|source|ref|passage|context|p|page"
    r"|citation)s?[\s.:#]*)?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*(?:†[^\]\n]{0,40})?\s?\]"
    r"|\((?:sources?|refs?|references?|see|cf\.?|quelle|siehe|fuente|voir)\b:?[^()\n]{1,120}\)"
    r"|\[(?:sources?|refs?|see|quelle)\b:?[^\[\]\n]{1,120}\]"
    r"|\((?:doc|document|source|ref|passage|context|citation)s?[\s.:#]*\d{1,3}\)"
    r"|\(?\[(?:sources?|link|ref|quelle|\d{1,3})\]\(https?://[^()\s]{1,300}\)\)?"
    r"|(?<=\w) \(\d{1,2}\)(?=\W|$)"
    r"|\[S\d{1,3}\]|\[[\w./-]{1,60}\.(?:md|pdf|txt|html?|docx?|rst)\]|</?answer>"
    r"|<(?:sup|cite|ref)\b[^<>]{0,80}>[^<>\n]{0,40}</(?:sup|cite|ref)>",
    re.IGNORECASE,
)
_AUTHOR_AND_YEAR = re.compile(r"\((?:[A-Z][\w.&'-]{0,40},? ){1,4}(?:19|20)\d\d[a-z]?\)")
_ASKS_YEAR = re.compile(r"\b(?:years?|when|dates?|jahr|wann|année|quand|año|cuándo)\b", re.IGNORECASE)
_PLACE = (
    r"(?:sections?|chapters?|pages?|pp?\.|paragraphs?|articles?|documents?|passages?|contexts?|sources?|tables?"
    r"|figures?"
    r"|abschnitt|kapitel|seite|artikel|dokument|página|sección|capítulo|chapitre|§+)"
    r"\s*#?[\dIVX]+(?:[.\-–]\d+)*[a-z]?"
)
_PLACES = re.compile(
    rf"[\[(][^\[\]()\n]{{1,40}}[, ]{_PLACE}[\])]|(?<=\w) §+ ?\d[\d.]*"
    rf"|\(\s*(?:see |cf\. |in |siehe |voir |ver )?{_PLACE}(?:\s*[,;]?\s*(?:and |und |et |y )?{_PLACE})*\s*\)"
    rf"|(?:\b(?:according to|as (?:stated|described|noted|specified|given) (?:in|on)|as per|per|see|laut|gemäß"
    rf"|siehe|selon"
    rf"|según)\s+(?:the )?{_PLACE}(?:\s*\(?\s*,?\s*(?:and |on |in )?{_PLACE}\s*\)?)*\s*,?)",
    re.IGNORECASE,
)
_ASKS_PLACE = re.compile(
    r"\b(?:section|chapter|page|paragraph|article|document|passage|source|table|figure|abschnitt|kapitel|seite"
    r"|artikel"
    r"|página|sección|capítulo|chapitre)s?\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*{1,3}|`{1,3}|~~|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|^#{1,6}\s", re.MULTILINE)
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−‐‑‒–—―﹣－", "-"),
        **dict.fromkeys("‘’‚‛ʼ′", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        "⁄": "/",
        "×": "x",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
    }
)
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_TO_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def clean(text: str, *, question: str = "", reference: str = "") -> str:
    """Reduce an answer to its statement. References to places stay where question or reference are about one.

    Time is linear in the characters of the text.
    """
    text = without_thoughts(text)
    text = _LATEX_MATH.sub(lambda m: next(group for group in m.groups() if group is not None), text)
    text = _LATEX_SPACE.sub(" ", _LATEX_TEXT.sub(r"\1", text).replace(r"\%", "%").replace(r"\$", "$"))
    text = text.replace(r"^\circ", "°").replace(r"^{\circ}", "°")
    text = _CITATIONS.sub(" ", _SUP.sub(lambda m: m[1].translate(_TO_SUPERSCRIPT), text))
    if not _ASKS_YEAR.search(question):
        text = _AUTHOR_AND_YEAR.sub(lambda m: m.group() if m.group() in reference else " ", text)
    if not _ASKS_PLACE.search(f"{question} {reference}"):
        text = _PLACES.sub(" ", text)
    text = _RAISED.sub(_power, _FRACTION.sub(" ", text))
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return _MARKUP.sub("", text).strip()


def _power(match: re.Match[str]) -> str:
    """A power as "^2"; the mark of a footnote, and a power of one, is left out."""
    is_power = match.group() != "¹" and _HAS_POWER.search(match.string[max(0, match.start() - 12) : match.start()])
    return "^" + match.group().translate(_SUPERSCRIPT) if is_power else " "
