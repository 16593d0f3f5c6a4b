"""What the nodes of the oral graph do: units of all chunks, a question, an answer, and its judgement."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence, Set
from itertools import count
from math import ceil

from viva.agents.roles import Source
from viva.core.calls import binding
from viva.core.errors import RoleFailed, UsageError
from viva.core.records import OralTurn, OralUnit, UnitJudgement, UnitStatus
from viva.graphs.oral_exam.answers import CAPPED, EMPTY, SAYS_NOTHING
from viva.graphs.oral_exam.session import OralSession
from viva.graphs.oral_exam.state import OralProgress, OralQuestion

ALSO_AT_MOST, KNOWN_AT_MOST = 12, 4
"""Units not asked for, or covered before, that are judged where a call has room for them."""
WORDINGS = 3
"""Wordings that the examiner is asked for before one that was put already is told apart by a sentence."""
NO_QUESTION = "no question"
_NOTHING_SAID = {EMPTY: "The answer is empty.", SAYS_NOTHING: "The answer says that it does not know."}
_PASTED = "The answer is copied from the documents at length, and was asked for several things: it counts for none."


async def extracted(session: OralSession) -> list[OralUnit]:
    """The units of all chunks, in the order of the chunks. UsageError where there is none."""
    places = asyncio.Semaphore(session.chunks_at_once)
    done, failed = 0, list[RoleFailed]()

    async def of(source: Source) -> list[OralUnit]:
        nonlocal done
        async with places:
            with binding(chunk_id=source.id, unit_id=None):
                try:
                    found = await session.cast.units.extract(source)
                except RoleFailed as reason:
                    failed.append(reason)
                    found = []
            done += 1
            note = f"{len(failed)} could not be read" if failed else ""
            session.watch("Looking for units", done, len(session.sources), note)
        return found

    units = [unit for found in await asyncio.gather(*map(of, session.sources)) for unit in found]
    if units:
        return units
    reasons = f" {len(failed)} chunks could not be read: {failed[0].reason}" if failed else ""
    raise UsageError(
        f"No unit of knowledge was found in {len(session.sources)} chunks.{reasons}",
        next_step="More or longer documents of running prose usually help.",
    )


async def worded(session: OralSession, probe: OralQuestion, standing: OralProgress) -> OralTurn:
    """The turn with its question. One that cannot be worded has no question, and failed judgements that say why."""
    calls: list[str] = []
    turn = OralTurn(
        number=standing.turns,
        round=probe.round,
        cluster=probe.cluster,
        form=probe.form,
        unit_ids=probe.unit_ids,
        question="",
    )
    with binding(chunk_id=None, unit_id=None, calls=calls):
        try:
            question = await _new_question(session, probe, standing.put)
        except RoleFailed as failed:
            reason = f"No question could be put: {failed.reason}"
            judgements = tuple(
                UnitJudgement(unit_id=unit_id, failed=True, reason=reason) for unit_id in probe.unit_ids
            )
            return _paid(session, turn.model_copy(update={"flags": (NO_QUESTION,), "judgements": judgements}), calls)
    return _paid(session, turn.model_copy(update={"question": question}), calls)


async def _new_question(session: OralSession, probe: OralQuestion, put: Set[str]) -> str:
    """A question that was not put before: in other words where the examiner's first are taken, else told apart."""
    units = [session.units[unit_id] for unit_id in probe.unit_ids]
    subject, question = session.planned.clusters[probe.cluster].name, ""
    for more in range(WORDINGS):
        question = await session.cast.examiner.question(
            units,
            subject=subject,
            form=probe.form,
            missed=units if probe.round > 1 else [],
            attempt=probe.attempt + more,
        )
        if question not in put:
            return question
    apart = "This is question {n} in these words: tell what you have not told yet."
    return next(each for n in count(2) if (each := f"{question} {apart.format(n=n)}") not in put)


