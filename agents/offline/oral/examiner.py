"""The offline examiner: questions by template over what units are about, never over what they state."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.oral.amounts import Figures, figures
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
_SINGLE: dict[QuestionType, tuple[str, ...]] = {
    QuestionType.DEFINITION: ("What is {keyword}?", "How do the documents define or describe {keyword}?"),
    QuestionType.QUANTITY: (
        "What do the documents say about {keyword}, and how much or how many is it?",
        "Which number do the documents give in connection with {keyword}, and for what?",
    ),
    QuestionType.DATE: (
        "When did what happen with {keyword}, according to the documents?",
        "Which date or time do the documents give in connection with {keyword}, and for what?",
    ),
    QuestionType.NAME: (
        "Who or what is named in connection with {keyword}, and in which role?",
        "Which name do the documents give in connection with {keyword}?",
    ),
    QuestionType.CAUSE: (
        "What do the documents say about {keyword}, and why is it so?",
        "What is the cause of what is said about {keyword}?",
    ),
    QuestionType.PURPOSE: (
        "What is said about {keyword}, and to what purpose?",
        "What is {keyword} for, or what is done for its sake?",
    ),
    QuestionType.CONDITION: (
        "What holds for {keyword}, and on what condition?",
        "When, or if what, does which rule apply to {keyword}?",
    ),
    QuestionType.PROCEDURE: (
        "How is it done, where {keyword} is concerned?",
        "Which steps do the documents give for {keyword}?",
    ),
}
_ANY = (
    "What is known about {keyword}?",
    "What exactly do the documents state about {keyword}?",
    "Please tell every fact that you know about {keyword}.",
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
        names = _keywords([*(missed if narrow else ()), *units], wanted, "" if narrow else about)
        if narrow and names:
            return _NARROW[attempt % len(_NARROW)].format(keywords=_listed(names))
        cover = _COVER[attempt % len(_COVER)].format(keywords=_listed(names)) if names else ""
        named = f"“{_short(about)}”" if about else "their subject"
        return _BROAD[attempt % len(_BROAD)].format(subject=named, cover=cover)


def told(words: str, units: Sequence[OralUnit]) -> str:
    """What in these words gives one of the units away: a number, a date, or the name it is known by; else ''."""
    said, held = figures(folded(words)), stems_of(folded(words))
    return next((given for unit in units if (given := _given_away(said, held, unit))), "")


def _given_away(said: Figures, held: frozenset[str], unit: OralUnit) -> str:
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
    wordings = (*_SINGLE.get(unit.type, ()), *_ANY)
    named = (
        f"“{_short(unit.keyword)}”" if unit.keyword and not told(unit.keyword, [unit]) else "the documents' subject"
    )
    return wordings[attempt % len(wordings)].format(keyword=named)


def _keywords(units: Sequence[OralUnit], wanted: Sequence[OralUnit], subject: str) -> list[str]:
    """Different keywords that give nothing away, in the order of the units."""
    names: dict[str, str] = {}
    for unit in units:
        key = unit.keyword.casefold()
        if key and key != subject.casefold() and key not in names and not told(unit.keyword, wanted):
            names[key] = _short(unit.keyword)
    return list(names.values())[:MOST_KEYWORDS]


def _short(name: str) -> str:
    one_line = " ".join(name.split())
    return one_line if len(one_line) <= _LONGEST_NAME else one_line[:_LONGEST_NAME].rsplit(" ", 1)[0]


def _listed(names: Sequence[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
