"""Refining in a run: what goes and comes, who says so, what is kept, and that an interruption costs nothing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import chdir
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from by_hand import WordEmbedder, distractors, document, draft, item, unit
from fakes import cast
from standing import facts

from viva.agents.roles import Source
from viva.core.errors import UsageError
from viva.core.records import Chunk, Distractor, Draft, Exam, Item, KnowledgeUnit, Response, Verdict
from viva.core.refinement import Refinement
from viva.core.settings import Settings
from viva.exams.file import read_exam
from viva.exams.lint import lint_exam
from viva.graphs import results, stages
from viva.graphs.authoring.account import funnel_of
from viva.graphs.authoring.batching import BatchScheduler
from viva.graphs.authoring.state import Committee
from viva.graphs.chunk import ChunkRecord
from viva.graphs.context import RunContext
from viva.graphs.refinement.refine import RefinementOutcome, plan_of, refine_run
from viva.reports.data import check_funnel

ITEMS, SOURCES, SYSTEMS, ROUNDS = 20, 36, 15, 4
WRONG_KEYS = (3, 5)
"""Pumps of whose questions the abler say the wrong thing."""
DOCUMENTS = [
    document(f"Pump {n} moves {n} litres of water per minute.", f"{n}.md", f"Pump {n}", "north" if n % 3 else "south")
    for n in range(SOURCES)
]
CHUNKS = [Chunk.of(each, 0, len(each.text), 9) for each in DOCUMENTS]
SYSTEM = """
import hashlib, pathlib, re
def system(name, skill):
    def answer(question):
        with pathlib.Path("calls").open("a") as log:
            log.write(name + " " + question.splitlines()[0] + "\\n")
        if pathlib.Path("off").exists():
            raise ValueError("no index")
        number = int(re.search(r"pump (\\d+) ", question)[1])
        luck = int(hashlib.sha256(f"{{name}} {{number}}".encode()).hexdigest()[:8], 16) / 16**8
        able = skill > luck * 0.8 + (number % 7) / 35
        if number in {wrong_keys!r}:
            able = skill < 0.5
        return f"{{number}} litres" if able else f"{{number}}0 litres"
    return answer
for n in range({systems}):
    globals()[f"s{{n}}"] = system(f"s{{n}}", 0.25 + 0.7 * n / {systems})
"""


def own(source: Source, number: int) -> Item:
    made = item(number, of=source.document, stem=f"How much water does pump {number} move per minute?")
    provenance = made.provenance.model_copy(update={"chunk_id": source.id})
    identity = Item.id_of(made.stem, made.key, [wrong.text for wrong in made.distractors], made.evidence)
    return made.model_copy(update={"id": identity, "provenance": provenance})


class Units:
    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        return [unit(source, source.text)]


class Writer:
    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        number = unit.statement.split()[1]
        stem = f"How much water does pump {number} move per minute?"
        return None if previous else draft(source, unit.statement, stem, f"{number} litres")


class Options:
    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),
    ) -> tuple[Distractor, ...] | None:
        number = draft.key.split()[0]
        return distractors(*(f"{number}{n} litres" for n in range(3)))


class Room:
    """A run folder of one's own, with systems that may be asked again."""

    def __init__(self, folder: Path, systems: int = SYSTEMS) -> None:
        self.folder, self.log, self.file = folder / "run", folder / "calls", folder / "systems.py"
        self.systems = systems

    @classmethod
    def like(cls, other: Room, folder: Path) -> Room:
        """The same run, systems and their log included."""
        room = cls(folder, other.systems)
        shutil.copytree(other.folder, room.folder)
        for file in (other.log, other.file):
            shutil.copy(file, folder)
        return room

    def context(self, examinees: Iterable[str] | None = None) -> RunContext:
        named = [f"s{n}=systems.py:s{n}" for n in range(self.systems)] if examinees is None else examinees
        context = RunContext(
            self.folder, Settings(items=ITEMS, worked_examples=0, items_per_chunk=1, examinees=tuple(named))
        )
        context.__dict__["embedder"] = WordEmbedder()
        of_model = replace(cast([], writer=Writer(), options=Options()), units=Units())  # type: ignore[arg-type]
        context.__dict__["committee"] = Committee(of_model, 1, context.settings.revisions, context.settings.redos)
        return context

    def refine(
        self, watch: Any = None, dry_run: bool = False, examinees: Any = None, **asked: Any
    ) -> RefinementOutcome:
        plan = plan_of(asked.get("rounds"), replenish=asked.get("replenish", False))
        context = self.context(examinees)
        if watch:
            context.watch = watch
        # a system's id holds its path: named from here, it is the same everywhere
        with chdir(self.folder.parent):
            return refine_run(context, plan, dry_run=dry_run)

    @property
    def calls(self) -> Counter[str]:
        return Counter(self.log.read_text().splitlines())