async def answered(session: OralSession, turn: OralTurn) -> OralTurn:
    """The turn with what the examinee said, or how it failed."""
    response = await session.put(turn.question)
    tokens = dict(turn.tokens)
    used = response.usage
    if used and used.input_tokens is not None and used.output_tokens is not None:
        tokens["examinee"] = used.input_tokens + used.output_tokens
    told = {"latency_s": response.latency_s, "tokens": tokens}
    if response.failure:
        return turn.model_copy(update={**told, "failure": response.failure})
    heard = session.listener.hear(turn.question, response.text, session.invited(turn))
    # an adapter may have cut it before it came here
    cut = {CAPPED} if response.meta.get("capped", "").startswith("text") else set()
    return turn.model_copy(update={**told, "answer": heard.text, "flags": tuple(sorted({*heard.flags, *cut}))})


async def judged(session: OralSession, turn: OralTurn, standing: OralProgress) -> OralTurn:
    """The turn with a judgement of every unit it was asked for, and of others that the answer may have reached."""
    counts = session.listener.hear(turn.question, turn.answer, session.invited(turn)).counts
    if not counts:
        reason = next((_NOTHING_SAID[flag] for flag in turn.flags if flag in _NOTHING_SAID), _PASTED)
        silent = tuple(UnitJudgement(unit_id=unit_id, reason=reason) for unit_id in turn.unit_ids)
        return turn.model_copy(update={"judgements": silent})
    units = [session.units[i] for i in (*turn.unit_ids, *_reached(session, turn, standing, counts))]
    size, calls = session.cast.units_per_judgement, list[str]()
    with binding(chunk_id=None, unit_id=None, calls=calls):
        batches = [units[start : start + size] for start in range(0, len(units), size)]
        found = await asyncio.gather(*(_judgements(session, turn.question, counts, batch) for batch in batches))
    judgements = tuple(each for batch in found for each in batch)
    return _paid(session, turn.model_copy(update={"judgements": judgements}), calls)


def _reached(session: OralSession, turn: OralTurn, standing: OralProgress, counts: str) -> tuple[str, ...]:
    """Other units of the cluster that the answer may be about: open ones, then such as were covered before."""
    size = session.cast.units_per_judgement
    spare = ceil(len(turn.unit_ids) / size) * size - len(turn.unit_ids)
    others = [i for i in session.planned.clusters[turn.cluster].unit_ids if i not in turn.unit_ids]
    covered = {UnitStatus.CORRECT, UnitStatus.INCORRECT}
    near = session.listener.reached(counts, [i for i in others if standing.askable(i)], min(spare, ALSO_AT_MOST))
    known = [i for i in others if standing.units[i].status in covered]
    return (*near, *session.listener.reached(counts, known, min(spare - len(near), KNOWN_AT_MOST)))


async def _judgements(
    session: OralSession, question: str, answer: str, units: Sequence[OralUnit]
) -> list[UnitJudgement]:
    """One judgement per unit, in their order; a failed one where the judge could not do its work, or not rightly."""
    try:
        given = await session.cast.judge.judge(question, answer, units)
    except RoleFailed as failed:
        return [UnitJudgement(unit_id=unit.id, failed=True, reason=failed.reason) for unit in units]
    by_unit = {each.unit_id: each for each in given}
    return [_checked(by_unit.get(unit.id), unit.id, answer) for unit in units]


def _checked(judgement: UnitJudgement | None, unit_id: str, answer: str) -> UnitJudgement:
    if judgement is None:
        return UnitJudgement(unit_id=unit_id, failed=True, reason="The judge passed over it.")
    if judgement.covered and not judgement.failed and (not judgement.quote or judgement.quote not in answer):
        reason = f"What the judge quotes is not in the answer. {judgement.reason}".rstrip()
        return UnitJudgement(unit_id=unit_id, failed=True, reason=reason)
    return judgement


def _paid(session: OralSession, turn: OralTurn, calls: Sequence[str]) -> OralTurn:
    """The turn with the model calls it took, and their tokens by role."""
    tokens = dict(turn.tokens)
    for role, used in session.counted(calls).items() if calls else ():
        tokens[role] = tokens.get(role, 0) + used
    return turn.model_copy(update={"calls": (*turn.calls, *calls), "tokens": tokens})
