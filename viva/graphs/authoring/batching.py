"""How far the committee must read: batches of sources for each kind of item, and on for a blueprint's shares."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from viva.core.accounts import Coverage
from viva.core.blueprint import ABOVE_RECALL, Blueprint, Facet, asks_more, levels_of
from viva.core.records import Exam, Item, ItemKind
from viva.core.settings import Settings
from viva.graphs.assembly.assemble import excluded
from viva.graphs.assembly.deduplication import without_repeats
from viva.graphs.assembly.judged_choice import JudgedChoice, Lacking
from viva.graphs.assembly.option_outliers import option_outliers
from viva.graphs.authoring.call_allowance import PLANNED, STRETCH, allowed, within
from viva.graphs.authoring.sampling import Sample
from viva.metrics.intervals import wilson

if TYPE_CHECKING:
    from viva.graphs.context import RunContext

SMALLEST_BATCH, LARGEST_BATCH = 8, 1000
"""Sources walked before the accepted items are counted again."""
SMALLEST_PAID = 2
"""The same where models are asked: what is walked beyond need is paid for."""
SMALLEST_SEARCH = 4
"""Sources walked for a share that is short before it is looked at again."""
SPARE = 1.2
"""Items accepted per item wanted, so that the exam can be chosen for spread."""
SOUND_SPARE = 1.4
"""Sound items accepted per item wanted, where models write: the final reader refuses some, and others go in pairs."""
FURTHEST = 3
"""Where no model is asked, shares are looked for in so many times the sources that the items alone take."""
PATIENCE = 2
"""Batches in a row that may bring nothing of a share before it is given up."""
ABOVE_REMEMBERING = "above remembering"
NEEDING_DOCUMENTS, SOUND = "not answered without documents", "neither guessed nor disputable"
TELLING = 20
"""Accepted items whose share tells whether a search can end well."""
Short = tuple[str, str, int, int]
"""A level of the blueprint, the items there are, and the items wanted, spare ones included."""


class BatchProgress(NamedTuple):
    """How far a part of the walk is."""

    missing: list[str]
    """ids of the sources that must walk next"""
    counted: list[str]
    """ids of those whose items count"""
    given_up: tuple[str, ...] = ()
    """what is looked for no further, in words"""
    above_recall: bool = False
    """whether the sources that must walk next are to give only questions that ask for more than remembering"""


@dataclass(frozen=True)
class BatchScheduler:
    """Where the writing stands; a picture of the run store at one moment."""

    settings: Settings
    blueprint: Blueprint
    sample: Sample
    made: Mapping[str, int]
    """items accepted from each source that was walked, as its walk made them"""
    accepted: Mapping[str, Sequence[Item]]
    """the items themselves; two overlapping chunks may both have one"""
    calls: Mapping[str, int]
    """calls to models that the walk of each source took, paid for or served"""
    distinct: Callable[[Sequence[Item]], int]
    """how many of these items ask different things"""
    usable: Callable[[Sequence[Item]], int]
    """how many of these items an exam can be chosen from"""
    judged: JudgedChoice = field(default_factory=JudgedChoice)
    """what models found of the items that were chosen so far"""

    @classmethod
    def of(cls, context: RunContext) -> BatchScheduler:
        """As the run store has it now."""
        accepted: dict[str, list[Item]] = {}
        for item in context.store.written():
            accepted.setdefault(item.provenance.chunk_id or "", []).append(item)
        walked = context.store.walk_counts()
        made, calls = ({i: counts[name] for i, counts in walked.items()} for name in ("items", "calls"))

        def distinct(items: Sequence[Item]) -> int:
            return len(without_repeats(items, context.embedder.embed)[0])

        def usable(items: Sequence[Item]) -> int:
            read_from = {i: context.source(i).text for i in {item.provenance.chunk_id for item in items} if i}
            outliers = option_outliers(items, read_from, context.embedder.embed)
            return distinct([item for item in items if item.id not in outliers and not excluded(item, blueprint)])

        blueprint = Blueprint.read(context.settings.blueprint)
        judged = context.judged
        return cls(context.settings, blueprint, context.sample, made, accepted, calls, distinct, usable, judged)

    def step(self) -> BatchProgress:
        """What must walk next, and what counts. Nothing of it hangs on when a walk ended, or on what was paid."""
        missing: list[str] = []
        counted: list[str] = []
        given_up: tuple[str, ...] = ()
        for kind in sorted(self.wanted, key=lambda kind: kind is not self.blueprint.main):
            # what the others hold is known, and has a say, when they have their number
            of_kind = self._for_number(kind, () if missing else tuple(counted))
            missing += of_kind.missing
            counted += of_kind.counted
            given_up += of_kind.given_up
        if missing:
            # shares are looked at when all kinds have their number: what is counted never hangs on who came first
            return BatchProgress(missing, counted)
        searched = self._for_shares(counted)
        given_up += searched.given_up
        if searched.missing:
            return searched._replace(given_up=given_up)
        given_up += tuple(self._vain(searched.counted).values())
        refilled = self._for_lacking(searched.counted)
        return refilled._replace(given_up=given_up + refilled.given_up)

    @property
    def wanted(self) -> dict[ItemKind, int]:
        """Items that are to be accepted of each kind, spare ones and worked examples included."""
        return wanted_of_kinds(self.settings, self.blueprint)

    @property
    def quotas(self) -> dict[ItemKind, int]:
        """Items that the exam is to have of each kind."""
        size, named = self.settings.items, self.blueprint.wanted(Facet.KIND, self.settings.items)
        others = {kind: named[kind] for kind in ItemKind if kind is not self.blueprint.main and named.get(kind)}
        return {self.blueprint.main: size - sum(others.values()), **others}

    @property
    def items(self) -> list[Item]:
        """What the exam is chosen from."""
        return self.items_of(self.step().counted)

    @property
    def all_items(self) -> list[Item]:
        """What there is, while sources are missing still."""
        return self.items_of(self.made)

    def shares_short(self, counted: Collection[str]) -> list[Short]:
        """Levels of the blueprint with fewer items among these sources than the exam is to be chosen from.

        Beside them stand the questions that are not known without documents, guessed or disputable, where some are,
        and those that ask for more than remembering.
        """
        items = self.items_of(counted)
        short = self._unknown_short(items) + self._sound_short(items) + self._recall_only(items)
        for facet in self.blueprint.shares:
            have = Counter(level for item in items for level in levels_of(item, facet))
            for level, quota in self.blueprint.wanted(facet, self.settings.items).items():
                wanted = math.ceil(quota * SPARE)
                if have[level] < wanted:
                    short.append((facet, level, have[level], wanted))
        return short

    def _recall_only(self, items: Sequence[Item]) -> list[Short]:
        """Whether too few questions that nobody guesses ask for more than remembering."""
        if not self.settings.model or Facet.BLOOM in self.blueprint.shares:
            return []
        if self.blueprint.main is ItemKind.FOLLOW_UP:
            # what they examine is whether the conversation is understood
            return []
        more = sum(asks_more(item) and not item.in_reserve for item in items)
        wanted = math.ceil(round(ABOVE_RECALL * self.settings.items * SPARE, 9))
        return [("questions", ABOVE_REMEMBERING, more, wanted)] if more < min(wanted, len(items)) else []

    def _unknown_short(self, items: Sequence[Item]) -> list[Short]:
        """Whether there are too few questions that need the documents, for `max_known` to be kept."""
        unknown = sum(not item.without_documents for item in items)
        wanted = math.ceil(round((1 - self.settings.max_known) * self.settings.items * SPARE, 9))
        return [("questions", NEEDING_DOCUMENTS, unknown, wanted)] if unknown < min(wanted, len(items)) else []

    def _sound_short(self, items: Sequence[Item]) -> list[Short]:
        """Whether there are too few questions to choose an exam without reserves."""
        sound = sum(not item.in_reserve for item in items)
        spare = SOUND_SPARE if self.settings.model else SPARE
        wanted = math.ceil(round(self.settings.items * spare, 9))
        return [("questions", SOUND, sound, wanted)] if sound < min(wanted, len(items)) else []

    def items_of(self, counted: Collection[str]) -> list[Item]:
        """Give the items of these sources."""
        # each once, by the first source that counts: what is beyond them has no say
        items = (item for source_id in counted for item in self.accepted.get(source_id, ()))
        found: dict[str, Item] = {}
        for item in items:
            found.setdefault(item.id, item)
        return list(found.values())

    def _for_number(self, kind: ItemKind, beside: Sequence[str]) -> BatchProgress:
        """The walk that the number of items of one kind takes.

        Sources of the main kind walk until it is there, of another also until two batches brought nothing; with
        models, until the calls allowed for it are made; without, of the main kind until an exam of these items is
        full, of another kind three sources for each item wanted.
        """
        main, asks_models = kind is self.blueprint.main, bool(self.settings.model)
        wanted, per_source = self.wanted[kind], self._most(kind)
        may_take = allowed({kind: wanted}, asks_models=asks_models)
        order = self.sample.of_kind[kind]
        if not main and not asks_models:
            order = order[: FURTHEST * wanted]
        counted: list[str] = []
        accepted = fruitless = 0
        while len(counted) < len(order):
            if accepted >= wanted and main and not asks_models:
                wanted = accepted + max(self._lacking(counted), 0)
            if accepted >= wanted:
                break
            taken = [self.calls[source_id] for source_id in counted]
            if sum(taken) >= may_take:
                return BatchProgress([], counted, (_out_of_calls(kind, accepted, wanted, may_take),))
            if fruitless == PATIENCE and not main:
                return BatchProgress([], counted, (_in_vain(f"kind {kind}", accepted, wanted),))
            if main:
                least = SMALLEST_PAID if asks_models else SMALLEST_BATCH
                size = batch_size(wanted, accepted, len(counted), per_source, least)
            else:
                size = small_batch(wanted, accepted, len(counted), per_source)
            fits = within(may_take - sum(taken), taken, PLANNED[kind] * per_source, LARGEST_BATCH)
            batch = order[len(counted) : len(counted) + min(size, max(fits, 1))]
            missing = [source_id for source_id in batch if source_id not in self.made]
            if missing:
                return BatchProgress(missing, counted)
            counted += batch
            before, accepted = accepted, self._made(kind, counted, beside)
            fruitless = 0 if accepted > before else fruitless + 1
        return BatchProgress([], counted)

    def _lacking(self, counted: Sequence[str]) -> int:
        """Items that an exam of these sources lacks, for assembly leaves out what repeats and what stands out."""
        share = self.blueprint.kinds[self.blueprint.main]
        wanted = math.ceil(round(share * self.settings.items, 9)) + self.settings.worked_examples
        return wanted - self.usable(self.items_of(counted))

    def _made(self, kind: ItemKind, counted: Sequence[str], beside: Sequence[str]) -> int:
        """Count the items of these sources; of another kind than the main one, the sound ones that ask something new.

        Items in reserve are replaced until half as many again are written, so that the walk ends where all are.
        """
        if kind is self.blueprint.main:
            return sum(self.made[source_id] for source_id in counted)
        before, now = self.items_of(beside), self.items_of([*beside, *counted])
        new = self.distinct(now) - self.distinct(before)
        sound = self.distinct(_sound(now)) - self.distinct(_sound(before))
        # an item that joins others can leave fewer that ask something new
        return max(0, sound, 2 * new // 3)

    def _for_shares(self, counted: Sequence[str]) -> BatchProgress:
        """The walk on for shares that are short, in batches of what is short, of short topics first.

        It ends with the shares, with two batches in a row that brought nothing of them, and with the calls allowed
        for the items; without models, at `FURTHEST`.
        """
        order = self.sample.of_kind[self.blueprint.main]
        walked, done = list(counted), set(counted)
        number = sum(source_id in done for source_id in order)
        furthest = len(order) if self.settings.model else FURTHEST * number
        fruitless, more_than_recall, given_up = 0, True, tuple[str, ...]()
        while number < furthest and (short := self._searched(walked, more_than_recall=more_than_recall)):
            if fruitless == PATIENCE:
                # where more than remembering was asked for, the rest was not looked for yet
                recall = (
                    [each for each in short if each[1] == ABOVE_REMEMBERING] if _of_recall_alone(short) else short
                )
                given_up += tuple(_in_vain(f"{f} {level}", n, of) for f, level, n, of in recall)
                if len(recall) == len(short):
                    return BatchProgress([], walked, given_up)
                fruitless, more_than_recall = 0, False
                continue
            fits = self._surely_fit(walked)
            if not fits:
                left = tuple(_left(f"{f} {level}", n, of) for f, level, n, of in short)
                return BatchProgress([], walked, given_up + left)
            unread = [source_id for source_id in order if source_id not in done]
            batch = self._where_short(short, unread)[: min(self._search(short), fits, furthest - number)]
            missing = [source_id for source_id in batch if source_id not in self.made]
            if missing or not batch:
                return BatchProgress(missing, walked, above_recall=_of_recall_alone(short))
            walked += batch
            done.update(batch)
            number += len(batch)
            fruitless = fruitless + 1 if self._searched(walked, more_than_recall=more_than_recall) == short else 0
        return BatchProgress([], walked, given_up)

    def _for_lacking(self, counted: Sequence[str]) -> BatchProgress:
        """The walk on for places that judged items do not fill, unless it was in vain twice in a row."""
        judged = self.judged
        if not judged.lacking or judged.vain == PATIENCE:
            return BatchProgress([], [*(judged.sources or counted)])
        walked, missing = [*judged.sources], list[str]()
        for kind, lacking in judged.lacking.items():
            found = self._for_kind_lacking(kind, lacking, walked)
            walked, missing = found.counted, missing + found.missing
        return BatchProgress(missing, walked)

    def _for_kind_lacking(self, kind: ItemKind, lacking: Lacking, before: Sequence[str]) -> BatchProgress:
        """The walk on for one kind, in batches of what is lacking.

        It ends when so many items of the kind came, with two batches in a row that brought none, and with the calls
        left. For places that go to a reserve otherwise it is only begun where the calls left may be enough.
        """
        walked, order = [*before], self.sample.of_kind[kind]
        begun = self._counted(walked, kind)
        wanted = (begun[0] + lacking.unfilled, begun[1] + lacking.unfilled + lacking.reserves)
        have, fruitless = begun, 0
        while fruitless < PATIENCE:
            short = max(wanted[0] - have[0], 0)
            if self._within_reach(have[1], wanted[1], walked):
                short = max(wanted[1] - have[1], short)
            done = set(walked)
            unread = [source_id for source_id in order if source_id not in done]
            size = max(math.ceil(short / self._most(kind)), SMALLEST_SEARCH if kind is self.blueprint.main else 1)
            batch = unread[: min(size, self._surely_fit(walked))] if short else []
            missing = [source_id for source_id in batch if source_id not in self.made]
            if missing or not batch:
                return BatchProgress(missing, walked)
            walked += batch
            last, have = have, self._counted(walked, kind)
            fruitless = 0 if have > last else fruitless + 1
        return BatchProgress([], walked)

    def _counted(self, sources: Collection[str], kind: ItemKind) -> tuple[int, int]:
        return self.judged.counted(item for item in self.items_of(sources) if item.kind is kind)

    def _within_reach(self, have: int, wanted: int, counted: Sequence[str]) -> bool:
        """Whether the calls left may be enough for so many, by the share of such items among those that there are."""
        items = self.items_of(counted)
        each, left = self._calls_each_and_left(counted)
        return each * (wanted - have) / _highest_share(have, len(items)) <= left

    def _calls_each_and_left(self, counted: Collection[str]) -> tuple[float, float]:
        """Calls that an accepted item takes, and those that are left of the calls allowed."""
        taken, items = sum(self.calls[source_id] for source_id in counted), self.items_of(counted)
        each = taken / len(items) if taken and items else PLANNED[self.blueprint.main]
        return each, allowed(self.wanted, asks_models=True) - taken

    def _searched(self, counted: Collection[str], *, more_than_recall: bool) -> list[Short]:
        """What further sources of the main kind may fill."""
        short = [each for each in self.shares_short(counted) if each[0] is not Facet.KIND]
        vain = set(self._vain(counted))
        if not more_than_recall or SOUND in vain:
            # of those that nobody guesses there are too few of any level
            vain.add(ABOVE_REMEMBERING)
        return [each for each in short if each[1] not in vain]

    def _vain(self, counted: Collection[str]) -> dict[str, str]:
        """Kinds of questions that no search within the calls allowed would find enough of, each with why.

        Told by the share among the items that there are, from 20 on: though it were at the upper end of its 95%
        interval, the calls left would not be enough.
        """
        items = self.items_of(counted)
        if not self.settings.model or len(items) < TELLING:
            return {}
        each, left = self._calls_each_and_left(counted)
        found: dict[str, str] = {}
        for _, level, have, wanted in self._unknown_short(items) + self._sound_short(items):
            if each * (wanted - have) / _highest_share(have, len(items)) > left:
                likely = math.ceil((wanted - have) * len(items) / max(have, 1))
                calls = math.ceil(likely * each)
                found[level] = (
                    f"Questions {level} were not searched for: {have} of the {len(items)} accepted are such, and "
                    f"{wanted} are wanted, spare ones included. To find the others some {likely} further questions "
                    f"would have to be accepted, which takes about {calls:,} calls to models. Ask for so many "
                    "(--items) to go on; --max-known 1 says that what is known may be asked."
                )
        return found

    def _search(self, short: Sequence[Short]) -> int:
        """Sources of the next batch: as many as fill what is short if each gives all it may of it."""
        lacking = Counter[str]()
        for facet, _, have, wanted in short:
            lacking[facet] += wanted - have
        needed = math.ceil(max(lacking.values()) / self.settings.items_per_chunk)
        return min(max(needed, SMALLEST_SEARCH), LARGEST_BATCH)

    def _surely_fit(self, walked: Sequence[str]) -> int:
        """Sources that the calls left are enough for, though each took as many as the one that took most."""
        taken = [self.calls[source_id] for source_id in walked]
        left = allowed(self.wanted, asks_models=bool(self.settings.model)) - sum(taken)
        main = self.blueprint.main
        return within(left, [max(taken, default=0)], PLANNED[main] * self._most(main), LARGEST_BATCH)

    def _most(self, kind: ItemKind) -> int:
        return self.settings.items_per_chunk if kind is self.blueprint.main else 1

    def _where_short(self, short: Sequence[Short], unread: Sequence[str]) -> Sequence[str]:
        """Sources of the topics that are short; where none are, all, if something else is short."""
        topics = {level for facet, level, _, _ in short if facet is Facet.TOPIC}
        of_topic = [source_id for source_id in unread if self.sample.topic(source_id) in topics] if topics else []
        other = any(facet is not Facet.TOPIC for facet, *_ in short)
        return of_topic or (unread if other else [])


def _highest_share(of: int, items: int) -> float:
    interval = wilson(of, items)
    return interval.high if interval else 1.0


def _of_recall_alone(short: Sequence[Short]) -> bool:
    """Whether what is lacking asks for more than remembering, and nothing else that a blueprint wishes is lacking."""
    return any(level == ABOVE_REMEMBERING for _, level, _, _ in short) and not any(
        isinstance(facet, Facet) for facet, *_ in short
    )


def _sound(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if not item.in_reserve]


def _out_of_calls(kind: ItemKind, accepted: int, wanted: int, calls: float) -> str:
    return (
        f"Of {kind} questions {accepted} of {wanted}, spare ones included, were accepted within {calls:.0f} calls to "
        f"models, {STRETCH:g} times those planned for them; the others were given up."
    )


def _in_vain(what: str, have: int, wanted: int) -> str:
    return f"{_short(what, have, wanted)} two batches in a row brought none of it."


def _left(what: str, have: int, wanted: int) -> str:
    return (
        f"{_short(what, have, wanted)} the writing had taken {STRETCH:g} times the calls to models that are planned "
        "for so many items, or nearly so."
    )


def _short(what: str, have: int, wanted: int) -> str:
    return f"The search for {what} was given up at {have} of {wanted} accepted, spare ones included:"


def wanted_of_kinds(settings: Settings, blueprint: Blueprint) -> dict[ItemKind, int]:
    """Items that are to be accepted of each kind, spare ones and worked examples included."""
    shares = ((kind, share) for kind, share in blueprint.kinds.items() if share > 0)
    wanted = {kind: math.ceil(round(share * settings.items * SPARE, 9)) for kind, share in shares}
    if ItemKind.SINGLE_HOP in wanted:
        wanted[ItemKind.SINGLE_HOP] += settings.worked_examples
    return wanted


def items_wanted(settings: Settings) -> int:
    """Accepted items that the writing aims for, to choose the exam from."""
    return math.ceil(round(settings.items * SPARE, 9)) + settings.worked_examples


def batch_size(wanted: int, accepted: float, walked: int, items_per_chunk: int, least: int) -> int:
    """Sources in the next batch, `least` or more, when so many have walked and so many items came of them."""
    # as many as a chunk may give, until chunks have shown what they do give
    per_chunk = (accepted + items_per_chunk) / (walked + 1)
    return min(max(math.ceil((wanted - accepted) / per_chunk), least), LARGEST_BATCH)


def small_batch(wanted: int, accepted: float, walked: int, per_source: int) -> int:
    """The same for a kind that few items are wanted of: at most twice as many sources as items, at least one."""
    likely = math.ceil((wanted - accepted) * (walked + 1) / (accepted + per_source))
    return min(max(likely, 1), 2 * math.ceil(wanted - accepted), LARGEST_BATCH)


def coverage(sample: Sample, walked: Collection[str], exam: Exam) -> list[Coverage]:
    """What the exam covers, by topic and by cluster, the largest first. `walked` are ids of sources."""
    chunks = sample.of_kind[ItemKind.SINGLE_HOP]
    read = {chunk_id for source_id in walked for chunk_id in sample.chunks_of.get(source_id, ())}
    # of two linked chunks the first gives an item its topic
    asked = Counter(
        own[0] for shown in exam.items if (own := sample.chunks_of.get(shown.item.provenance.chunk_id or ""))
    )
    rows = []
    for by, name_of in (("topic", sample.topic_of), ("cluster", sample.cluster_of)):
        sizes, seen, questions = (
            Counter(name_of[chunk_id] for chunk_id in ids) for ids in (chunks, sorted(read), asked.elements())
        )
        rows += [
            Coverage.model_validate(
                {"by": by, "name": name, "chunks": size, "walked": seen[name], "in_exam": questions[name]}
            )
            for name, size in sorted(sizes.items(), key=lambda row: (-row[1], row[0]))
        ]
    return rows