async def sat(context: RunContext, exam: Exam) -> None:
    for spec in context.candidates.specs:
        context.store.add_examinee(spec.examinee)
        await stages.sit(context, spec, exam)


def make(folder: Path, systems: int = SYSTEMS, *, score: bool = True) -> Room:
    """A run that is written, sat and, if asked for, scored."""
    room = Room(folder, systems)
    folder.mkdir(exist_ok=True)
    room.log.touch()
    room.file.write_text(SYSTEM.format(wrong_keys=WRONG_KEYS, systems=SYSTEMS))
    room.folder.mkdir()
    context = room.context()
    context.bind(folder, "fingerprint")
    context.store.add_corpus(DOCUMENTS, CHUNKS, [])
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            source = context.source(source_id)
            made = (own(source, DOCUMENTS.index(source.document)),)
            stages.record_walk(context.store, source_id, ChunkRecord(1, made, (), (), None))
    stages.assemble(context)
    exam = stages.exam_of(context.store, context.folder)
    with chdir(folder):
        asyncio.run(sat(context, exam))
    if score:
        results.score(context)
    context.close()
    return room


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Room:
    """A scored run. Do not change it."""
    return make(tmp_path_factory.mktemp("scored"))


@pytest.fixture
def room(scored: Room, tmp_path: Path) -> Room:
    return Room.like(scored, tmp_path)


@pytest.fixture(scope="module")
def replenished(scored: Room, tmp_path_factory: pytest.TempPathFactory) -> tuple[Room, RefinementOutcome]:
    """A copy that was replenished. Do not change it."""
    room = Room.like(scored, tmp_path_factory.mktemp("replenished"))
    return room, room.refine(replenish=True, rounds=ROUNDS)


def pump(stem: str) -> int:
    return int(stem.split("pump ")[1].split()[0])


def latest(room: Room) -> Exam:
    context = room.context()
    try:
        return stages.exam_of(context.store, context.folder)
    finally:
        context.close()


def test_wrong_keys_go_with_a_reason_and_the_exam_before_stays(room: Room) -> None:
    before, facts_before = latest(room), facts(room.folder)
    assert {pump(each.item.stem) for each in before.items} >= set(WRONG_KEYS)
    outcome = room.refine()
    assert outcome.new
    after = latest(room)
    assert after == outcome.exam != before
    dropped = {pump(each.stem): each.reason for step in outcome.refinement.steps for each in step.dropped}
    assert set(WRONG_KEYS) <= dropped.keys()
    assert all("abler examinees do worse" in dropped[n] for n in WRONG_KEYS)
    assert [s for s in before.items if pump(s.item.stem) not in dropped] == list(after.items)
    assert lint_exam(after).errors == 0
    assert facts(room.folder) == facts_before
    context = room.context()
    assert results.scores_of(context.store, context.folder).exam_id == after.id
    assert context.store.latest_result(f"scores of {before.id}")["exam_id"] == before.id
    assert before in context.store.exams()
    assert any("refined" in note for note in context.store.latest_result("exam_notes"))
    check_funnel(funnel_of(context.store), after)
    assert funnel_of(context.store).left_out["dropped in refining"] == len(dropped)
    context.close()
    assert read_exam(room.folder / f"exam.{before.id}.jsonl") == before
    assert read_exam(room.folder / stages.EXAM_FILE) == after


