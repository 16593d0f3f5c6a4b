"""What the sentences of an answer say of each option: chosen, right, rejected, doubted, or only mentioned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from viva.metrics.text.choices import lexicon
from viva.metrics.text.choices.marking import UNKNOWN, is_free, is_letter, option_of, reason_of
from viva.metrics.text.choices.result import NoChoice


class Weight(IntEnum):
    """How firmly an option is put forward."""

    MENTIONED = 0
    ALONE = 1
    """it is all that a clause says"""
    RIGHT = 2
    """called right"""
    FINAL = 3
    """in a final statement"""


@dataclass(frozen=True)
class Statement:
    """What a sentence says of one option, or of several in a row."""

    options: frozenset[int]
    weight: Weight
    rejected: bool = False
    doubted: bool = False
    why_none: NoChoice | None = None
    """of a final statement that means no option"""
    letter: bool = False
    """an option is named by its letter"""
    valueless: bool = False
    """a final statement names no option"""


_ABBREVIATION = re.compile(
    r"(?<![a-z])(?:(e\.g|i\.e|approx|ca|vs|z\.b|d\.h|dr|mr|mrs|st)\.(?=\s?[\w\ue000-\uf8ff])|(nr|no|p|pp|sec|fig|art|abs|стр)\.(?=\s?\d))"
)
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?]+(?=[\s\"')\]\ue000-\uf8ff]|$)|[。;]|\n|$)")
_MARK = re.compile(lexicon.OPTION)
_BETWEEN = re.compile(
    rf"\s*[\"')\]]*\s*(?P<comma>[,、/&+|~-])?\s*(?:(?P<either>{lexicon.EITHER})|(?P<both>{lexicon.BOTH}))?"
    rf"\s*(?P<doubt>(?:{lexicon.words('hedges')})\s*)?(?:then|even|also|maybe|perhaps|both|either|auch|aussi|también|anche|também|ook|(?:{lexicon.words('article')})"
    rf"|(?:{lexicon.words('option')})|(?:{lexicon.words('answer')}))?\s*[\"'(\[]*"
)
_LONGEST_LEAD = 160
_ALL_BUT = re.compile(r"(?<![a-z])(?:every\w*|any\w*|all)(?: \w+){0,3} (?:but|save)\s*(?:the |an? )?$")
_ELLIPTIC = re.compile(
    rf"^\s*(?:{lexicon.words('copula')}|{lexicon.words('yes')}|(?<![a-z])(?:does|do|did|has)(?![a-z]))\s*[.!]?\s*$"
)
_JOINED_FINALS = re.compile(rf"({lexicon.OPTION})[\s$]*(?:{lexicon.EITHER}|{lexicon.BOTH}|,)[\s$]*{lexicon.CUE}\s*")
_QUESTION = re.compile(r"^[\"')\]\s]*\?")
_IMMEDIATE_NO = re.compile(r"^[\s:\"')\]-]*no(?![a-z])")
_NOT_ONLY = re.compile(r"(?<![a-z])not (?:only|just|merely)(?![a-z])")
_RIGHT_SOON = re.compile(
    rf"^\W*(?:[^\s.!?;,]{{1,25}}\s+){{0,4}}?(?:{lexicon.words('right')})|^[^\n.!?;,]{{0,10}}(?:{lexicon.words('right', lexicon.Script.UNSPACED)})"
)
_CHECK = re.compile(r"(?:[✅✔✓☑👉]\ufe0f?|\[x\])[\s:]*$")
_CROSS = re.compile(r"(?:[✗✘❌✖🚫]\ufe0f?|\[\s\])[\s:]*$")
_CHECK_AFTER = re.compile(r"^[\s:\"')\]-]*[✅✔✓☑]")
_HEADER = re.compile(
    rf"(?:{lexicon.words('wrong')}|{lexicon.words('excludes')}|(?:{lexicon.words('negates')}|{lexicon.words('negates_before')})\s*\S*(?:{lexicon.words('right')}))[^:\n]{{0,40}}:[\s\"'(\[]*$"
)
_LABEL_WORDS = frozenset(
    "the la le el il lo die der das de het o a it that so then thus hence therefore only and but because since as think believe say conclude sure okay ok well letter dass que che dat что est ist is es e"
    " donc also daher dunque quindi portanto dus 所以".split()
)
_NO_VALUE = re.compile(
    r"\s*(?:$|(?:in|on|at|from|found|given|stated|mentioned|based|clear(?:ly)?|correct|right|wrong|as|provided|supported|because|that|not|derived|located|explained|below|above|im"
    r"|auf|laut|dans|sur|en|nel|nella|na|no|op|в|на|below|determined|a|an|one)(?![a-z]))"
)


def statements(text: str) -> Iterator[Statement]:
    """What a marked text says, from its first sentence to its last."""
    text = _ABBREVIATION.sub(lambda m: m[1] or m[2], _unbroken(text))
    header = False
    asked: Statement | None = None
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        if not sentence.strip():
            continue
        if _MARK.search(sentence):
            for each in _Sentence(sentence, under_header=header).statements():
                yield each
                asked = each if sentence.rstrip().endswith("?") else None
        else:
            if asked is not None and (reply := _reply(asked, sentence)):
                yield reply
            asked = None
            header = _HEADER.search(sentence) is not None
            yield from _valueless(sentence)


def _reply(asked: Statement, sentence: str) -> Statement | None:
    """What the speaker himself says to his question: "Is it A? No." """
    words = sentence.strip(" .!,\n")
    if lexicon.NO.match(words):
        return replace(asked, rejected=True)
    return replace(asked, weight=Weight.RIGHT, doubted=False, why_none=None) if lexicon.YES.match(words) else None


def _unbroken(text: str) -> str:
    """A line that ends in the middle of a final statement goes on in the next one."""
    text = _JOINED_FINALS.sub(r"\1, ", text)
    text = lexicon.HEADINGS.sub(lambda match: f"{match.group().rstrip(':' + chr(10))}: ", text)
    return lexicon.LINKED_CUES.sub(lambda match: match.group().replace("\n", " "), text)


def _valueless(sentence: str) -> Iterator[Statement]:
    """A final statement that names no option: what stands before it decides nothing any more."""
    cue = None
    for cue in lexicon.LINKED_CUES.finditer(sentence):
        pass
    if cue is None or lexicon.REFUSES.search(sentence):
        return
    tail = sentence[cue.end() :]
    if re.search(r"\w", tail) and not _is_no_value(tail, 0):
        hard = re.search(r"[:=\uf002][^\w]*$", cue.group()) is not None
        yield Statement(frozenset(), Weight.FINAL, why_none=NoChoice.NOT_AN_OPTION if hard else None, valueless=True)


@dataclass(frozen=True)
class _Group:
    """Options in a row: "A", "A or B", "A, C and D"."""

    start: int
    end: int
    marks: tuple[str, ...]
    doubted: bool = False
    listed: bool = False
    """by commas alone"""

    @property
    def options(self) -> frozenset[int]:
        return frozenset(option for mark in self.marks if (option := option_of(mark)) is not None)


class _Sentence:
    def __init__(self, text: str, *, under_header: bool) -> None:
        self._text = text
        self._under_header = under_header
        self._groups = list(_groups(text))

    def statements(self) -> Iterator[Statement]:
        """One for each option, or row of options, from left to right."""
        found: list[Statement] = []
        for number in range(len(self._groups)):
            found.append(self._statement(number, found))
        yield from self._with_distant_cue(found)

    def _statement(self, number: int, before: list[Statement]) -> Statement:
        group = self._groups[number]
        lead, tail = self._lead(number), self._tail(number)
        previous = before[-1] if before else None
        # what rejects the option before stands behind it in some languages
        clause = "" if _corrects(lead) else _clause_before(lexicon.EXCLUDES_AFTER.sub("", lead) if number else lead)
        rejected = self._rejected(number, lead, clause, tail, previous)
        doubted = group.doubted or self._doubted(clause, lead, tail)
        weight = Weight.MENTIONED
        if not rejected:
            weight = self._weight(group, lead, clause, tail, previous)
        why_none = self._why_none(group, weight, doubted=doubted)
        part_of_a_name = is_free(group.marks[0]) and weight is Weight.MENTIONED and not rejected
        part_of_a_name = part_of_a_name and not (doubted and self._may_be_subject(clause))
        return Statement(
            frozenset() if part_of_a_name else group.options,
            weight,
            rejected=rejected,
            doubted=doubted,
            why_none=why_none,
            letter=is_letter(group.marks[0]),
        )

    def _why_none(self, group: _Group, weight: Weight, *, doubted: bool) -> NoChoice | None:
        if doubted:
            return NoChoice.UNDECIDED
        if len(group.options) > 1:
            return NoChoice.SEVERAL
        reasons = [reason for mark in group.marks if (reason := reason_of(mark))]
        return reasons[0] if reasons else None

    # --- what stands around ---------------------------------------------------------------------------------

    def _lead(self, number: int) -> str:
        start = self._groups[number - 1].end if number else 0
        end = self._groups[number].start
        return self._text[max(start, end - _LONGEST_LEAD) : end]

    def _tail(self, number: int) -> str:
        start = self._groups[number].end
        if number + 1 == len(self._groups):
            return self._text[start : start + 4 * _LONGEST_LEAD]
        between = self._text[start : self._groups[number + 1].start]
        return (
            lexicon.LAST_NEGATOR.sub("", between[:_LONGEST_LEAD])
            if len(between) <= _LONGEST_LEAD
            else between[:_LONGEST_LEAD]
        )

    # --- against an option ----------------------------------------------------------------------------------

    def _rejected(self, number: int, lead: str, clause: str, tail: str, previous: Statement | None) -> bool:
        near = _clause_after(tail)
        if self._is_called_wrong(near, tail):
            return True
        if lexicon.DISBELIEVES.search(lead) or _ALL_BUT.search(lead):
            return True
        if _CROSS.search(lead) or _HEADER.search(lead):
            return True
        if lexicon.EXCLUDES.search(clause) or lexicon.NEGATES.search(_NOT_ONLY.sub("", clause)):
            return True
        if lexicon.ENDS_LINKED.search(lead) and lexicon.WRONG.search(clause):
            return True
        if self._under_header and not clause.strip() and not _RIGHT_SOON.match(near):
            return True
        if previous is None or not previous.rejected or _RIGHT_SOON.match(near):
            return False
        before = self._lead(number - 1)
        was_led = lexicon.EXCLUDES.search(_clause_before(before)) or lexicon.NEGATES.search(_clause_before(before))
        carried = (
            bool(was_led)
            and re.fullmatch(
                r"[\s\"')\]]*(?:\([^()]*\))?[\s,]*(?:(?:and|und|et|y|e|en|и|和|と)\s)?\s*[\"'(\[]*", lead
            )
            is not None
        )
        return carried or lexicon.TOO.match(near) is not None

    @staticmethod
    def _is_called_wrong(near: str, tail: str) -> bool:
        text = _NOT_ONLY.sub("", near)
        if lexicon.EXCLUDES_AFTER.match(tail) or _IMMEDIATE_NO.match(tail):
            return True
        if lexicon.WRONG.search(text) or lexicon.NEGATES_AFTER.search(text):
            return True
        # "A (wrong)", "A - no", "A: too high"
        aside = re.match(r"[\s\"')\]]*(?:[:(]|-(?=\s))\s*([^.!?;,()\n]{1,40})", tail)
        return aside is not None and bool(
            lexicon.WRONG.search(aside[1])
            or re.match(r"no(?:t|pe|ne|n|in|e)?(?![a-z])|нет|falsch|faux|不|错|×", aside[1])
        )

    @staticmethod
    def _doubted(clause: str, lead: str, tail: str) -> bool:
        near = _clause_after(tail)
        if _QUESTION.match(tail) or lexicon.HEDGES.search(clause) or lexicon.WHETHER.search(clause):
            return True
        if lexicon.HEDGES.search(near) or lexicon.HEDGES.search(_clause_before(lead.rstrip(" ,"))):
            return True
        if lexicon.UNSURE.search(lead):
            return re.search(lexicon.words("breaks"), lead[lexicon.UNSURE.search(lead).end() :]) is None  # type: ignore[union-attr]
        return lexicon.UNSURE.search(tail) is not None

    # --- for an option --------------------------------------------------------------------------------------

    def _weight(self, group: _Group, lead: str, clause: str, tail: str, previous: Statement | None) -> Weight:
        letter = is_letter(group.marks[0]) or reason_of(group.marks[0]) not in {None, NoChoice.NOT_AN_OPTION}
        alone = lexicon.ENDS.match(tail) is not None
        near = _clause_after(tail)
        right = _RIGHT_SOON.match(near) is not None
        if lexicon.ENDS_LINKED.search(lead) or lexicon.ENDS_CHOOSING.search(lead) or lexicon.CHOSEN.match(tail):
            return Weight.FINAL
        if _CHECK.search(lead) or _CHECK_AFTER.match(tail):
            return Weight.FINAL
        if letter and (lexicon.ENDS_POINTING.search(lead) or (lexicon.ENDS_BARE.search(lead) and (alone or right))):
            return Weight.FINAL
        if (alone or right) and (lexicon.ENDS_HENCE.search(lead) or _corrects(lead)):
            return Weight.FINAL
        if previous is not None and previous.rejected and _contrasts(lead) and (alone or right):
            return Weight.FINAL
        if previous is not None and previous.rejected and _ELLIPTIC.match(tail):
            return Weight.RIGHT
        named = is_free(group.marks[0]) and not self._may_be_subject(clause)
        if right and not named:
            return Weight.ALONE if lexicon.SEEMS.search(near) else Weight.RIGHT
        if letter and lexicon.ENDS_IT_IS.search(lead) and alone:
            return Weight.RIGHT
        if alone and not re.sub(r"[\W\d_]|sure|okay|ok|well|so|and|then|not", "", lexicon.ADVERBS.sub("", clause)):
            return Weight.ALONE
        return Weight.MENTIONED

    @staticmethod
    def _may_be_subject(clause: str) -> bool:
        """Whether a letter behind these words is an option and no part of a name, as in "tank A"."""
        last = re.search(r"([^\W\d_]+)\W*$", clause)
        return last is None or not last[1].isascii() or last[1] in _LABEL_WORDS

    def _with_distant_cue(self, found: list[Statement]) -> Iterator[Statement]:
        """ "The answer is the second tank's, 12 litres": the one option behind a final statement's beginning is it."""
        cue = None
        for cue in lexicon.LINKED_CUES.finditer(self._text):
            pass
        behind = [n for n, group in enumerate(self._groups) if cue and group.start >= cue.end()]
        put = [n for n in behind if found[n].options and not found[n].rejected]
        if (
            cue is None
            or not put
            or any(found[n].weight is Weight.FINAL for n in behind)
            or _is_no_value(self._text, cue.end())
        ):
            yield from found
        elif not self._is_value(cue, self._groups[put[0]].start):
            yield Statement(frozenset(), Weight.FINAL, valueless=True)
            yield from (each for n, each in enumerate(found) if n not in put)
        else:
            several = len({found[n].options for n in put}) > 1
            last = put[-1] if several else put[0]
            why = NoChoice.SEVERAL if several else found[last].why_none
            found[last] = replace(found[last], weight=Weight.FINAL, why_none=why)
            yield from found

    def _is_value(self, cue: re.Match[str], start: int) -> bool:
        """Whether an option is the value of a final statement, and not only spoken of in its sentence."""
        gap = self._text[cue.end() : start]
        breaks = list(lexicon.BREAKS.finditer(gap))
        if not breaks:
            return lexicon.RELATIVE.search(gap) is None
        last = gap[breaks[-1].end() :]
        if lexicon.NAMELY.match(last) or lexicon.NAMELY.match(gap[breaks[-1].start() :]):
            return True
        return re.search(r"[:=\uf002]\W*$", cue.group()) is not None and lexicon.RELATIVE.match(last) is None


