"""All available judges: installed ones, shipped ones, and those that a model can play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.forms import FORMS
from viva.agents.judges.model.judge import stamped
from viva.agents.judges.offline.judge import QUALITIES, OfflineJudge
from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Make, Measured, Quality
from viva.graphs.grading.judge_lookup import check_not_gone
from viva.llm.embedding_models import BUNDLED
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.optimizers.objectives import IN_CLASSES
from viva.storage.judges import Installed, Unusable, all_judges, joined, stamp_of

_ORDER = tuple(Make)
FIRST = ("spearman", "mcc", "balanced accuracy", "accuracy", "mean absolute error")
"""Statistics by which judges are shown and compared: of a judge, the first that it has."""
_OF_CLASSES = ("mcc", "balanced accuracy")
"""The figures shown of a judge that names a class: ranks of classes say little."""
_PRETENDING = "fake:"
"""How models of earlier versions were named that pretended to be one."""


def found_judges(wanted: str | None = None) -> tuple[list[JudgeCard], list[Unusable]]:
    """Find the cards of judges, and the files that hold no judge.

    Judges that are not measured come after all that are. In both parts they come by quality. Of a quality, the first
    is the one whose agreement is surely highest: by the lower end of its interval, on the labels where that is
    highest; then by make and name.

    `wanted`: a quality, or the name of a judge. UsageError for any other name.
    """
    if wanted:
        check_not_gone(wanted)
    installed, unusable = all_judges()
    cards = {stamp_of(card): card for card in _of_rules()}
    # judges first: figures belong to a judge, wherever it is kept, and those of one that is gone are not shown
    for each in sorted(installed, key=lambda each: not each.is_judge):
        card, known = each.card, cards.get(stamp_of(each.card))
        if known or each.is_judge or card.make is Make.BASE:
            cards[stamp_of(card)] = joined(known, card) if known else card
    measured = {(card.judges, card.prompt) for card in cards.values() if card.make is Make.BASE}
    cards |= {stamp_of(card): card for card in map(stamped, Quality) if (card.judges, card.prompt) not in measured}
    faults = {stamp_of(each.card): fault for each in installed if (fault := _fault(each))}
    shown = [_as_it_stands(card, faults) for card in _wanted(list(cards.values()), wanted, unusable)]
    places = list(Quality)
    shown.sort(
        key=lambda card: (
            not card.measured,
            places.index(card.judges),
            -_surely(card),
            _ORDER.index(card.make),
            card.name,
            card.model,
        )
    )
    return shown, unusable


def figures_shown(card: JudgeCard, *, every: bool = False) -> list[Measured]:
    """Choose the figures to show, of each set of labels: the first that there is (two for classes), or all."""
    shown: list[Measured] = []
    for data in dict.fromkeys(each.data for each in card.measured):
        own = {each.statistic: each for each in card.measured if each.data == data}
        classes = [name for name in _OF_CLASSES if name in own] if card.judges in IN_CLASSES else []
        first = classes or [name for name in FIRST if name in own][:1] or list(own)[:1]
        shown += [own[name] for name in (dict.fromkeys((*first, *own)) if every else first)]
    return shown


def _surely(card: JudgeCard) -> float:
    """The highest lower end of an interval of the first statistic that the judge has."""
    for name in FIRST[:-1]:
        if lows := [each.low for each in card.measured if each.statistic == name]:
            return max(lows)
    return -1.0


def _fault(found: Installed) -> str:
    """Why the program cannot be used; "" if it can."""
    if not found.program:
        return ""
    try:
        program = Compiled.from_json(found.program)
        program.check(FORMS[found.card.judges].brief.signature)
    except UsageError as error:
        return str(error)
    return "its compiled program changed since it was measured" if program.fingerprint != found.card.content else ""


def _as_it_stands(card: JudgeCard, faults: Mapping[tuple[str, ...], str]) -> JudgeCard:
    """The card, with a note if the judge cannot be used."""
    if stamp_of(card) in faults:
        return card.model_copy(update={"note": f"not usable: {faults[stamp_of(card)]}"})
    if not card.asks_a_model:
        return card
    if card.model.startswith(_PRETENDING):
        note = f"measured with {card.model}, which is no language model: its figures say nothing"
        return card.model_copy(update={"measured": (), "note": note})
    now = stamped(card.judges)
    changed = [
        told
        for told, old, new in (("prompt", card.prompt, now.prompt), ("fields", card.signature, now.signature))
        if old != new
    ]
    if not changed:
        return card
    note = f"measured before its {' and '.join(changed)} changed"
    return card.model_copy(update={"note": note if card.make is Make.BASE else f"not usable: {note}"})


def _of_rules() -> list[JudgeCard]:
    embedder = SentenceTransformerEmbedder(BUNDLED)
    return [OfflineJudge(each, embedder).card for each in QUALITIES]


def _wanted(cards: Sequence[JudgeCard], wanted: str | None, unusable: Sequence[Unusable]) -> list[JudgeCard]:
    if wanted is None:
        return list(cards)
    name = _folded(wanted)
    # a base judge has the name of its quality: the name asks for all judges of that quality
    shown = [card for card in cards if card.judges.value == name] or [c for c in cards if _folded(c.name) == name]
    if not shown and all(_folded(each.file.stem) != name for each in unusable):
        others = sorted({card.name for card in cards} - set(Quality))
        raise UsageError(
            f"{wanted!r} is neither a quality nor the name of a judge.",
            allowed=f"A quality ({', '.join(each.value for each in Quality)}) or a judge ({', '.join(others)}).",
        )
    return shown


def _folded(name: str) -> str:
    return name.replace("-", "_")
