"""The state of a run: its documents, what became of its knowledge units, its scores, what it has spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from viva.api.leaderboard import leaderboard
from viva.api.result import Column, Kind, Result, Table
from viva.api.results.causes import causes_result
from viva.api.results.spending import spent_record, spent_sentences
from viva.api.text import shortened
from viva.core.accounts import Funnel, SittingRecord
from viva.core.note_words import names_of, note_sentence, worded
from viva.core.notes import Note
from viva.core.records import Exam, ExclusionReason, FailureKind, Tier
from viva.core.scores import SampleScore, Scores
from viva.core.wording import counted
from viva.examinees.specs.records import Spec
from viva.graphs import results
from viva.graphs.assembly.deduplication import count_different
from viva.graphs.authoring.account import blueprint_of, coverage_of, funnel_of, notes_of, own_exam
from viva.graphs.authoring.editions import edition_sentences, editions_of
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.peer_responses import diagnoses_of
from viva.graphs.oral_exam.record import findings, kept_problem, kept_scores
from viva.graphs.resources.stage_times import times_of
from viva.graphs.sitting.kept_answers import sittings_of
from viva.graphs.stages import Stage, ended_early, is_incomplete
from viva.metrics.unread_choices import unread_choice_notes
from viva.reports.sections.oral_words import headline
from viva.reports.sections.systems import known_sentence

_EXCLUSIONS_SHOWN = 20


def state_result(context: RunContext) -> Result:
    """Say how a run stands: documents, funnel, leaderboard, failures, diagnoses, oral examinations, spending."""
    folder, scores = context.folder, _scores_of_exam(context)
    parts = [_said(_corpus(context)), _said(_funnel(context))]
    if scores is not None:
        parts += [leaderboard(scores), _said(failure_sentences(context)), _diagnoses(context)]
    elif context.store.latest_result("scores") is not None:
        parts.append(
            _said([f"The scores are for an earlier exam. For this one: viva sit {folder}, then viva score {folder}"])
        )
    parts += [_said(_unscored(context))]
    parts += [_said(_examined(context)), _said(spent_sentences(context))]
    report = folder / results.REPORT_FILE
    parts += [_said([f"\nReport: {report}"])] if report.exists() else []
    return Result.joined(f"The run in {folder}", parts, state_record(context))


def stage_result(context: RunContext, last: Stage, sat: Sequence[Spec], ended: Mapping[str, SittingRecord]) -> Result:
    """Say what stages up to `last` have made; `sat`: the systems that were examined, `ended`: their sittings."""
    sittings = sittings_of(context.store, sat, ended)
    parts = [_said(each.sentence for each in sittings if each.kept or last == "sit"), *_of_stage(context, last, sat)]
    record = {"sittings": [each.model_dump(mode="json") for each in sittings]} if sittings else {}
    return Result.joined(f"The run in {context.folder}", parts, {**state_record(context), **record})


def _of_stage(context: RunContext, last: Stage, sat: Sequence[Spec]) -> list[Result]:
    match last:
        case "ingest":
            return [_said(_corpus(context))]
        case "write":
            return [_said(_funnel(context)), _said(spent_sentences(context))]
        case "sit":
            failed = failure_sentences(context, {spec.examinee.id for spec in sat})
            end = f"The responses are in {context.folder}. Next: viva score {context.folder}"
            return [_said(failed), _said(unread_sentences(context)), _said([end])]
        case "score" | "report":
            report = [f"\nReport: {context.folder / results.REPORT_FILE}"] if last == "report" else []
            return [
                *([_said(_headline(context))] if last == "report" else []),
                leaderboard(results.scores_of(context.store, context.folder)),
                _said(_unscored(context)),
                _said(failure_sentences(context)),
                _said(_examined(context)),
                _diagnoses(context),
                _said(_shortfall(context, funnel_of(context.store))),
                _said(_left_out(context)),
                _said([*spent_sentences(context), *report]),
            ]


def _said(sentences: Iterable[str]) -> Result:
    return Result("", (), tuple(sentences))


def state_record(context: RunContext) -> dict[str, object]:
    """Give all that is known of the run's state as JSON has it."""
    store, exam, scores = context.store, context.store.latest_exam(), _scores_of_exam(context)
    own = own_exam(store)
    return {
        "run": store.run.model_dump(mode="json"),
        "folder": str(context.folder),
        "statistics": store.latest_result("statistics"),
        "exclusions": [exclusion.model_dump(mode="json") for exclusion in store.exclusions()],
        "editions": [pair.model_dump(mode="json", exclude={"repeated"}) for pair in editions_of(store)],
        "funnel": funnel_of(store).model_dump(mode="json"),
        "exam": exam
        and {
            "id": exam.id,
            "items": len(exam.items),
            "known": _known(exam),
            "incomplete": is_incomplete(store),
        },
        "blueprint": [row.model_dump(mode="json") for row in blueprint_of(store)],
        "coverage": [row.model_dump(mode="json") for row in coverage_of(store)],
        "exam_notes": list(notes_of(store)),
        "own_exam": own and own.model_dump(mode="json"),
        "unread_choices": unread_record(context),
        "scores": scores and scores.model_dump(mode="json", context=worded(names_of(scores))),
        "unscored": _unscored(context),
        "diagnoses": [each.model_dump(mode="json") for each in diagnoses_of(store, exam)] if exam else [],
        "oral": [found.model_dump(mode="json") for found in findings(kept_scores(store))],
        "seconds": {time.stage: time.seconds for time in times_of(store)},
        **spent_record(context),
        "report": str(context.folder / results.REPORT_FILE),
    }


