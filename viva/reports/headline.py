"""The result in plain sentences: who leads, by how much, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.estimates import MOST_FAILED
from viva.core.note_words import names_of, note_sentence, nothing_separates
from viva.core.notes import NoteCode
from viva.core.records import ItemKind
from viva.core.scores import Estimate, Scores
from viva.core.scores_pairs import Pairs, PairVerdict, pair_verdict
from viva.core.wording import counted, listed, percent, percent_range, points
from viva.metrics.panel import is_own
from viva.reports.data import ReportData
from viva.reports.sections.retrieval import retriever_headline, retriever_sentences
from viva.reports.sections.systems import FAILING, REFERENCES, SystemRow

# beyond this many names a list is no longer read
NAMED = 5
NOTHING_GRADED = "No answer could be graded"
FEWEST_QUESTIONS = 20
"""Questions below which the finding is that there are few."""


@dataclass(frozen=True)
class Headline:
    """The finding in one line, and the sentences that carry it."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class _Ranked:
    row: SystemRow
    accuracy: Estimate

    @property
    def name(self) -> str:
        return self.row.name


def headline(data: ReportData, rows: Sequence[SystemRow]) -> Headline:
    """The finding. Where there are too few questions for one, that is the finding."""
    found, questions = _headline(data, rows), len(data.counted.items)
    if questions >= FEWEST_QUESTIONS or found.title == NOTHING_GRADED:
        return found
    few = f"{counted(questions, 'question')}: too few to tell systems apart"
    return Headline(few, (f"{found.title}.", *found.sentences))


def _headline(data: ReportData, rows: Sequence[SystemRow]) -> Headline:
    """The finding by the answers. References lead it only where no other system could be graded."""
    if not rows and (told := retriever_headline(data.scores)):
        return Headline(told, retriever_sentences(data.scores))
    if all(row.score.accuracy is None or row.failed == row.score.asked for row in rows):
        return Headline(NOTHING_GRADED, (_nothing_graded(data),))
    if told := nothing_separates(data.scores):
        return Headline(told, ())
    unranked = [row for row in rows if row.reference == FAILING]
    graded = [_Ranked(row, row.score.accuracy) for row in rows if row.score.accuracy and row not in unranked]
    systems = [one for one in graded if not one.row.reference] or graded
    if not systems:
        return Headline("No system is ranked", (_failing(unranked),))
    own = [one for one in systems if is_own(one.row.score.examinee)]
    best = own[0] if len(own) == 1 else systems[0]
    pairs, others = Pairs(data.scores.comparisons), [one for one in systems if one is not best]
    compared = [one for one in others if pairs.between(best.row.id, one.row.id)]
    apart = [one for one in others if one not in compared]
    alone = len(own) == 1 and bool(others)
    level = [] if alone or apart else [one for one in compared if _shares_place(one, best, pairs)]
    behind = [one for one in compared if one not in level]
    if level:
        sentences = [_level(best, level, data.chance)]
    else:
        whom = "it" if alone else "the leader"
        sentences = [_right(best, data.chance, whom), _by_format(best, data.scores)]
    if compared and alone:
        sentences += [_against(best, compared, pairs), _best_other(best, compared[0], pairs)]
    elif compared:
        sentences += [_runner_up(best, behind[0], pairs)] if behind else []
        sentences += [_field(best, compared, pairs, best.name if level else "The leader")]
    sentences += [
        _apart(apart),
        _public(best, graded, data),
        _references([one for one in graded if one.row.reference in REFERENCES and one not in systems], data),
        _failing(unranked),
        *_unfinished(data.scores),
    ]
    title = _of_one(best, apart) if alone or apart else _tie(best, level) if level else _title(best, others, pairs)
    return Headline(title, tuple(s for s in sentences if s))


def _shares_place(one: _Ranked, best: _Ranked, pairs: Pairs) -> bool:
    """Whether both have the same accuracy, and the questions that both were asked tell them not apart."""
    found = pairs.between(best.row.id, one.row.id)
    level = one.row.score.standing == best.row.score.standing
    return level and found is not None and found.verdict is PairVerdict.NOT_TOLD_APART