def test_those_who_judge_have_no_say_in_the_choice(room: Room) -> None:
    made = room.refine().refinement
    assert len(made.judged_by) == 5
    assert not set(made.judged_by) & set(made.chosen_by)
    assert len(made.judged_by) + len(made.chosen_by) == SYSTEMS
    accepted = [step for step in made.steps if step.accepted]
    assert [s.per_item for s in accepted] == sorted(s.per_item for s in accepted)


def test_a_second_call_does_nothing_more(room: Room) -> None:
    first = room.refine()
    rows = facts(room.folder)
    results = dump(room)
    second = room.refine()
    assert not second.new
    assert second.refinement == first.refinement
    assert (facts(room.folder), dump(room)) == (rows, results)


def dump(room: Room) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(room.folder / "run.sqlite")
    try:
        return connection.execute("SELECT kind, position, body FROM results WHERE kind != 'times'").fetchall()
    finally:
        connection.close()


def test_the_same_run_is_refined_in_the_same_way(scored: Room, tmp_path: Path) -> None:
    first, second = (Room.like(scored, tmp_path / name).refine() for name in "ab")
    assert first == second


def test_a_dry_run_says_what_would_be_done_and_does_nothing(room: Room) -> None:
    rows, results, calls = facts(room.folder), dump(room), room.calls
    dry = room.refine(dry_run=True)
    lacking = room.refine(dry_run=True, replenish=True)
    assert (facts(room.folder), dump(room), room.calls) == (rows, results, calls)
    assert not list(room.folder.glob("exam.*.jsonl"))
    assert any("tells too little of north, south" in note for note in lacking.refinement.notes)
    assert any("Accepted and not used: 4; more sources would be read" in n for n in lacking.refinement.notes)
    assert room.refine().exam == dry.exam


def test_new_items_come_from_what_is_not_used_then_from_unread_sources_and_all_answer_them_once(
    scored: Room, replenished: tuple[Room, RefinementOutcome]
) -> None:
    before, (room, outcome) = latest(scored), replenished
    context = scored.context()
    spare = {each.stem for each in BatchScheduler.of(context).items} - {each.item.stem for each in before.items}
    read = context.store.finished_chunks()
    context.close()
    added = [each for step in outcome.refinement.steps if step.accepted for each in step.added]
    stems = [each.stem for each in added]
    assert spare == set(stems[: len(spare)])
    assert len(stems) > len(spare)
    assert not {each.item.stem for each in before.items} & set(stems)
    assert {each.topic for each in added} <= {"north", "south"}
    assert lint_exam(outcome.exam).errors == 0
    context = room.context()
    assert context.store.finished_chunks() > read
    given = context.store.responses_to(outcome.exam.items)
    shown = {each.item.id: each for each in outcome.exam.items}
    assert Counter(r.item_id for r in given) == dict.fromkeys(shown, SYSTEMS)
    assert all(r.id == Response.id_of(r.examinee_id, shown[r.item_id]) for r in given)
    scores = results.scores_of(context.store, context.folder)
    assert {row.asked for row in scores.examinees} == {len(outcome.exam.items)}
    check_funnel(funnel_of(context.store), outcome.exam)
    context.close()
    assert set((room.calls - scored.calls).values()) == {1}
    assert sum((room.calls - scored.calls).values()) == SYSTEMS * len(stems)
    accepted = [step for step in outcome.refinement.steps if step.accepted]
    assert all(after.information > before.information for before, after in pairwise(accepted) if after.added)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["sit s4", "sit s9", "write"])