def _known(exam: Exam | None) -> int:
    """Count the questions that a language model knew without documents."""
    return sum(shown.item.without_documents for shown in exam.items) if exam else 0


def _scores_of_exam(context: RunContext) -> Scores | None:
    """Give the scores, if they are for the present exam."""
    exam, found = context.store.latest_exam(), context.store.latest_result("scores")
    if exam is None or found is None or found["exam_id"] != exam.id:
        return None
    return Scores.model_validate(found)


def _unscored(context: RunContext) -> tuple[str, ...]:
    """Say who has sat the present exam and is in no scores of it; nothing where the scores are for another exam."""
    exam, scores = context.store.latest_exam(), _scores_of_exam(context)
    if exam is None or (scores is None and context.store.latest_result("scores") is not None):
        return ()
    return results.unscored_sentences(context.store, context.folder, exam, scores)


# --- documents and exam -----------------------------------------------------------------------------------


def _corpus(context: RunContext) -> Iterator[str]:
    found = context.store.latest_result("statistics") or {}
    yield (
        f"Corpus: {found.get('documents', 0)} documents, {found.get('chunks', 0)} chunks, "
        f"{found.get('words', 0):,} words; {found.get('exact_duplicates', 0)} documents and "
        f"{found.get('near_duplicate_chunks', 0)} chunks are duplicates."
    )
    head, differing = edition_sentences(editions_of(context.store))
    yield from [head] if head else []
    yield from shortened(differing, _EXCLUSIONS_SHOWN)
    exclusions = context.store.exclusions()
    for told, of_a_part in (("files or rows were left out", False), ("files were read with a note", True)):
        found_here = [each for each in exclusions if each.reason.of_a_part == of_a_part]
        if found_here:
            yield f"{len(found_here)} {told}:"
        yield from shortened(
            [f"{each.path}: {each.reason.value}. {each.detail}" for each in found_here], _EXCLUSIONS_SHOWN
        )


def _left_out(context: RunContext) -> Iterator[str]:
    if head := edition_sentences(editions_of(context.store))[0]:
        yield f"{head} viva show {context.folder} lists them."
    exclusions = context.store.exclusions()
    if exclusions:
        noted = sum(each.reason.of_a_part for each in exclusions)
        read = f"; {noted} were read with a note" if noted else ""
        whole = len(exclusions) - noted
        yield f"{whole} files or rows were left out{read}. For the reasons: viva show {context.folder}"
    for each in exclusions:
        if each.reason is ExclusionReason.ENDED_EARLY:
            yield f"Documents are missing: {each.path}: {each.detail}"