def _tie(best: _Ranked, level: Sequence[_Ranked]) -> str:
    names = f"{best.name} and {level[0].name}" if len(level) == 1 else counted(1 + len(level), "system")
    return f"{names} share the lead with {percent(best.accuracy.value)} right"


def _of_one(best: _Ranked, apart: Sequence[_Ranked]) -> str:
    """Of a system that is the only one of the user's, or that not all others can be compared with."""
    if apart:
        return f"{best.name} answers {percent(best.accuracy.value)} of its questions; not all systems had the same"
    return f"{best.name} answers {percent(best.accuracy.value)} of the questions"


def _title(best: _Ranked, others: Sequence[_Ranked], pairs: Pairs) -> str:
    share = percent(best.accuracy.value)
    if not others:
        return f"{best.name} answers {share} of the questions"
    found = pairs.between(best.row.id, others[0].row.id)
    if found and found.verdict is PairVerdict.BETTER:
        return f"{best.name} is best: {share} right, {points(found.difference)} points on the runner-up"
    if found and found.verdict is PairVerdict.WORSE:
        return f"{best.name} has most right, {share}, but {others[0].name} is better on the questions that both had"
    return f"{best.name} leads with {share} right, but the exam cannot tell it from {others[0].name}"


def _right(best: _Ranked, chance: float | None, whom: str) -> str:
    """What one system has right, and whether that is more than a guesser has."""
    return f"It answered {_counted_right(best)} correctly: {_share(best)}.{_guessing([best], chance, whom)}"


def _level(best: _Ranked, level: Sequence[_Ranked], chance: float | None) -> str:
    """Say what systems of the same accuracy have right; with counts and interval where these are the same too."""
    all_ = [best, *level]
    names = listed([one.name for one in all_], NAMED)
    counts, shares = {_counted_right(one) for one in all_}, {_share(one) for one in all_}
    share = shares.pop() if len(shares) == 1 else percent(best.accuracy.value)
    each = f"each answered {counts.pop()} correctly" if len(counts) == 1 else "have the same share right"
    return f"{names} {each}: {share}.{_guessing(all_, chance, 'them')}"


def _counted_right(one: _Ranked) -> str:
    score = one.row.score
    times = f" (each asked up to {score.stability.occasions} times)" if score.stability else ""
    return f"{score.correct} of {counted(score.graded, 'question')}{times}"


def _share(one: _Ranked) -> str:
    found = one.accuracy
    return f"{percent(found.value)} (95% interval {percent_range(found.low, found.high)})"


def _guessing(those: Sequence[_Ranked], chance: float | None, whom: str) -> str:
    if chance is None:
        return ""
    if all(one.accuracy.high < chance for one in those):
        return (
            f" Guessing gives {percent(chance)}, which is more: see whether the letters of the answers are those of"
            " the options as they were shown."
        )
    near = [one.name for one in those if one.accuracy.low <= chance]
    if not near:
        return f" Guessing gives {percent(chance)}."
    named = whom if len(near) == len(those) else listed(near, NAMED)
    return f" Guessing gives {percent(chance)}: this exam cannot tell {named} from a guesser."


def _by_format(best: _Ranked, scores: Scores) -> str:
    """The leader on multiple choice and on open questions, and who graded these."""
    by = {each.format: each.accuracy for each in best.row.score.formats if each.accuracy}
    if scores.judge is None or len(by) < 2:
        return ""
    told = [f"{percent(share.value)} of the {name} questions" for name, share in by.items()]
    return f"That is {' and '.join(told)}; open answers were graded by the judge {scores.judge.card.name}."


def _runner_up(best: _Ranked, second: _Ranked, pairs: Pairs) -> str:
    found = pairs.between(best.row.id, second.row.id)
    if found is None:
        return f"The runner-up is {second.name}; the two were not compared on the same questions."
    return f"The runner-up is {second.name}. {pair_verdict(found, best.name, second.name)}."


def _best_other(best: _Ranked, other: _Ranked, pairs: Pairs) -> str:
    found = pairs.between(best.row.id, other.row.id)
    return f"The best of the others is {other.name}. {pair_verdict(found, best.name, other.name)}." if found else ""


