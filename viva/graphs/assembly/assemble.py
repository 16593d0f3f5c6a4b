"""From accepted items to an exam: which ones, in which order, with the key where."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from viva.agents.roles import MODEL_CAST
from viva.core.blueprint import ABOVE_RECALL, Blueprint, Facet, LevelFill, asks_more, levels_of
from viva.core.ids import rng, seeded_order
from viva.core.records import PREDICATE, Document, Exam, ExamItem, Item, ItemKind, Tier, WorkedExample
from viva.core.wording import counted
from viva.graphs.assembly.constrained_selection import BalancedQueue, Bound, chosen_within
from viva.graphs.assembly.deduplication import DULL, Embed, Judged, without_repeats
from viva.graphs.assembly.none_stated_option import lacking_decoys, with_decoys
from viva.graphs.assembly.open_items import lacking_open, with_open

LONGEST = (0.15, 0.35)
"""Bounds of the share of questions whose longest option is the key: beyond them length tells something."""
_TWELFTHS = 12
# what one item too many or too few costs
_BLUEPRINT, _RECALL, _LENGTH, _DULL, _DOUBT = 48, 36, 24, 12, 3
# more than all others together: what is in reserve takes no place that another item could have; and a sound question
# that is known goes before one that nobody knows since it is guessed or disputable; what the final reader would not
# print goes last
_REFUSED, _RESERVE, _PUBLIC = 20_000, 10_000, 5_000
_RESERVES = ("refused by the final reader", "known without documents", "can be guessed", "disputable")


@dataclass(frozen=True)
class Assembly:
    """An exam and how it came about. Items = in the exam + worked examples + left out."""

    exam: Exam
    left_out: dict[str, int]
    """accepted items that are not in it, by reason"""
    fill: tuple[LevelFill, ...]
    """how the blueprint's shares were filled"""
    notes: tuple[str, ...]
    """what could not be held, in words"""
    chosen: tuple[Item, ...] = ()
    """the accepted items that its questions were made of"""


