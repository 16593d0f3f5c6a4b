"""Sentences of an answer, the options in them that stand in a row, and the clauses around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from viva.core.text.patterns import late_pattern
from viva.metrics.text.choices import lexicon
from viva.metrics.text.choices.marking import UNKNOWN, option_of
from viva.metrics.text.choices.plain import CUE

_ABBREVIATION = late_pattern(
    r"(?<![a-z])(?:(e\.g|i\.e|approx|ca|vs|z\.b|d\.h|dr|mr|mrs|st)\.(?=\s?[\w\ue000-\uf8ff])"
    r"|(nr|no|p|pp|sec|fig|art|abs|стр)\.(?=\s?\d))"
)
_SENTENCE = late_pattern(r"[^\n]*?(?:[.!?]+(?=[\s\"')\]\ue000-\uf8ff]|$)|[。;]|\n|$)")
_MARK = late_pattern(lexicon.OPTION)
_NEAR = 60
"""Characters of what takes back a statement, and between a negation and what is put in its place."""
_ADDS = "then|even|also|maybe|perhaps|both|either|auch|aussi|también|anche|também|ook"
_BETWEEN = late_pattern(
    rf"\s*[\"')\]]*\s*(?P<comma>[,、/&+|~<>])?\s*(?:\((?=(?:{lexicon.EITHER})))?"
    rf"(?:(?P<word>{lexicon.EITHER}|{lexicon.BOTH}))?"
    rf"\s*(?P<doubt>(?:{lexicon.words('hedges')})\s*)?"
    rf"(?:{_ADDS}|(?!as\s)(?:{lexicon.words('article')})|(?:{lexicon.words('option')})|(?:{lexicon.words('answer')}))?"
    r"\s*[\"'(\[]*"
)
_SINGULAR = late_pattern(r"\s*(?:is|isn't|was|ist|est|es|e)(?![a-z])")
_JOINED_FINALS = late_pattern(
    rf"({lexicon.OPTION})[\s$]*(?:{lexicon.EITHER}|{lexicon.BOTH}|,)[\s$]*"
    rf"{CUE}\s*"
)
_PARENTHESIS = late_pattern(
    r"^[\s\"')\]]*(?:,\s?(?:however|on the other hand|in fact|therefore|though|jedoch|hingegen|cependant"
    r"|sin embargo),?)?"
)
_NOT_A_NAME = frozenset(
    "the la le el il lo die der das de het o a it that so then thus hence therefore only and but because since as"
    " think believe say conclude sure okay ok well letter be dass que che dat est ist is es e sein donc also daher"
    " dunque quindi portanto dus".split()
)
"""Words in front of a letter that leave it an option: "tank A" is a name, "so A" is none."""
_NO_VALUE = late_pattern(
    r"\s*(?:$|(?:in|on|at|from|found|given|stated|mentioned|based|clear(?:ly)?|correct|right|wrong|as|provided"
    r"|supported|because|that|not|derived|located|explained|below|above|determined|a|an|one|im|auf|laut|dans|sur|en|nel"
    r"|nella|na|no|op|в|на)(?![a-z]))"
)


@dataclass(frozen=True)
class OptionRow:
    """Options in a row: "A", "A or B", "A, C and D"."""

    start: int
    end: int
    marks: tuple[str, ...]
    doubted: bool = False

    @property
    def options(self) -> frozenset[int]:
        """Those that are options of the question."""
        return frozenset(option for mark in self.marks if (option := option_of(mark)) is not None)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a marked text. A line that ends in the middle of a final statement goes on in the next one."""
    text = _JOINED_FINALS.sub(r"\1, ", text)
    text = lexicon.HEADINGS.sub(lambda match: f"{match.group().rstrip(':' + chr(10))}: ", text)
    text = lexicon.LINKED_CUES.sub(lambda match: match.group().replace("\n", " "), text)
    text = _ABBREVIATION.sub(lambda match: match[1] or match[2], text)
    for match in _SENTENCE.finditer(text):
        if match.group().strip():
            yield match.group()