def _field(best: _Ranked, others: Sequence[_Ranked], pairs: Pairs, whose: str) -> str:
    """Of all that the leader was compared with."""
    if len(others) < 2:
        return ""
    behind, level, above = (_with(verdict, best, others, pairs) for verdict in PairVerdict)
    if behind:
        text = f"{whose} is better than {len(behind)} of the {len(others)} other systems"
        text += f"; the exam cannot tell it from {listed(level, NAMED)}" if level else ""
    else:
        text = f"{whose} is not shown to be better than any of the {len(others)} other systems"
    text += f"; in plain accuracy it is behind {listed(above, NAMED)} by more than chance" if above else ""
    return f"{text}."


def _against(one: _Ranked, others: Sequence[_Ranked], pairs: Pairs) -> str:
    """The only system of the user's among all that it was compared with."""
    better, level, worse = (_with(verdict, one, others, pairs) for verdict in PairVerdict)
    parts = [
        f"better than {len(better)}" if better else "",
        f"worse than {listed(worse, NAMED)}" if worse else "",
        f"not told apart from {listed(level, NAMED)}" if level else "",
    ]
    return f"Of {counted(len(others), 'other system')} it is {'; '.join(part for part in parts if part)}."


def _with(verdict: PairVerdict, one: _Ranked, others: Sequence[_Ranked], pairs: Pairs) -> list[str]:
    """Names of the others of which a system is that."""
    found = [(other.name, pairs.between(one.row.id, other.row.id)) for other in others]
    return [name for name, pair in found if pair and pair.verdict is verdict]


def _apart(apart: Sequence[_Ranked]) -> str:
    if not apart:
        return ""
    names = listed([one.name for one in apart], NAMED)
    return f"No graded question is common to it and {names}: they are not compared."


def _references(references: Sequence[_Ranked], data: ReportData) -> str:
    """The best of each kind: what can be had without a document is what the best closed-book reader gets."""
    handed = _handed(data)
    kinds = {kind: f"{what}{handed}" if kind == "oracle" else what for kind, what in REFERENCES.items()}
    if handed is None:
        del kinds["oracle"]
    best = {kind: next((one for one in references if one.row.reference == kind), None) for kind in kinds}
    parts = [
        f"{one.name}, which {kinds[kind]}, reaches {percent(one.accuracy.value)}" for kind, one in best.items() if one
    ]
    return f"For the range: {'; '.join(parts)}." if parts else ""


def _handed(data: ReportData) -> str | None:
    """Of how many questions the oracle is handed the evidence, where not of all; None where it is of none."""
    items = [shown.item for shown in data.counted.items if shown.item.kind is not ItemKind.UNANSWERABLE]
    count = sum(bool(item.evidence) for item in items)
    if not count:
        return None
    return "" if count == len(items) else f" of {count} of {counted(len(items), 'question')}"


def _public(best: _Ranked, graded: Sequence[_Ranked], data: ReportData) -> str:
    """Of an exam that can mostly be answered without documents: what readers without them get, and the difference."""
    if 2 * data.scores.known <= len(data.counted.items):
        return ""
    blind = next((one for one in graded if one.row.reference == "closed-book"), None)
    if blind is None:
        return "An exam of public knowledge: what counts is how much more a system gets than a closed-book reader."
    more = points(best.accuracy.value - blind.accuracy.value)
    return (
        f"An exam of public knowledge: readers without documents get {percent(blind.accuracy.value)}; the figure "
        f"that counts is the difference, {more} points."
    )


def _failing(unranked: Sequence[SystemRow]) -> str:
    if not unranked:
        return ""
    told = [f"{row.name} ({row.failed} of {row.score.asked})" for row in unranked]
    return f"Not ranked, for failures on more than {percent(MOST_FAILED)} of the questions: {listed(told, NAMED)}."


def _unfinished(scores: Scores) -> list[str]:
    notes = (note for note in scores.notes if note.code is NoteCode.SITTING_UNFINISHED)
    return [note_sentence(note, names_of(scores), NAMED) for note in notes]


def _nothing_graded(data: ReportData) -> str:
    systems = counted(len(data.scores.examinees), "system")
    return (
        f"{systems} sat {counted(len(data.exam.items), 'question')}, and no response came back that could be graded."
    )