def assemble_exam(
    items: Sequence[Item],
    documents: Sequence[Document],
    *,
    size: int,
    examples: int,
    seed: int,
    blueprint: Blueprint | None = None,
    embed: Embed | None = None,
    outliers: Collection[str] = (),
    open_share: float = 0.0,
    max_known: float = 1.0,
    judged: Judged = MappingProxyType({}),
    refused: Collection[str] = (),
) -> Assembly:
    """The exam of at most `size` items. `outliers` are ids of items whose options are too alike.

    `open_share` of its questions are put without their options, as far as they can be. At most `max_known` of them
    can be answered without documents, known or guessed; further ones that are sound fill places that would otherwise
    go to what is guessed or disputable, and these places that would stay empty. With `max_known` 1 it is not asked.
    Of two items that were `judged` not to go together the better one can be chosen. Those whose ids are `refused`, by
    the final reader, take only places that would stay empty.
    Depends on the set of items and the seed, not on the order in which they were accepted.
    """
    blueprint = blueprint or Blueprint()
    distinct, left = selectable(items, blueprint, embed, outliers, judged)
    order = _spread(distinct, seed)
    # at most one item in five is set aside: a small exam needs its questions more than its examples
    examples = min(examples, len(order) // 5, sum(_can_be_shown_solved(item) for item in order))
    # worked examples come from what the exam has no room for; only if that is too little, from the exam's own
    room = min(size, max(0, len(order) - examples))
    chosen = [order[n] for n in chosen_within(len(order), room, _bounds(order, room, blueprint, max_known, refused))]
    accepted, ids = tuple(chosen), {item.id for item in chosen}
    spare = (item for item in order if item.id not in ids and item.id not in refused)
    aside = [item for item in spare if _can_be_shown_solved(item)][:examples]
    rest = len(order) - len(chosen) - len(aside)
    taken = {item.id for item in (*chosen, *aside)}
    spared = [item for item in order if item.id not in taken]
    left["refused by the final reader"] = sum(item.id in refused for item in spared)
    spared = [item for item in spared if item.id not in refused]
    left["known without documents"] = sum(item.known for item in spared) if max_known < 1 else 0
    left["can be guessed"] = sum(map(_guessed, spared))
    left["disputable"] = sum(map(_disputed, spared))
    left["no room"] = rest - sum(left[reason] for reason in _RESERVES)
    fill = _filled(blueprint, order, chosen, refused)
    # in this order any beginning is spread evenly over documents and question types
    chosen = with_open(chosen, open_share)
    # where nothing is unanswerable, the sentence that says so is nobody's option
    chosen = with_decoys(chosen, seed)
    shown = _shown(sorted(chosen, key=lambda item: item.id), seed)
    texts = {document.id: document.text for document in documents}
    worked = tuple(_worked(item, texts, seed) for item in aside)
    return Assembly(
        exam=Exam.of(shown, worked),
        left_out={reason: n for reason, n in sorted(left.items()) if n},
        fill=fill,
        notes=tuple(
            note
            for note in (
                *_notes(chosen),
                _note_on_known(chosen, max_known),
                _note_on_blind(accepted),
                _note_on_guessable(chosen),
                _note_on_disputable(chosen),
                _note_on_refused(accepted, refused),
                lacking_open(chosen, open_share),
            )
            if note
        ),
        chosen=accepted,
    )


def selectable(
    items: Sequence[Item], blueprint: Blueprint, embed: Embed | None, outliers: Collection[str], judged: Judged
) -> tuple[list[Item], Counter[str]]:
    """Give the items that an exam can be chosen from, and how many others there are, by reason."""
    left = Counter[str]()
    wanted = [item for item in items if not excluded(item, blueprint)]
    left["excluded by the blueprint"] = len(items) - len(wanted)
    inside = [item for item in wanted if item.id not in outliers]
    left["options too alike"] = len(wanted) - len(inside)
    distinct, repeated = without_repeats(inside, embed, judged)
    left.update(repeated)
    return distinct, left


def reassembled(exam: Exam, fill: Sequence[LevelFill], why: str, *notes: str) -> Assembly:
    """An exam whose questions were changed, with its shares counted anew; `why` they may differ."""
    items = [shown.item for shown in exam.items]
    rows = []
    for row in fill:
        got = sum(row.level in levels_of(item, row.facet) for item in items)
        reason = row.reason if got == row.got else why
        rows.append(row.model_copy(update={"got": got, "reason": reason}))
    return Assembly(exam=exam, left_out={}, fill=tuple(rows), notes=(*_notes(items), *notes))


def excluded(item: Item, blueprint: Blueprint) -> bool:
    """Whether the blueprint wants nothing of its levels."""
    return any(
        shares.get(level, 1) == 0 for facet, shares in blueprint.shares.items() for level in levels_of(item, facet)
    )


def _can_be_shown_solved(item: Item) -> bool:
    return item.kind is ItemKind.SINGLE_HOP and not item.is_open and bool(item.evidence)


def _spread(items: Sequence[Item], seed: int) -> list[Item]:
    """All items, so ordered that any beginning covers documents and question types evenly."""
    taken: Counter[str] = Counter()

    def often(kind: tuple[tuple[str, ...], str]) -> int:
        sources, question_type = kind
        return 2 * max(taken[name] for name in sources) + taken[question_type]

    pool = BalancedQueue(seeded_order(items, seed, "exam"), lambda i: (_sources(i), i.question_type.value), often)
    order = []
    for _ in items:
        item = pool.take()
        taken.update((*_sources(item), item.question_type.value))
        order.append(item)
    return order


def _sources(item: Item) -> tuple[str, ...]:
    """Ids of the documents it is about; those that no document answers count as one document."""
    return tuple(dict.fromkeys(span.document_id for span in item.evidence)) or (f"kind {item.kind}",)


def _bounds(
    order: Sequence[Item], room: int, blueprint: Blueprint, max_known: float, refused: Collection[str]
) -> list[Bound]:
    """What the chosen items must keep to. Amounts are items, of the longest options twelfths of items."""
    bounds = []
    for facet in blueprint.shares:
        has = [levels_of(item, facet) for item in order]
        for level, wanted in blueprint.wanted(facet, room).items():
            bounds.append(Bound([level in levels for levels in has], wanted, wanted, _BLUEPRINT))
    for pattern, share in DULL.items():
        of_pattern = [item.provenance.pattern == pattern for item in order]
        bounds.append(Bound(of_pattern, 0, math.ceil(round(share * room, 9)), _DULL))
    # before what repeats its passage, but after what a rule is sure of
    bounds.append(Bound([item.provenance.pattern == PREDICATE for item in order], 0, 0, _DULL // 2))
    low, high = (round(share * _TWELFTHS * room) for share in LONGEST)
    bounds.append(Bound([_longest_is_key(item) for item in order], low, high, _LENGTH // _TWELFTHS))
    if Facet.BLOOM not in blueprint.shares and any(item.provenance.cast == MODEL_CAST for item in order):
        bounds.append(Bound([asks_more(item) for item in order], math.ceil(ABOVE_RECALL * room), room, _RECALL))
    bounds.append(Bound([not item.known and _picked_blind(item) == 1 for item in order], 0, 0, _DULL))
    bounds.append(Bound([item.doubts for item in order], 0, 0, _DOUBT))
    bounds.append(Bound([item.in_reserve for item in order], 0, 0, _RESERVE))
    bounds.append(Bound([item.id in refused for item in order], 0, 0, _REFUSED))
    public = [item.without_documents for item in order]
    if any(public) and max_known < 1:
        bounds.append(Bound(public, 0, _most(max_known, room), _PUBLIC))
        # fewer are better, where they are as good
        bounds.append(Bound(public, 0, 0, _DOUBT))
    return bounds


def _guessed(item: Item) -> bool:
    return item.guessable and not item.known


def _disputed(item: Item) -> bool:
    return item.disputable and not item.guessable and not item.known


def _picked_blind(item: Item) -> float | None:
    """How often a language model without documents picked the key, from 0 to 1; None where none tried.

    What is known or guessed without a trial counts as picked.
    """
    blind = [t for t in item.trials if not t.with_evidence and t.reader == "language model"]
    tried = sum(trial.tried for trial in blind)
    if tried:
        return sum(trial.picked for trial in blind) / tried
    return 1.0 if item.without_documents else None


def _most(share: float, room: int) -> int:
    """The most items that are no larger a share."""
    return math.floor(round(share * room, 9))


def _longest_is_key(item: Item) -> int:
    """Twelfths of a right answer that picking the longest option gives; a tie of n options gives 1/n of it."""
    if item.is_open:
        # neither for nor against
        return _TWELFTHS // 4
    lengths = [len(distractor.text) for distractor in item.distractors]
    if max(lengths) > len(item.key):
        return 0
    return _TWELFTHS // (1 + lengths.count(len(item.key)))


def _filled(
    blueprint: Blueprint, order: Sequence[Item], chosen: Sequence[Item], refused: Collection[str]
) -> tuple[LevelFill, ...]:
    rows = []
    for facet, shares in blueprint.shares.items():
        available = Counter(level for item in order for level in levels_of(item, facet))
        fit = [item for item in order if not item.in_reserve and item.id not in refused]
        sound = Counter(level for item in fit for level in levels_of(item, facet))
        got = Counter(level for item in chosen for level in levels_of(item, facet))
        for level, wanted in blueprint.wanted(facet, len(chosen)).items():
            reason = _why(wanted, available[level], sound[level], got[level])
            counts = {"wanted": wanted, "available": available[level], "got": got[level]}
            rows.append(LevelFill(facet=facet, level=level, share=shares[level], **counts, reason=reason))
    return tuple(rows)


def _why(wanted: int, available: int, sound: int, got: int) -> str:
    """Why a share was missed; '' where it was met."""
    if got == wanted:
        return ""
    if got > wanted:
        return "There are too few other questions to fill the exam without these."
    if not available:
        return "No such question was accepted."
    if available < wanted:
        return f"Only {available} of them {'was' if available == 1 else 'were'} accepted."
    if got == sound:
        return "The others that were accepted can be guessed, disputed or were refused; sound questions go first."
    return "Taking more of them would miss other shares by as much."


def _notes(chosen: Sequence[Item]) -> tuple[str, ...]:
    if not chosen:
        return ()
    return tuple(note for note in (_note_on_plain(chosen), _note_on_length(chosen), lacking_decoys(chosen)) if note)


def _note_on_plain(chosen: Sequence[Item]) -> str:
    plain = sum(item.provenance.tier is Tier.PLAIN for item in chosen)
    if not plain:
        return ""
    said = sum(item.provenance.pattern == PREDICATE for item in chosen)
    return (
        f"Of the plain tier: {plain} of {len(chosen)} questions. {said} ask what is said of a subject, "
        f"{plain - said} complete a statement. Values, dates and codes do not fill the exam. "
        "No rule knows that the phrases beside their keys are wrong. --sure-only leaves them out."
    )


def _note_on_length(chosen: Sequence[Item]) -> str:
    share = sum(_longest_is_key(item) for item in chosen) / _TWELFTHS / len(chosen)
    # one question more or less is as near as a choice can come
    if LONGEST[0] - 1 / len(chosen) < share < LONGEST[1] + 1 / len(chosen):
        return ""
    told = (
        f"In {share:.0%} of the questions the longest option is the key; no choice among those accepted brings that"
    )
    return f"{told} between {LONGEST[0]:.0%} and {LONGEST[1]:.0%}."


def _note_on_known(chosen: Sequence[Item], max_known: float) -> str:
    known, most = sum(item.without_documents for item in chosen), _most(max_known, len(chosen))
    if known <= most:
        return ""
    return (
        f"{counted(known, 'question')} of {len(chosen)} can be answered without any document: a language model knows "
        f"the answer, or guesses it. That is {known - most} more than --max-known {max_known:g} allows; no other "
        "sound questions were left to fill these places."
    )


def _note_on_blind(chosen: Sequence[Item]) -> str:
    """Say how a model without documents fares; where it gets much, what is to be made of the scores."""
    picked = [_picked_blind(item) for item in chosen]
    fared = [share for share in picked if share is not None]
    if not fared:
        return ""
    # where no model tried, one of the options is picked
    luck = [0.0 if item.is_open else 1 / (1 + len(item.distractors)) for item in chosen]
    likely = [lucky if own is None else own for own, lucky in zip(picked, luck, strict=True)]
    share, by_luck = sum(likely) / len(chosen), sum(luck) / len(chosen)
    note = (
        f"Without documents a language model picked the key of {sum(fared):.0f} of {counted(len(fared), 'question')} "
        f"that it tried or knew; luck gives {by_luck:.0%}. Questions that it missed were preferred: other models may "
        "get more."
    )
    if 2 * (share - by_luck) <= 1 - by_luck:
        return note
    return (
        f"{note} This is an exam of public knowledge: readers without documents may get some {share:.0%} of it; the "
        "figure that counts is how much more a system gets than they do."
    )


def _note_on_guessable(chosen: Sequence[Item]) -> str:
    guessable = sum(item.guessable for item in chosen)
    if not guessable:
        return ""
    return (
        f"{counted(guessable, 'question')} of {len(chosen)} can be guessed without any document, by common sense or "
        "by the options: no others were left."
    )


def _note_on_disputable(chosen: Sequence[Item]) -> str:
    disputable = sum(item.disputable for item in chosen)
    if not disputable:
        return ""
    return (
        f"Of {counted(disputable, 'question')} of {len(chosen)} another option can be defended: no others were left."
    )


def _note_on_refused(chosen: Sequence[Item], refused: Collection[str]) -> str:
    number = sum(item.id in refused for item in chosen)
    if not number:
        return ""
    return f"The final reader would not print {counted(number, 'question')} of {len(chosen)}: no others were left."


def _shown(items: Sequence[Item], seed: int) -> list[ExamItem]:
    """Options in a seeded order; the key at each position equally often, to within one for each number of options."""
    positions: dict[int, list[int]] = {}
    shown: list[ExamItem] = []
    for item in items:
        width = 1 + len(item.distractors)
        if item.is_open:
            shown.append(ExamItem(item=item, options=(item.key,), key_position=0))
            continue
        queue = positions.setdefault(width, [])
        if not queue:
            queue += seeded_order(range(width), seed, "positions", len(shown))
        shown.append(_placed(item, queue.pop(), seed))
    return shown


def _placed(item: Item, position: int, seed: int) -> ExamItem:
    options = [distractor.text for distractor in item.distractors]
    rng(seed, "options", item.id).shuffle(options)
    options.insert(position, item.key)
    return ExamItem(item=item, options=tuple(options), key_position=position)


def _worked(item: Item, texts: dict[str, str], seed: int) -> WorkedExample:
    shown = _placed(item, rng(seed, "example", item.id).randrange(1 + len(item.distractors)), seed)
    evidence = item.evidence[0]
    context = texts[evidence.document_id][max(0, evidence.start - 300) : evidence.end + 300]
    return WorkedExample(stem=item.stem, options=shown.options, key_position=shown.key_position, context=context)