def names_options(sentence: str) -> bool:
    """Whether there is any option in it."""
    return _MARK.search(sentence) is not None


def rows_of(sentence: str) -> list[OptionRow]:
    """The options of a sentence, those in a row together."""
    rows: list[OptionRow] = []
    for mark in _MARK.finditer(sentence):
        one = OptionRow(mark.start(), mark.end(), (mark.group(),))
        joint = _BETWEEN.fullmatch(sentence, rows[-1].end, mark.start()) if rows else None
        joined = (
            joint is not None and (joint["comma"] or joint["word"]) and UNKNOWN not in {*rows[-1].marks, *one.marks}
        )
        if joint is None or not joined or _is_other_clause(joint, sentence, mark.end()):
            # "B, A is wrong" speaks of each by itself
            rows.append(one)
            continue
        last = rows.pop()
        doubted = last.doubted or bool(joint["doubt"])
        rows.append(OptionRow(last.start, one.end, (*last.marks, *one.marks), doubted))
    return rows


def _is_other_clause(joint: re.Match[str], sentence: str, end: int) -> bool:
    """Whether the option behind a joint begins a clause: "B, A is wrong"; with "e" as its verb: "non A, è B"."""
    if not joint["word"]:
        return _SINGULAR.match(sentence, end) is not None
    verb = joint["comma"] == "," and joint["word"] == "e"
    start = max(0, joint.start() - _NEAR)
    return verb and lexicon.NEGATES.search(sentence, start, joint.start()) is not None


def clause_before(lead: str) -> str:
    """The clause that leads to an option, from its last break on; a bracket before the option breaks nothing."""
    text = lead.rstrip(" \"'([")
    end = 0
    for match in lexicon.BREAKS.finditer(text):
        end = match.end()
    return text[end:]


def clause_after(tail: str) -> str:
    """The clause that an option begins, up to its first break."""
    text = _PARENTHESIS.sub(" ", tail)
    first = lexicon.BREAKS.search(text)
    return text[: first.start()] if first else text


def last_cue(text: str) -> re.Match[str] | None:
    """The last beginning of a final statement."""
    found = None
    for match in lexicon.LINKED_CUES.finditer(text):
        found = match
    return found


def ends_hard(cue: re.Match[str]) -> bool:
    """Whether what follows a cue must be the answer: behind a colon, in a field, in a tag."""
    return re.search(r"[:=\uf002]\W*$", cue.group()) is not None


def is_no_value(text: str, position: int = 0) -> bool:
    """Whether what follows a final statement's beginning is no value: "the answer is in section 2"."""
    return _NO_VALUE.match(text, position) is not None


def may_be_subject(clause: str) -> bool:
    """Whether a letter behind these words is an option and no part of a name, as in "tank A"."""
    last = re.search(r"([^\W\d_]+)\W*$", clause)
    return last is None or not last[1].isascii() or last[1] in _NOT_A_NAME


def contrasts(lead: str) -> bool:
    """Whether an option stands in the place of the one that was just rejected: "not A, but B"."""
    text = lead.strip(" \"')]([、,")
    if lexicon.ENDS_BREAK.fullmatch(text):
        return True
    after = lexicon.EXCLUDES_AFTER.match(text)
    return after is not None and after.end() >= len(text) - 1


def corrects(lead: str) -> bool:
    """Whether the speaker corrects what he said: "no, B", "wait, B"; "no B" rejects it."""
    found = lexicon.CORRECTS.search(lead)
    if found is None:
        return False
    return re.search(r"[,.:!;-]", found.group()) is not None or lexicon.NEGATES.search(found.group()) is None


def takes_back(sentence: str) -> bool:
    """Whether a sentence without an option takes back what was said: "Wait, no."; not a mere yes or no."""
    words = sentence.strip(" .!,-\n")
    mere = lexicon.YES.fullmatch(words) or lexicon.NO.fullmatch(words)
    return len(words) <= _NEAR and mere is None and lexicon.CORRECTS.search(words) is not None
