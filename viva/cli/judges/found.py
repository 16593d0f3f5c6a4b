"""All available judges: installed ones, shipped ones, and those that a model can play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from viva.agents.judges.default import DefaultJudge
from viva.agents.judges.local.storing import CARD, SHIPPED, load, read_card
from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.forms import FORMS
from viva.agents.judges.model.judge import stamped
from viva.agents.judges.offline.judge import QUALITIES, OfflineJudge
from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Make, Quality
from viva.llm.embedding_models import BUNDLED
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.storage.judges import Installed, Unusable, all_judges, joined, stamp_of

_ORDER = tuple(Make)


def found_judges(wanted: str | None = None) -> tuple[list[JudgeCard], list[Unusable]]:
    """Cards by quality, then make, then name, and the files that hold no judge.

    `wanted`: a quality, or the name of a judge. UsageError for any other name.
    """
    installed, unusable = all_judges()
    cards: dict[tuple[str, ...], JudgeCard] = {}
    for card in (*_at_hand(unusable), *(each.card for each in installed)):
        known = cards.get(stamp_of(card))
        # figures belong to a judge, wherever the judge itself is kept
        cards[stamp_of(card)] = joined(known, card) if known else card
    measured = {(card.judges, card.prompt) for card in cards.values() if card.make is Make.BASE}
    cards |= {stamp_of(card): card for card in map(stamped, Quality) if (card.judges, card.prompt) not in measured}
    used = {each.card.name: stamp_of(each.card) for each in installed if each.is_judge}
    faults = {stamp_of(each.card): fault for each in installed if (fault := _fault(each))}
    shown = [_as_it_stands(card, used, faults) for card in _wanted(list(cards.values()), wanted, unusable)]
    places = list(Quality)
    shown.sort(key=lambda card: (places.index(card.judges), _ORDER.index(card.make), card.name, card.model))
    return shown, unusable


def _fault(found: Installed) -> str:
    """Why the program or the weights cannot be used; "" if they can."""
    try:
        if found.program:
            program = Compiled.from_json(found.program)
            program.check(FORMS[found.card.judges].brief.signature)
            changed = program.fingerprint != found.card.content
            return "its compiled program changed since it was measured" if changed else ""
        if found.weights is not None:
            load(found.weights)
    except UsageError as error:
        return str(error)
    return ""


def _as_it_stands(
    card: JudgeCard, used: Mapping[str, tuple[str, ...]], faults: Mapping[tuple[str, ...], str]
) -> JudgeCard:
    """The card, with a note if the judge cannot be used, or another judge of its name is used instead."""
    if stamp_of(card) in faults:
        return card.model_copy(update={"note": f"not usable: {faults[stamp_of(card)]}"})
    if used.get(card.name, stamp_of(card)) != stamp_of(card) and card.make is Make.LOCAL:
        return card.model_copy(
            update={"note": "ships with viva; an installed judge of the same name is used instead"}
        )
    if card.make not in (Make.BASE, Make.TUNED):
        return card
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


def _at_hand(unusable: list[Unusable]) -> Iterator[JudgeCard]:
    """The judges that come with viva and need no installation."""
    for file in sorted(SHIPPED.glob(f"*/{CARD}")):
        try:
            yield read_card(file.parent)
        except UsageError as error:
            unusable.append(Unusable(file, str(error)))
    embedder = SentenceTransformerEmbedder(BUNDLED)
    yield from (OfflineJudge(each, embedder).card for each in QUALITIES)
    try:
        yield DefaultJudge(embedder).card
    except UsageError as error:
        unusable.append(Unusable(SHIPPED / Quality.CORRECTNESS.value / CARD, str(error)))


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
