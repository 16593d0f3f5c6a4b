"""What the sentences of an answer say of each option: chosen, right, rejected, doubted, or only mentioned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from viva.core.text.patterns import late_pattern
from viva.metrics.text.choices import lexicon, polarity
from viva.metrics.text.choices.clauses import (
    OptionRow,
    clause_after,
    clause_before,
    contrasts,
    corrects,
    ends_hard,
    is_no_value,
    last_cue,
    may_be_subject,
    names_options,
    rows_of,
    sentences,
    takes_back,
)
from viva.metrics.text.choices.marking import is_free, is_letter, reason_of
from viva.metrics.text.choices.result import NoChoice

_LONGEST_LEAD = 160
_LONGEST_TAIL = 640
_CONDITION = late_pattern(
    rf"[\s,(]*(?:{lexicon.words('whether')}"
    r"|(?<![a-z])(?:were it|had it|when|wenn|quand|cuando|quando|als|когда)(?![a-z]))"
)
_NOTHING = late_pattern(r"[\W\d_]|sure|okay|ok|well|so|and|then|not|only|nur|solo|seulement|alleen|somente|только")
"""What may stand in a clause that says no more than an option."""


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


@dataclass(frozen=True)
class _Around:
    """What stands around a row of options in its sentence."""

    lead: str
    """all that leads to it, from the options before it on"""
    clause: str
    """the last clause of that"""
    tail: str
    previous: Statement | None
    """of the options before it"""

    @property
    def alone(self) -> bool:
        return lexicon.ENDS.match(self.tail) is not None


def statements(text: str) -> Iterator[Statement]:
    """What a marked text says, from its first sentence to its last."""
    wrong_follow = taken_back = False
    asked: Statement | None = None
    for sentence in sentences(text):
        if names_options(sentence):
            found = list(_of_sentence(sentence, wrong_follow=wrong_follow))
            yield from (_final_if_alone(each) for each in found) if taken_back else found
            taken_back = False
            asked = found[-1] if found and sentence.rstrip().endswith("?") else None
            continue
        yield from _reply(asked, sentence)
        yield from _valueless(sentence)
        asked = None
        taken_back = takes_back(sentence)
        wrong_follow = polarity.is_header_of_wrong(sentence)


def _final_if_alone(statement: Statement) -> Statement:
    firm = statement.weight is Weight.ALONE and not statement.rejected
    return replace(statement, weight=Weight.FINAL) if firm else statement


def _reply(asked: Statement | None, sentence: str) -> Iterator[Statement]:
    """What the speaker replies to his own question: "Is it A? No." """
    words = sentence.strip(" .!,\n")
    if asked is None:
        return
    if lexicon.NO.match(words):
        yield replace(asked, rejected=True)
    elif lexicon.YES.match(words):
        yield replace(asked, weight=Weight.RIGHT, doubted=False, why_none=None)


def _valueless(sentence: str) -> Iterator[Statement]:
    """A final statement that names no option: what stands before it decides nothing any more."""
    cue = last_cue(sentence)
    if cue is None or lexicon.REFUSES.search(sentence):
        return
    tail = sentence[cue.end() :]
    if re.search(r"\w", tail) and not is_no_value(tail):
        why = NoChoice.NOT_AN_OPTION if ends_hard(cue) else None
        yield Statement(frozenset(), Weight.FINAL, why_none=why, valueless=True)


def _of_sentence(text: str, *, wrong_follow: bool) -> Iterator[Statement]:
    rows = rows_of(text)
    found: list[Statement] = []
    leads: list[str] = []
    for number, row in enumerate(rows):
        begin = rows[number - 1].end if number else 0
        leads.append(text[max(begin, row.start - _LONGEST_LEAD) : row.start])
        # what rejects the option before stands behind it in some languages
        own = lexicon.EXCLUDES_AFTER.sub("", leads[-1]) if number else leads[-1]
        clause = "" if corrects(leads[-1]) else clause_before(own)
        around = _Around(leads[-1], clause, _tail(text, rows, number), found[-1] if found else None)
        listed_wrong = wrong_follow and not clause.strip() and not polarity.is_right_soon(around.tail)
        statement = _statement(row, around, before=leads[-2] if number else "", rejected=listed_wrong)
        if statement.weight >= Weight.RIGHT and _CONDITION.match(around.tail):
            later = {option for other in rows[number + 1 :] for option in other.options}
            open_choice = bool(later - row.options)
            statement = replace(statement, doubted=True, why_none=NoChoice.UNDECIDED) if open_choice else statement
        found.append(statement)
    yield from _with_distant_cue(text, rows, found)


def _tail(text: str, rows: list[OptionRow], number: int) -> str:
    """What follows a row of options; without a negation that belongs to the next one."""
    start = rows[number].end
    if number + 1 == len(rows):
        return text[start : start + _LONGEST_TAIL]
    between = text[start : rows[number + 1].start]
    return lexicon.LAST_NEGATOR.sub("", between) if len(between) <= _LONGEST_LEAD else between[:_LONGEST_LEAD]


def _statement(row: OptionRow, around: _Around, before: str, *, rejected: bool) -> Statement:
    rejected = rejected or polarity.is_rejected(around.lead, around.clause, around.tail)
    if around.previous is not None and around.previous.rejected and not rejected:
        rejected = polarity.goes_on_rejecting(before, around.lead, around.tail)
    doubted = row.doubted or polarity.is_doubted(around.lead, around.clause, around.tail)
    weight = Weight.MENTIONED if rejected else _weight(row, around)
    part_of_a_name = is_free(row.marks[0]) and weight is Weight.MENTIONED and not rejected
    if doubted and (len(row.options) > 1 or may_be_subject(around.clause)):
        part_of_a_name = False
    return Statement(
        frozenset() if part_of_a_name else row.options,
        weight,
        rejected=rejected,
        doubted=doubted,
        why_none=_why_none(row, doubted=doubted),
        letter=is_letter(row.marks[0]),
    )


def _why_none(row: OptionRow, *, doubted: bool) -> NoChoice | None:
    if doubted:
        return NoChoice.UNDECIDED
    if len(row.options) > 1:
        return NoChoice.SEVERAL
    return next((reason for mark in row.marks if (reason := reason_of(mark))), None)


def _weight(row: OptionRow, around: _Around) -> Weight:
    letter = is_letter(row.marks[0]) or reason_of(row.marks[0]) not in {None, NoChoice.NOT_AN_OPTION}
    lead, tail, alone = around.lead, around.tail, around.alone
    right = polarity.is_right_soon(tail)
    if polarity.is_left_over(lead, tail):
        return Weight.RIGHT
    if _is_final(around, letter=letter, closed=alone or right):
        return Weight.FINAL
    if around.previous is not None and around.previous.rejected and polarity.is_elliptic(tail):
        return Weight.RIGHT
    if right and not (is_free(row.marks[0]) and not may_be_subject(around.clause)):
        return Weight.ALONE if lexicon.SEEMS.search(clause_after(tail)) else Weight.RIGHT
    if letter and alone and lexicon.ENDS_IT_IS.search(lead):
        return Weight.RIGHT
    if alone and not _NOTHING.sub("", lexicon.ADVERBS.sub("", around.clause)):
        return Weight.ALONE
    return Weight.MENTIONED


def _is_final(around: _Around, *, letter: bool, closed: bool) -> bool:
    """Whether it is a final statement. `closed`: the clause says no more, or that the option is right."""
    lead = around.lead
    if lexicon.ENDS_LINKED.search(lead) or lexicon.ENDS_CHOOSING.search(lead) or lexicon.CHOSEN.match(around.tail):
        return True
    if polarity.is_checked(lead, around.tail) or (letter and lexicon.ENDS_POINTING.search(lead)):
        return True
    if not closed:
        return False
    if (letter and _is_bare(lead)) or lexicon.ENDS_HENCE.search(lead) or corrects(lead):
        return True
    return around.previous is not None and around.previous.rejected and contrasts(lead)


def _is_bare(lead: str) -> bool:
    """Whether a noun is all that introduces a letter: "correct answer B"; not where the noun may be a verb."""
    found = lexicon.ENDS_BARE.search(lead)
    if found is None:
        return False
    before = clause_before(lead[: found.start("cue")])
    before = lexicon.RIGHT.sub("", before)
    if lexicon.ENDS_IT_IS.search(before):
        return True
    for words in (lexicon.ADVERBS, lexicon.OWN, lexicon.ENDS_HENCE):
        before = words.sub("", before)
    return not before.isascii() or not _NOTHING.sub("", before)


def _with_distant_cue(text: str, rows: list[OptionRow], found: list[Statement]) -> Iterator[Statement]:
    """ "The answer is the second tank's, 12 litres": the one option behind such a beginning is the answer."""
    cue = last_cue(text)
    behind = [n for n, row in enumerate(rows) if cue and row.start >= cue.end()]
    put = [n for n in behind if found[n].options and not found[n].rejected]
    final = any(found[n].weight is Weight.FINAL for n in behind)
    if cue is None or not put or final or is_no_value(text, cue.end()):
        yield from found
    elif not _is_value(text[cue.end() : rows[put[0]].start], hard=ends_hard(cue)):
        yield Statement(frozenset(), Weight.FINAL, valueless=True)
        yield from (each for n, each in enumerate(found) if n not in put)
    else:
        several = len({found[n].options for n in put}) > 1
        last = put[-1] if several else put[0]
        why = NoChoice.SEVERAL if several else found[last].why_none
        found[last] = replace(found[last], weight=Weight.FINAL, why_none=why)
        yield from found


def _is_value(gap: str, *, hard: bool) -> bool:
    """Whether an option behind these words is the value of a final statement, and not only spoken of with it."""
    breaks = list(lexicon.BREAKS.finditer(gap))
    if not breaks:
        return lexicon.RELATIVE.search(gap) is None
    last = gap[breaks[-1].end() :]
    if lexicon.NAMELY.match(last) or lexicon.NAMELY.match(gap[breaks[-1].start() :]):
        return True
    return hard and lexicon.RELATIVE.match(last) is None