def _funnel(context: RunContext) -> Iterator[str]:
    funnel = funnel_of(context.store)
    if not funnel.own:
        yield from _headline(context)
        failed = f" + {sum(funnel.failed.values())} failed" if funnel.failed else ""
        yield (
            f"Writing: {funnel.units} knowledge units in {funnel.chunks} chunks = {funnel.accepted} accepted"
            f" + {sum(funnel.rejected.values())} rejected{failed} + {funnel.not_asked} not used."
        )
        for label, counts in (
            ("chunks not read, because they contain nothing to ask about", funnel.passed_over),
            ("rejected", funnel.rejected),
            ("failed, because a role could not do its work", funnel.failed),
            ("chunks in which the search for knowledge units failed", funnel.failed_chunks),
        ):
            if counts:
                yield f"  {label}: {', '.join(f'{n} {code}' for code, n in sorted(counts.items(), key=_most))}"
        left = "; ".join(f"{n} left out ({reason})" for reason, n in sorted(funnel.left_out.items()))
        end = f"; {left}." if left else "."
        yield f"Exam: {funnel.in_exam} questions, {funnel.examples} worked examples set aside{end}"
        if known := _known(context.store.latest_exam()):
            yield known_sentence(known, funnel.in_exam)
    yield from _shortfall(context, funnel)


def _headline(context: RunContext) -> Iterator[str]:
    """Say how many questions the exam has, how many of them differ, and of the offline cast's the tiers."""
    exam = context.store.latest_exam()
    if exam is None or own_exam(context.store):
        return
    items = [shown.item for shown in exam.items]
    tiers = Counter(item.provenance.tier for item in items if item.provenance.tier)
    of_tiers = ", ".join(f"{tiers[tier]} of the {tier} tier" for tier in Tier if tiers)
    said = f"The exam has {counted(len(items), 'question')}, {count_different(items)} of them different"
    yield f"{said}: {of_tiers}." if of_tiers else f"{said}."


def _most(count: tuple[str, int]) -> int:
    return -count[1]


def _shortfall(context: RunContext, funnel: Funnel) -> Iterator[str]:
    """Say what the exam lacks of what was asked for, and what helps; of an exam that was given, what was taken."""
    if funnel.own:
        yield from notes_of(context.store)
        return
    wanted = (context.store.latest_result("options") or {}).get("items", 0)
    if 0 < funnel.in_exam < wanted and ended_early(context.store):
        # the notes give the reason
        yield f"You asked for {wanted} questions; the exam has {funnel.in_exam}."
    elif 0 < funnel.in_exam < wanted:
        chunks = (context.store.latest_result("statistics") or {}).get("chunks", funnel.chunks)
        read = f"{funnel.chunks:,} of {counted(chunks, 'chunk')} {'were' if chunks != 1 else 'was'} read"
        given = f"You asked for {wanted} questions; these documents gave an exam of {funnel.in_exam}: {read}."
        unused = counted(funnel.not_asked, "fact")
        more = f" Not used: {unused}. A higher --items-per-chunk, in a run with another --out, uses more."
        helps = " More documents give more questions."
        if context.store.run.settings.get("model") in {None, "[]"}:
            helps += (
                " A language model writes more kinds of questions: viva models lists the models that you can use."
            )
        yield given + (more if funnel.not_asked else "") + helps
    for level in blueprint_of(context.store):
        if level.reason:
            yield f"Blueprint, {level.facet} {level.level}: {level.got} of {level.wanted}. {level.reason}"
    yield from (f"Note: {note}" for note in notes_of(context.store))


# --- systems ----------------------------------------------------------------------------------------------