def _is_no_value(text: str, position: int) -> bool:
    """Whether what follows a final statement's beginning is no value: "the answer is in section 2"."""
    return _NO_VALUE.match(text, position) is not None


def _clause_before(lead: str) -> str:
    """The clause that leads to an option, from its last break on; a bracket right before the option breaks nothing."""
    text = lead.rstrip(" \"'([")
    end = 0
    for match in lexicon.BREAKS.finditer(text):
        end = match.end()
    return text[end:]


def _contrasts(lead: str) -> bool:
    """Whether an option stands in the place of the one that was just rejected: "not A, but B"."""
    text = lead.strip(" \"')]([、,")
    return lexicon.ENDS_BREAK.fullmatch(text) is not None or (
        (after := lexicon.EXCLUDES_AFTER.match(text)) is not None and after.end() >= len(text) - 1
    )


def _corrects(lead: str) -> bool:
    """Whether the speaker corrects himself: "no, B", "wait, B"; "no B" rejects it."""
    found = lexicon.CORRECTS.search(lead)
    return found is not None and (
        re.search(r"[,.:!;-]", found.group()) is not None or lexicon.NEGATES.search(found.group()) is None
    )


def _clause_after(tail: str) -> str:
    """The clause that an option begins, up to its first break."""
    text = re.sub(
        r"^[\s\"')\]]*(?:,\s?(?:however|on the other hand|in fact|therefore|though|jedoch|hingegen|cependant|sin embargo),?)?",
        " ",
        tail,
    )
    first = lexicon.BREAKS.search(text)
    return text[: first.start()] if first else text


def _groups(text: str) -> Iterator[_Group]:
    row: list[re.Match[str]] = []
    doubted = listed = False
    for mark in _MARK.finditer(text):
        joint = _BETWEEN.fullmatch(text, row[-1].end(), mark.start()) if row else None
        if joint and (joint["comma"] or joint["either"] or joint["both"]) and _joins(joint, row[-1], mark):
            row.append(mark)
            doubted = doubted or bool(joint["doubt"])
            listed = not (joint["either"] or joint["both"])
            continue
        if row:
            yield _grouped(row, doubted=doubted, listed=listed)
        row, doubted, listed = [mark], False, False
    if row:
        yield _grouped(row, doubted=doubted, listed=listed)


def _joins(joint: re.Match[str], first: re.Match[str], second: re.Match[str]) -> bool:
    return joint["comma"] != "-" and UNKNOWN not in {first.group(), second.group()}


def _grouped(row: list[re.Match[str]], *, doubted: bool, listed: bool) -> _Group:
    return _Group(row[0].start(), row[-1].end(), tuple(mark.group() for mark in row), doubted, listed)
