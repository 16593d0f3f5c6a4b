"""Tell whether an answer equals a reference, by what both state: right, wrong, or left to likeness."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.core.text.words import content_words
from viva.metrics.text.equality.by_names import decide_by_names, spelling_tokens
from viva.metrics.text.equality.by_place import decide_by_place
from viva.metrics.text.equality.by_values import decide_by_values
from viva.metrics.text.equality.cleaning import clean
from viva.metrics.text.equality.members import (
    asks_for_order,
    asks_for_several,
    count_strangers,
    first_places,
    members,
)
from viva.metrics.text.equality.opposites import opposes
from viva.metrics.text.equality.outcomes import LONG, SHORT, UNDECIDED, Equality, EqualityDecision
from viva.metrics.text.equality.polarity import OR_WORD, asks_yes_or_no, denials, polarity_of
from viva.metrics.text.equality.refusals import refuses, says_not_stated
from viva.metrics.text.equality.values import as_read, values

_NONE = re.compile(
    r"^\W*(?:none|nothing|nobody|no one|not any|keine?r?|nichts|niemand|aucune?|rien|ninguno|nada"
    r"|nadie)(?: of (?:them|these|those))?\W*$",
    re.IGNORECASE,
)


LONGEST = 20_000
"""Characters of a statement that is read for values; a longer one is left to likeness as a whole."""


def decide(question: str, answer: str, references: Sequence[str]) -> EqualityDecision:
    """Decide on an answer by its references, the key and a sentence for instance.

    Right where any reference says right, else wrong where any says wrong. Time is linear in the characters.
    """
    references = tuple(dict.fromkeys(text for text in references if text.strip()))
    joined = " ".join(references)
    statement = clean(answer, question=question, reference=joined)
    if len(statement) > LONGEST:
        return UNDECIDED
    if not re.search(r"\w", statement):
        return EqualityDecision(Equality.WRONG, "it states nothing")
    cleaned = [clean(each, question=question, reference=joined) for each in references]
    if not any(_same_words(statement, each) for each in cleaned):
        for each in cleaned:
            # what denies one wording, or leaves it open, is right by no other
            placed = decide_by_place(question, statement, each, joined)
            if placed.outcome is Equality.WRONG:
                return placed
    found = [_decide_by_reference(question, statement, each, joined) for each in cleaned]
    if found[0].is_final:
        return found[0]
    for outcome in (Equality.RIGHT, Equality.WRONG):
        for decision in found:
            if decision.outcome is outcome:
                return decision
    return UNDECIDED


def _decide_by_reference(question: str, statement: str, reference: str, context: str) -> EqualityDecision:
    if says_not_stated(reference):
        if refuses(statement):
            return EqualityDecision(Equality.RIGHT, "both say that it is not stated")
        if denials(statement):
            return UNDECIDED
        return EqualityDecision(Equality.WRONG, "it answers what is not stated")
    if _same_words(statement, reference):
        return EqualityDecision(Equality.RIGHT, "it is the reference, word for word")
    is_long = len(reference.split()) > LONG
    # who goes on at length after a first regret makes points that likeness has to judge
    goes_on = is_long and len(statement.split()) > LONG
    if refuses(statement) and not refuses(reference) and not goes_on:
        return EqualityDecision(Equality.WRONG, "it gives no answer", is_refusal=True)
    if is_long:
        return UNDECIDED
    if _NONE.match(statement) and not _NONE.match(reference) and not values(reference):
        return EqualityDecision(Equality.WRONG, "it says that there is none")
    if _states(question, statement, reference):
        return EqualityDecision(Equality.RIGHT, "it states the reference")
    for decide_by in (
        _by_polarity,
        decide_by_place,
        decide_by_values,
        _by_members,
        decide_by_names,
        _by_what_is_new,
        _by_opposites,
    ):
        decision = decide_by(question, statement, reference, context)
        if decision.outcome is not Equality.OPEN:
            return decision
    return UNDECIDED


def _states(question: str, statement: str, reference: str) -> bool:
    """Tell whether an answer gives a reference word for word, affirmed, and nothing else that is new."""
    wanted = spelling_tokens(reference)
    if not 0 < len(wanted) <= LONG or asks_yes_or_no(question):
        return False
    known = _FRAME.union(content_words(f"{question} {reference}"))
    for part in re.split(r"[.!?]\s+|[;\n]+", statement):
        tokens = spelling_tokens(part)
        for place in range(len(tokens) - len(wanted) + 1):
            if tokens[place : place + len(wanted)] != wanted:
                continue
            rest = [*tokens[:place], *tokens[place + len(wanted) :]]
            if not _OPENS.intersection(rest) and not any(stem not in known for stem in content_words(" ".join(rest))):
                return True
    return False


_FRAME = frozenset(
    content_words(
        "according based provided given stated context document documents documentation text handbook manual source"
        " sources passage answer correct right final state states say says value think sure yes"
    )
)
"""Words around an answer that say nothing of the subject."""
_OPENS = frozenset(
    "not never or either neither nor no instead than except oder nicht kein keine ou pas o nunca isn't".split()
)
"""Words next to a reference that deny it, or leave it open."""


def _same_words(statement: str, reference: str) -> bool:
    mine, theirs = spelling_tokens(statement), spelling_tokens(reference)
    if mine == theirs:
        return bool(theirs)
    # "e-mail" and "email", "J K L" and "JKL"
    joined = "".join(theirs)
    return "".join(mine) == joined and joined.isalpha()


def _by_polarity(question: str, statement: str, reference: str, _: str) -> EqualityDecision:
    if not asks_yes_or_no(question):
        return UNDECIDED
    wanted, given = polarity_of(reference, question), polarity_of(statement, question)
    if not wanted or not given:
        return UNDECIDED
    if wanted != given:
        return EqualityDecision(Equality.WRONG, f"it says {_WORD[given]} where the reference says {_WORD[wanted]}")
    return (
        EqualityDecision(Equality.RIGHT, f"both say {_WORD[given]}")
        if not _unlike_values(question, statement, reference)
        else UNDECIDED
    )


_WORD = {1: "yes", -1: "no"}


def _unlike_values(question: str, statement: str, reference: str) -> bool:
    known = (*values(reference), *values(question))
    return any(not any(each.equals(other) for other in known) for each in values(statement))


def _by_members(question: str, statement: str, reference: str, context: str) -> EqualityDecision:
    wanted = members(reference)
    lists = asks_for_several(question) or (asks_for_order(question) and len(wanted) > 2)
    if len(wanted) < 2 or not lists or asks_yes_or_no(question):
        return UNDECIDED
    if len(reference.split()) > SHORT * 2 and len(wanted) == 2:
        return UNDECIDED
    asked = frozenset(content_words(question))
    wanted = tuple(member - asked or member for member in wanted)
    found = first_places(wanted, statement)
    missing = sum(place is None for place in found)
    if missing:
        listed = members(statement)
        fewer = len(listed) < len(wanted) and len(statement.split()) <= SHORT * 2
        other = bool(listed) and bool(count_strangers(statement, asked | frozenset(content_words(context))))
        return EqualityDecision(Equality.WRONG, "it lacks a member of the list") if fewer or other else UNDECIDED
    order = [place for place in found if place is not None]
    if asks_for_order(question) and order != sorted(order):
        return EqualityDecision(Equality.WRONG, "it lists the members in another order")
    if count_strangers(statement, asked | _FRAME | frozenset(content_words(context))):
        return EqualityDecision(Equality.WRONG, "it lists something else as well")
    if OR_WORD.search(statement) and not OR_WORD.search(reference):
        return EqualityDecision(Equality.WRONG, "it leaves open which members")
    return EqualityDecision(Equality.RIGHT, "it lists the same members")


def _by_what_is_new(question: str, statement: str, reference: str, _: str) -> EqualityDecision:
    """Decide on a short answer that has all that a reference adds to the question, and nothing else."""
    asked = frozenset(content_words(question))
    new, mine = (frozenset(content_words(as_read(text))) - asked for text in (reference, statement))
    if not new or mine != new or asks_yes_or_no(question) or len(mine) > SHORT:
        return UNDECIDED
    if any(not any(value.equals(other) for other in values(question)) for value in values(reference)):
        return UNDECIDED
    if denials(statement) % 2 != denials(reference) % 2:
        return UNDECIDED
    if _COMPARES.search(f"{statement} {question}") or asks_for_order(question):
        return UNDECIDED
    return EqualityDecision(Equality.RIGHT, "it has all that the reference adds to the question")


_COMPARES = re.compile(r"\b(?:than|before|after|from|to|als|vor|nach|que|avant|après|antes|después)\b", re.IGNORECASE)
"""Words whose two sides can be exchanged."""


def _by_opposites(question: str, statement: str, reference: str, _: str) -> EqualityDecision:
    reason = opposes(statement, reference, question)
    return EqualityDecision(Equality.WRONG, reason) if reason else UNDECIDED