def test_an_interrupted_replenishing_goes_on_where_it_was(
    moment: str, replenished: tuple[Room, RefinementOutcome], room: Room
) -> None:
    undisturbed, outcome = replenished
    seen = Counter[str]()

    def strike(stage: str, done: int, total: int, note: str = "") -> None:
        seen[stage] += 1
        if stage == moment and seen[stage] == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        room.refine(strike, replenish=True, rounds=ROUNDS)
    context = room.context()
    check_funnel(funnel_of(context.store), stages.exam_of(context.store, context.folder))
    assert context.store.latest_result("refinement") is None
    context.close()
    assert room.refine(replenish=True, rounds=ROUNDS).exam == outcome.exam
    assert facts(room.folder) == facts(undisturbed.folder)


def test_after_a_kill_between_exam_and_scores_the_rest_is_done(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def struck(context: RunContext) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(results, "score", struck)
        with pytest.raises(KeyboardInterrupt):
            room.refine()
    again = room.refine()
    assert not again.new
    context = room.context()
    assert (
        results.scores_of(context.store, context.folder).exam_id
        == again.exam.id
        == stages.exam_of(context.store, context.folder).id
    )
    check_funnel(funnel_of(context.store), again.exam)
    context.close()


def test_where_too_few_can_be_asked_again_it_is_said_and_only_dropped(room: Room) -> None:
    before = latest(room)
    outcome = room.refine(replenish=True, examinees=["s0=systems.py:s0"])
    assert any("Nothing could be added: " in note for note in outcome.refinement.notes)
    (told,) = [note for note in outcome.refinement.notes if note.startswith("Not asked again: ")]
    assert {f"s{n}" for n in range(1, SYSTEMS)} == set(told.split(": ")[1].split(". ")[0].split(", "))
    assert {each.item.id for each in outcome.exam.items} < {each.item.id for each in before.items}


def test_a_system_that_was_edited_is_not_asked_again(room: Room) -> None:
    room.file.write_text(room.file.read_text() + "\n# another version\n")
    outcome = room.refine(replenish=True)
    assert any("Nothing could be added: 0 of" in note for note in outcome.refinement.notes)


def test_systems_that_only_fail_on_new_items_add_nothing(room: Room) -> None:
    room.file.with_name("off").touch()
    outcome = room.refine(replenish=True)
    assert any("too few examinees gave an answer to be graded" in note for note in outcome.refinement.notes)
    assert not [each for step in outcome.refinement.steps for each in step.added]


def test_few_examinees_judge_what_they_chose_and_it_is_said(tmp_path: Path) -> None:
    made = make(tmp_path, systems=8).refine().refinement
    assert made.judged_by == ()
    assert any("too few" in note.lower() and "flatters" in note for note in made.notes)


def test_what_cannot_be_refined_is_refused_in_words(tmp_path: Path, scored: Room) -> None:
    with pytest.raises(UsageError, match=r"no scores yet.*viva score"):
        make(tmp_path / "unscored", systems=6, score=False).refine()
    with pytest.raises(UsageError, match=r"4 examinees sat this exam: too few"):
        make(tmp_path / "few", systems=4).refine()
    other = Room.like(scored, tmp_path / "other")
    context = other.context()
    context.store.add_exam(Exam(id="another", items=stages.exam_of(context.store, context.folder).items[:12]))
    context.close()
    with pytest.raises(UsageError, match="scores are of another exam"):
        other.refine()


def test_an_item_that_went_does_not_come_back(room: Room) -> None:
    gone = {pump(stem) for stem in room.refine().refinement.gone}
    outcome = room.refine(replenish=True, rounds=ROUNDS)
    assert gone
    assert not gone & {pump(each.item.stem) for each in outcome.exam.items}
    assert isinstance(outcome.refinement, Refinement)
    assert gone <= {pump(stem) for stem in outcome.refinement.gone}
