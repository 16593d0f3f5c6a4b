"""The documents of a run, and what became of its knowledge units, on the terminal."""

from __future__ import annotations

from rich.console import Console

from viva.api.terminal import plain
from viva.core.accounts import Funnel
from viva.core.records import ExclusionReason
from viva.core.wording import counted
from viva.graphs.authoring.account import blueprint_of, funnel_of, notes_of
from viva.graphs.context import RunContext
from viva.graphs.stages import ended_early
from viva.reports.sections.systems import known_sentence


def print_corpus(console: Console, context: RunContext) -> None:
    """Print what was read, what was left out, and why."""
    statistics = context.store.latest_result("statistics") or {}
    console.print(
        plain(
            f"Corpus: {statistics.get('documents', 0)} documents, {statistics.get('chunks', 0)} chunks, "
            f"{statistics.get('words', 0):,} words; {statistics.get('exact_duplicates', 0)} documents and "
            f"{statistics.get('near_duplicate_chunks', 0)} chunks are duplicates."
        )
    )
    exclusions = context.store.exclusions()
    whole = [each for each in exclusions if not each.reason.of_a_part]
    parts = [each for each in exclusions if each.reason.of_a_part]
    for told, found in (("files or rows were left out", whole), ("files were read with a note", parts)):
        if found:
            console.print(plain(f"{len(found)} {told}:"))
        for exclusion in found[:20]:
            console.print(plain(f"  {exclusion.path}: {exclusion.reason.value}. {exclusion.detail}"))
        if len(found) > 20:
            console.print(plain(f"  and {len(found) - 20} more (viva show RUN --json shows all)"))


def print_left_out(console: Console, context: RunContext) -> None:
    """Print how much was left out, and whether the reading of documents ended early."""
    exclusions = context.store.exclusions()
    whole = sum(not each.reason.of_a_part for each in exclusions)
    noted = len(exclusions) - whole
    if exclusions:
        read = f"; {noted} were read with a note" if noted else ""
        console.print(
            plain(f"{whole} files or rows were left out{read}. For the reasons: viva show {context.folder}")
        )
    for ended in (each for each in exclusions if each.reason is ExclusionReason.ENDED_EARLY):
        console.print(plain(f"Documents are missing: {ended.path}: {ended.detail}"))


def print_funnel(console: Console, context: RunContext) -> None:
    """Print what became of the knowledge units."""
    funnel: Funnel = funnel_of(context.store)
    if funnel.own:
        print_own_exam(console, context)
        return
    rejected = ", ".join(f"{n} {code}" for code, n in sorted(funnel.rejected.items(), key=lambda r: -r[1]))
    left = "; ".join(f"{n} left out ({reason})" for reason, n in sorted(funnel.left_out.items()))
    console.print(
        plain(
            f"Writing: {funnel.units} knowledge units in {funnel.chunks} chunks = {funnel.accepted} accepted"
            f" + {sum(funnel.rejected.values())} rejected"
            + (f" + {sum(funnel.failed.values())} failed" if funnel.failed else "")
            + f" + {funnel.not_asked} not used."
        )
    )
    if funnel.passed_over:
        over = ", ".join(f"{n} {why}" for why, n in sorted(funnel.passed_over.items(), key=lambda f: -f[1]))
        console.print(plain(f"  chunks not read, because they contain nothing to ask about: {over}"))
    if rejected:
        console.print(plain(f"  rejected: {rejected}"))
    failed = ", ".join(f"{n} {code}" for code, n in sorted(funnel.failed.items(), key=lambda f: -f[1]))
    if failed:
        console.print(plain(f"  failed, because a role could not do its work: {failed}"))
    whole = ", ".join(f"{n} {code}" for code, n in sorted(funnel.failed_chunks.items(), key=lambda f: -f[1]))
    if whole:
        console.print(plain(f"  chunks in which the search for knowledge units failed: {whole}"))
    console.print(
        plain(
            f"Exam: {funnel.in_exam} questions, {funnel.examples} worked examples set aside"
            + (f"; {left}." if left else ".")
        )
    )
    exam = context.store.latest_exam()
    known = sum(shown.item.known for shown in exam.items) if exam else 0
    if known:
        console.print(plain(known_sentence(known, funnel.in_exam)))
    print_shortfall(console, context, funnel)


def print_shortfall(console: Console, context: RunContext, funnel: Funnel) -> None:
    """Print what the exam lacks of what was asked for, and what helps."""
    if funnel.own:
        print_own_exam(console, context)
        return
    wanted = (context.store.latest_result("options") or {}).get("items", 0)
    if 0 < funnel.in_exam < wanted and ended_early(context.store):
        # the notes give the reason
        console.print(plain(f"You asked for {wanted} questions; the exam has {funnel.in_exam}."))
    elif 0 < funnel.in_exam < wanted:
        given = f"You asked for {wanted} questions; these documents gave an exam of {funnel.in_exam}."
        unused = counted(funnel.not_asked, "fact")
        more = f" Not used: {unused}. A higher --items-per-chunk, in a run with another --out, uses more."
        helps = " More documents give more questions."
        if context.store.run.settings.get("model") in {None, "[]"}:
            helps += (
                " A language model writes more kinds of questions: viva models lists the models that you can use."
            )
        console.print(plain(given + (more if funnel.not_asked else "") + helps))
    for level in blueprint_of(context.store):
        if level.reason:
            console.print(
                plain(f"Blueprint, {level.facet} {level.level}: {level.got} of {level.wanted}. {level.reason}")
            )
    for note in notes_of(context.store):
        console.print(plain(f"Note: {note}"))


def print_own_exam(console: Console, context: RunContext) -> None:
    """Print what was taken of the exam that was given."""
    for sentence in notes_of(context.store):
        console.print(plain(sentence))
