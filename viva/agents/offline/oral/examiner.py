"""The offline examiner: questions by template over what units are about, never over what they state."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.oral.amounts import Amounts, figures
from viva.agents.offline.oral.asking import cue_of, in_short, sort_of
from viva.agents.offline.oral.reading import folded
from viva.agents.offline.oral.terms import names_of, stems_of
from viva.core.records import OralUnit, QuestionForm, QuestionType

MOST_KEYWORDS = 8
"""Things that a question names."""
_LONGEST_NAME = 120
"""Characters of one of them."""

_BROAD = (
    "What do the documents say about {subject}?{cover} Please tell whatever else you know about it.",
    "Please tell all you know about {subject}.{cover} Give numbers, dates and names wherever you know them.",
    "Let us return to {subject}.{cover} Which facts have you not told yet?",
)
_COVER = (" Please cover {keywords}.", " Speak in particular of {keywords}.", " Say what is known of {keywords}.")
_NARROW = (
    "You have not yet spoken of {keywords}. What do the documents say about that?",
    "Some points are still open: {keywords}. Please say what you know about each of them.",
    "Please go through these one by one, and tell the facts of each: {keywords}.",
)
_SORT = (
    "{Sort} do the documents give for {keyword}{cue}?",
    "Please say, of {keyword}{cue}, {sort} the documents give.",
    "What do the documents say about {keyword}{cue}: {sort}?",
)
_ANY = (
    "Which fact do the documents state about {keyword}{cue}?",
    "Please say what the documents tell of {keyword}{cue}.",
    "Of {keyword}{cue}: what is the case?",
)


class OfflineExaminer:
    """Words questions from keywords. The more often units were asked for, the more the wording differs."""

    async def question(
        self,
        units: Sequence[OralUnit],
        *,
        subject: str,
        form: QuestionForm,
        missed: Sequence[OralUnit] = (),
        attempt: int = 0,
    ) -> str:
        """One question; at most MOST_KEYWORDS things are named, those that were missed first."""
        if form is QuestionForm.SINGLE and units:
            return _single(units[0], attempt)
        wanted = [*units, *missed]
        about = subject if not told(subject, wanted) else ""
        narrow = form is QuestionForm.NARROW
        names = _points([*(missed if narrow else ()), *units], wanted, "" if narrow else about)
        if narrow and names:
            return _NARROW[attempt % len(_NARROW)].format(keywords=_listed(names))
        cover = _COVER[attempt % len(_COVER)].format(keywords=_listed(names)) if names else ""
        named = f"“{_short(about)}”" if about else "their subject"
        return _BROAD[attempt % len(_BROAD)].format(subject=named, cover=cover)


def told(words: str, units: Sequence[OralUnit]) -> str:
    """What in these words gives one of the units away: a number, a date, or the name it is known by; else ''."""
    said, held = figures(folded(words)), stems_of(folded(words))
    return next((given for unit in units if (given := _given_away(said, held, unit))), "")


def _given_away(said: Amounts, held: frozenset[str], unit: OralUnit) -> str:
    description, keyword = folded(unit.description), folded(unit.keyword)
    known, own = figures(description), figures(keyword)
    for amount in known.amounts:
        if any(amount.equals(other) for other in own.amounts):
            continue
        if any(amount.equals(a) and (amount.near & a.near or amount.quantity.dimension) for a in said.amounts):
            return amount.text
    for moment in known.moments:
        if any(m.differs(moment) is False for m in said.moments) and moment not in own.moments:
            return moment.text
    if unit.type in {QuestionType.NAME, QuestionType.IDENTIFIER}:
        for name in names_of(description):
            if set(name.stems) <= held and not set(name.stems) <= stems_of(keyword):
                return name.text
    return ""


def _single(unit: OralUnit, attempt: int) -> str:
    safe = unit.keyword and not told(unit.keyword, [unit])
    named = f"“{_short(unit.keyword)}”" if safe else "the documents' subject"
    sort, cue = sort_of(unit), cue_of(unit)
    wordings = _SORT if sort else _ANY
    at = attempt % len(wordings)
    if not at and unit.question and not told(unit.question, [unit]):
        return unit.question
    shown = f", in connection with “{cue}”" if cue and not told(cue, [unit]) else ""
    return wordings[at].format(keyword=named, sort=sort, Sort=sort[:1].upper() + sort[1:], cue=shown)


def _points(units: Sequence[OralUnit], wanted: Sequence[OralUnit], subject: str) -> list[str]:
    """What units are about, in their order, nothing given away; beside it the sort of each where several share it."""
    named: dict[str, list[OralUnit]] = {}
    for unit in dict.fromkeys(units):
        if unit.keyword and not told(unit.keyword, wanted):
            named.setdefault(unit.keyword.casefold(), []).append(unit)
    points = (_point(group, wanted) for key, group in named.items() if key != subject.casefold() or len(group) > 1)
    return list(points)[:MOST_KEYWORDS]


def _point(group: Sequence[OralUnit], wanted: Sequence[OralUnit]) -> str:
    name = f"“{_short(group[0].keyword)}”"
    sorts = [short for unit in group if (short := in_short(unit)) and not told(short, wanted)]
    return f"{name} ({'; '.join(dict.fromkeys(sorts))})" if len(group) > 1 and sorts else name


def _short(name: str) -> str:
    one_line = " ".join(name.split())
    return one_line if len(one_line) <= _LONGEST_NAME else one_line[:_LONGEST_NAME].rsplit(" ", 1)[0]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
