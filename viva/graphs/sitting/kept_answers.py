"""What a sitting asked and what it kept from earlier ones, in words; and answers that are to be asked for anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from pydantic import Field

from viva.core.accounts import SittingRecord
from viva.core.records import Exam, Record, Response
from viva.examinees.interventions import CONTEXTS
from viva.examinees.manufactured import ablation, again
from viva.examinees.specs.kinds import identity_is_known
from viva.examinees.specs.records import READERS, ChatSpec, HttpSpec, Spec
from viva.storage.runs import RunStore

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class SittingSummary(Record):
    """The latest sitting of a system: what it was asked, and what was kept from when."""

    name: str
    asked: int
    kept: int
    kept_from: tuple[str, ...]
    """dates of the sittings whose answers were kept; none where an earlier version of viva asked"""
    identity_known: bool
    """whether an edited system is noticed"""
    sentence: str


def record_sitting(store: RunStore, examinee_id: str, exam: Exam, *, asked: int, kept: int) -> SittingRecord:
    """Log that a sitting has ended, however it ended; one in which nothing was asked leaves no trace in the run."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    ended = SittingRecord(exam_id=exam.id, at=now, asked=asked, kept=kept)
    if asked:
        store.add_result(_kind(examinee_id), ended.model_dump(mode="json"))
    return ended


def sittings_of(
    store: RunStore, specs: Sequence[Spec], ended: Mapping[str, SittingRecord] | None = None
) -> list[SittingSummary]:
    """The latest sitting of each of these systems, `ended` in this process (by id); none of one that has not sat."""
    found = []
    for spec in specs:
        records = [SittingRecord.model_validate(each) for each in store.results(_kind(spec.examinee.id))]
        now = (ended or {}).get(spec.examinee.id)
        if now is not None and not now.asked:
            records.append(now)
        if records:
            found.append(_summary(spec, records))
    return found


def last_asked(store: RunStore, examinee_id: str) -> str:
    """Give the time when a system was last asked questions (ISO 8601); "" where an earlier version of viva asked."""
    return max((SittingRecord.model_validate(each).at for each in store.results(_kind(examinee_id))), default="")


def _summary(spec: Spec, records: Sequence[SittingRecord]) -> SittingSummary:
    last = records[-1]
    days = sorted({each.at[:10] for each in records[:-1] if each.asked}) if last.kept else []
    known = identity_is_known(spec)
    name = spec.examinee.name
    told = f"{name}: asked {last.asked}, kept {last.kept}{_of_days(days)}."
    if last.kept and not known:
        told += f" {_why_unknown(spec)} --again asks anew."
    return SittingSummary(
        name=name, asked=last.asked, kept=last.kept, kept_from=tuple(days), identity_known=known, sentence=told
    )


def _why_unknown(spec: Spec) -> str:
    if isinstance(spec, HttpSpec | ChatSpec):
        return (
            "Whether the endpoint is still the same system cannot be known (in a panel file, `version:` tells "
            "its versions apart)."
        )
    return "Whether it is still the same system cannot be known: its source is not at hand."


def _of_days(days: Sequence[str]) -> str:
    """' of 28 Nov', ' of 27 to 28 Nov', with the year where it is another one than now."""
    if not days:
        return ""
    first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
    year = f" {last.year}" if last.year != datetime.now(UTC).year or first.year != last.year else ""
    end = f"{last.day} {_MONTHS[last.month - 1]}{year}"
    if first == last:
        return f" of {end}"
    if (first.year, first.month) == (last.year, last.month):
        return f" of {first.day} to {end}"
    return f" of {first.day} {_MONTHS[first.month - 1]}{f' {first.year}' if first.year != last.year else ''} to {end}"


class TimesAsked(Record):
    """How often a system was put each question, and on which days, answers that are gone included."""

    items: dict[str, int] = Field(default_factory=dict)
    days: tuple[str, ...] = ()


def times_asked(store: RunStore, examinee_id: str) -> TimesAsked:
    """Count what a system was put."""
    gone = TimesAsked.model_validate(store.latest_result(_gone(examinee_id)) or {})
    items, days = Counter(gone.items), set(gone.days)
    items.update(each.item_id for each in store.responses_of(examinee_id) if not each.is_retrieval)
    days |= {SittingRecord.model_validate(each).at[:10] for each in store.results(_kind(examinee_id))}
    return TimesAsked(items=dict(sorted(items.items())), days=tuple(sorted(days)))


def kept_count(exam: Exam, examinee_id: str, answered: set[str]) -> int:
    """How many questions of the exam this examinee has answered before."""
    return sum(Response.id_of(examinee_id, shown) in answered for shown in exam.items)


def forget_answers(store: RunStore, specs: Sequence[Spec]) -> None:
    """Delete all that these systems answered, so that they are asked anew.

    With the answers go their grades and labels, the variants that viva made of the systems, and diagnoses. The
    scores of the run are withdrawn: they would be of answers that are gone.
    """
    from viva.graphs.diagnosis.peer_responses import kinds_of

    ids, kinds = set[str](), set[str]()
    for spec in specs:
        made = [ablation(spec, context, reader).examinee for context in CONTEXTS for reader in (None, *READERS)]
        ids |= {spec.examinee.id, again(spec.examinee).id, *(each.id for each in made)}
        kinds |= {_kind(spec.examinee.id), *kinds_of(spec.examinee)}
    counts = {each: times_asked(store, each) for each in ids & store.response_counts().keys()}
    for each, count in counts.items():
        # what a system may have learned from is not undone with its answers
        store.add_result(_gone(each), count.model_dump(mode="json"))
    if store.delete_responses(ids, kinds) and store.latest_result("scores") is not None:
        store.add_result("scores", None)


def _gone(examinee_id: str) -> str:
    return f"asked before {examinee_id}"


def _kind(examinee_id: str) -> str:
    return f"sitting {examinee_id}"