def failure_sentences(context: RunContext, asked: Collection[str] | None = None) -> list[str]:
    """Say how often each system of the run failed on the latest exam, or each of those `asked`, and why first."""
    exam = context.store.latest_exam()
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    found: dict[tuple[str, FailureKind], list[tuple[str, str]]] = {}
    for response in context.store.responses_to(exam.items if exam else (), all_occasions=True):
        if response.failure and (asked is None or response.examinee_id in asked):
            failed = (response.item_id, response.failure.detail)
            found.setdefault((response.examinee_id, response.failure.kind), []).append(failed)
    return [
        f"Failed: {names[examinee_id]}, {_often(failed)}, {kind.value}: {failed[0][1]}"
        for (examinee_id, kind), failed in sorted(found.items(), key=lambda f: (names[f[0][0]], f[0][1]))
    ]


def _often(failed: Sequence[tuple[str, str]]) -> str:
    """Say on how many questions, and how many times where a question failed on several occasions."""
    questions = len({item_id for item_id, _ in failed})
    times = f"{len(failed)} times on " if len(failed) > questions else ""
    return times + counted(questions, "question")


def unread_sentences(context: RunContext) -> list[str]:
    """Say which systems' answers often mean no option, with examples."""
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    return [f"Note: {note_sentence(note, names)}" for note in _unread(context)]


def unread_record(context: RunContext) -> list[dict[str, object]]:
    """Give the same as JSON has it."""
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    return [note.model_dump(mode="json", context=worded(names)) for note in _unread(context)]


def _unread(context: RunContext) -> list[Note]:
    exam = context.store.latest_exam()
    if exam is None:
        return []
    return list(unread_choice_notes(exam, context.store.examinees(), context.store.responses_to(exam.items)))


def _diagnoses(context: RunContext) -> Result:
    exam = context.store.latest_exam()
    return Result.joined("", causes_result(diagnoses_of(context.store, exam) if exam else ()).parts)


def _examined(context: RunContext) -> Iterator[str]:
    for score in kept_scores(context.store):
        yield f"Oral examination of {score.examinee.name}: {headline(score)} Ended: {score.reason}."
    if problem := kept_problem(context.store):
        yield f"Oral examination: {problem}"


# --- a sample ---------------------------------------------------------------------------------------------

_SAMPLE = (
    Column("system"),
    *(Column(name, Kind.NUMBER) for name in ("asked", "of", "failed")),
    Column("accuracy on the exam", Kind.SHARE),
)


def sample_result(context: RunContext, found: Sequence[SampleScore]) -> Result:
    """Put sittings of a random part of the exam into a table, and into sentences for each system."""
    cells = tuple(
        (each.examinee.name, each.asked, each.items, sum(each.failures.values()), each.accuracy) for each in found
    )
    record = {
        "folder": str(context.folder),
        "sittings": [each.model_dump(mode="json") for each in found],
        "unread_choices": unread_record(context),
    }
    parts = [Result(each.examinee.name, (), tuple(f"  {line}" for line in _of_sample(each))) for each in found]
    end = f"These systems are not on the leaderboard. Next: viva score {context.folder}"
    parts.append(_said([*unread_sentences(context), end]))
    return Result(
        "Sample of the exam", (Table("Sample of the exam", _SAMPLE, cells),), (), record, parts=tuple(parts)
    )


def _of_sample(score: SampleScore) -> Iterator[str]:
    kinds = ", ".join(f"{kind} {count}" for kind, count in score.failures.items())
    yield (
        f"Asked: {score.asked} of {score.items} questions, drawn at random. Not graded: {score.ungraded}"
        f"{f' ({kinds})' if kinds else ''}. No choice (wrong): {score.no_choice}."
    )
    share = score.accuracy
    if share is None:
        yield "Accuracy was not measured, because no answer was graded."
        return
    how = "" if score.by_model else ", by the share of right answers alone: too few systems have taken the whole exam"
    interval = f"{share.value:.0%} (95%: {share.low:.0%} to {share.high:.0%})"
    yield f"Estimated accuracy on all {score.items} questions: {interval}{how}."
