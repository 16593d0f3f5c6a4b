"""Notes on figures, in words: the one place where a code and its values become a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from viva.core.notes import FIRST_OCCASION, WORDED, Note, NoteCode
from viva.core.scores import Scores
from viva.core.wording import counted, listed, number

_WORDS = {
    NoteCode.EARLIER: "{sentence}",
    NoteCode.PERFECT_SCORE: "{who} {have} a perfect score{first}: above what this exam measures.",
    NoteCode.NO_RIGHT_ANSWER: "{who} {have} no right answer{first}: below what this exam measures.",
    NoteCode.NO_GRADED_RESPONSE: "{who} {have} no graded response, and no ability.",
    NoteCode.ITEMS_ALL_RIGHT: "Every system is right on {count} of {of} questions{first}: they tell none apart.",
    NoteCode.ITEMS_NONE_RIGHT: "No system is right on {count} of {of} questions{first}: they tell none apart.",
    NoteCode.ITEMS_UNGRADED: (
        "{count} of {of} items with no graded response: their parameters are those of the prior."
    ),
    NoteCode.ONE_LEVEL: "Component '{names[0]}' has one level ('{names[1]}') and is part of the intercept.",
    NoteCode.NO_SPREAD: "Component '{names[0]}' does not vary and is part of the intercept.",
    NoteCode.ALIASED: "Component '{names[0]}' is aliased: the other components tell its levels apart; left out.",
    NoteCode.PARTLY_CONFOUNDED: (
        "Component '{names[0]}' is confounded in part with the other components: some of its effects cannot be told "
        "from theirs and have large standard errors."
    ),
    NoteCode.INTERACTION_LEFT_OUT: (
        "The interaction of '{names[0]}' and '{names[1]}' is left out, as one of them is."
    ),
    NoteCode.NOT_CONVERGED: (
        "The estimation of abilities did not converge: take the abilities and their standard errors as rough, the "
        "accuracies as firm."
    ),
    NoteCode.CALIBRATED_ON_ALL: (
        "Without references and copies fewer than two examinees are left: items are fitted to all {of}."
    ),
    NoteCode.SATURATED: (
        "There are as many component levels as systems, so effects of components cannot be separated from the "
        "systems themselves."
    ),
    NoteCode.FEW_ITEMS: "{count} items: the prior weighs heavily in abilities and standard errors.",
    NoteCode.DISCONNECTED: ("There are {count} groups of systems with too few questions in common to be compared."),
    NoteCode.LEVELS_APART: (
        "No effects or differences of levels are estimated for {listed}: groups of examinees that share too few "
        "items have different levels, so that a level cannot be told from its items."
    ),
    NoteCode.LEVELS_NOT_JUDGED: "Too few examinees to judge: {listed}.",
    NoteCode.COPIES: (
        "{systems} {answer} almost exactly like another; each such pair counts once in item statistics."
    ),
    NoteCode.FAULTS_DRAWN: "Faults and leaks are judged on {count} of {of} examinees, chosen at random.",
    NoteCode.OPEN_NOT_JUDGED: "Open questions: {count}; guessing and leaks are not judged there.",
    NoteCode.SECOND_DIMENSION: ("Systems have different strengths: {specialists}. Compare by accuracy and topic."),
    NoteCode.NO_ABILITIES: "No abilities were estimated: {reason}.",
    NoteCode.MANUFACTURED: (
        "{count} of these {of} examinees were manufactured: viva set them beside the {rest} asked for, so that "
        "questions could be measured. They are marked and not ranked, and abilities are relative to this company."
    ),
    NoteCode.FAILED_WRONG: (
        "{who} failed on {count} of {of} questions. Failures count as wrong answers: its accuracy is "
        "{figures[accuracy]:.0%}. Of those it answered, {figures[answered]:.0%} are right."
    ),
    NoteCode.FAILED_UNRANKED: (
        "{who} failed on {count} of {of} questions, more than a fifth, and is not ranked. With failures as wrong "
        "answers its accuracy is {figures[accuracy]:.0%}; it has no ability."
    ),
    NoteCode.FAILURES_LEFT_OUT: (
        "An earlier version of viva made these scores: it left failures out, which now count as wrong answers. "
        "Score the run again: viva score RUN."
    ),
    NoteCode.CHOICES_UNREAD: (
        "{who}: no option could be read in {count} of {of} answers, which count as wrong{most_often}.{examples}"
    ),
    NoteCode.HISTORY_NOT_GIVEN: (
        "{count} of {of} questions {follow} on a conversation that {who} {was} not given: the bare question was "
        "asked."
    ),
    NoteCode.STRAY: (
        "{who} misses easy questions and gets hard ones right more than the model expects (person fit {person_fit}). "
        "Its ability says little; its accuracy stands."
    ),
    NoteCode.SET_ASIDE: (
        "{questions} of the plain tier set aside before scoring: {reason}. The exam's file keeps what was set aside, "
        "the report marks it, no figure counts it."
    ),
    NoteCode.OPEN_CUT: "An open answer counts as right where its score is .5 or more; its mean score is shown too.",
    NoteCode.OPEN_UNGRADED: (
        "{count} of {of} open answers were not graded ({reason}); they are left out, not counted as wrong."
    ),
    NoteCode.OPEN_NOT_ASKED: (
        "{who}: not asked the {count} open questions, so its accuracy is of other questions than the others'. Let it "
        "sit them: viva sit."
    ),
    NoteCode.NO_OPEN_ANSWERS: (
        "There are no open answers to grade for {listed}. Ask some questions openly (viva write RUN --open 0.3) and "
        "let systems answer them (viva sit RUN)."
    ),
    NoteCode.JUDGE_UNMAPPED: (
        "The judge's scores are taken as they stand: too little is labelled to map them to people's ({reason}; a map "
        "takes labels of {count} questions)."
    ),
    NoteCode.SITTING_UNFINISHED: (
        "{who} {was} asked {count} of {of} questions: the sitting is not finished, and the accuracy is of these "
        "alone (viva sit RUN goes on)."
    ),
    NoteCode.SAMPLED: (
        "{who} was asked {count} of {of} questions and is not on the leaderboard. Its accuracy on all of them is "
        "estimated at {figures[accuracy]:.0%} (95% interval {figures[low]:.0%} to {figures[high]:.0%})."
    ),
    NoteCode.SAMPLED_UNFINISHED: (
        "{who} was asked a part of the questions and is not on the leaderboard: draw a sample of this exam with "
        "viva sit --sample, or ask it the rest with viva sit."
    ),
    NoteCode.SAMPLED_UNGRADED: (
        "{who} was asked {count} of {of} questions and is not on the leaderboard. None of its responses could be "
        "graded{failures}: nothing was measured."
    ),
    NoteCode.UNITS_DEPEND: (
        "Units of one cluster depend on each other more than the model knows: the interval is too narrow."
    ),
    NoteCode.UNITS_OF_FEW: "Units are placed by those who were asked about them, who may be few.",
    NoteCode.WITHOUT_TOPIC: (
        "{questions} of {names[0]} without a topic: not asked, for it is not known of which articles."
    ),
    NoteCode.GRADING_GUESSED: (
        "{names[0]} does not say how it was graded. A question counts as answered if any passage of an article has "
        "the grade {count} or more."
    ),
    NoteCode.MEASURED_BY_ITSELF: (
        "There is no n-EXAM: only the one system's own paragraphs say what can be answered. Judge "
        "more systems, or give gold articles (--gold)."
    ),
}


def note_sentence(note: Note, names: Mapping[str, str] | None = None, limit: int | None = None) -> str:
    """The note in words. `names` of examinees by id; of more than `limit` of them the rest is counted."""

    def called(ids: Sequence[str]) -> str:
        return listed([(names or {}).get(each, each) for each in ids], limit or len(ids))

    several, count, of = len(note.examinees) > 1, note.count or 0, note.of or 0
    failures = ", ".join(f"{times:g} {kind}" for kind, times in note.figures.items())
    return _WORDS[note.code].format(
        who=called(note.examinees),
        have="have" if several else "has",
        was="were" if several else "was",
        follow="follow" if count > 1 else "follows",
        first=f" on the {note.reason}, which abilities are of" if note.reason == FIRST_OCCASION else "",
        others=called(note.others),
        theirs=f" Its own include {called(note.others)}." if note.others else "",
        specialists=_specialists(note, called),
        systems=counted(count, "system"),
        answer="answers" if count == 1 else "answer",
        person_fit=number(note.figures.get("person_fit", 0.0), 1),
        names=note.names,
        listed=", ".join(note.names),
        count=count,
        of=of,
        rest=of - count,
        questions=counted(count, "question"),
        queries=counted(of, "query", "queries"),
        figures=note.figures,
        failures=f" ({failures})" if failures else "",
        reason=note.reason.rstrip("."),
        most_often=f" (most often: {note.reason})" if note.reason else "",
        examples=f" For example: {'; '.join(f'“{each}”' for each in note.examples)}." if note.examples else "",
        sentence=note.sentence,
    )


OF_ALL_ALIKE = (
    NoteCode.PERFECT_SCORE,
    NoteCode.NO_RIGHT_ANSWER,
    NoteCode.ITEMS_ALL_RIGHT,
    NoteCode.ITEMS_NONE_RIGHT,
    NoteCode.SATURATED,
)
_SIDES = 2
"""Of a second dimension."""


def _specialists(note: Note, called: Callable[[Sequence[str]], str]) -> str:
    who, others, questions = called(note.examinees), called(note.others), note.names
    if len(questions) != _SIDES:
        # of an earlier version, that named no questions
        return f"{who} on the one side, {others} on the other"
    better = "is" if len(note.examinees) == 1 else "are"
    return f"{who} {better} better on questions like {questions[0]}; {others} on questions like {questions[1]}"


def names_of(scores: Scores) -> dict[str, str]:
    """Of all examinees, by id."""
    systems, others = (row.examinee for row in scores.examinees), (row.examinee for row in scores.retrievers)
    return {each.id: each.name for each in (*systems, *others, *(row.examinee for row in scores.sampled))}


def nothing_separates(scores: Scores) -> str:
    """What there is to say where no question tells two systems apart, without a full stop; '' elsewhere."""
    shares = [row.accuracy.value for row in scores.examinees if row.accuracy]
    if any(note.code is NoteCode.SITTING_UNFINISHED for note in scores.notes):
        # one of them has still to be asked a question that may tell them apart
        return ""
    if len(shares) < 2 or min(shares) < max(shares):
        return ""
    if shares[0] == 1:
        return "Every system is right on all questions: they tell none apart"
    if shares[0] == 0:
        return "No system is right on any question"
    failed = any(row.failures for row in scores.examinees)
    changed = any(row.stability and row.stability.changed.value for row in scores.examinees)
    if failed or changed:
        # a question's share of right answers is of first answers, and leaves out failures, which count as wrong
        return ""
    alike = all(item.proportion_correct in (0, 1, None) for item in scores.items)
    return "All systems are right on the same questions: no question tells them apart" if alike else ""


def scores_notes(scores: Scores) -> tuple[str, ...]:
    """What the reader of the scores must know, in words; not again that no question tells two systems apart."""
    names, spared = names_of(scores), OF_ALL_ALIKE if nothing_separates(scores) else ()
    return tuple(note_sentence(note, names) for note in scores.notes if note.code not in spared)


def worded(names: Mapping[str, str] | None = None) -> dict[str, Callable[[Note], str]]:
    """The context of a dump, of a record for its readers, in which each note has its sentence."""
    return {WORDED: lambda note: note_sentence(note, names)}
