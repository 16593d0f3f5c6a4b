"""What earlier versions of viva had and this one has not, with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from viva.core.errors import UsageError

_EXAM_FORMATS = "use csv, a table with a row per question: --format csv (docs/exam-file.md)."

TRAINED_JUDGES = (
    "Judges with trained weights are gone, because rules judge unseen answers as well: use a judge of rules, such as "
    "correctness-offline, or tune a model's prompt (viva tune JUDGE --data FILE --model PROVIDER:MODEL)."
)
_DEFAULT_JUDGE = "The judge correctness-default (rules and trained weights) is gone: use correctness-offline."
_JURIES = (
    "Several judges of one run and repeats of their judgements are gone: score a copy of the run with each judge "
    "(viva score RUN --judge NAME) and compare the scores (docs/judges.md)."
)

_SIT = (
    "viva sit no longer chooses questions; for a part of the exam, drawn at random: viva sit RUN -e SPEC --sample N."
)
_FILES = "articles are read from files: have your system write them into a folder and name it with --articles."
_BY_A_MODEL = "articles are read by a language model alone: name it with --model PROVIDER:MODEL."
_VERIFIED = "answers are verified by the bank's keys, or texts are rated: --verify key, or --verify rating."
_LESS = "viva exam-articles computes EXAM, n-EXAM and EXAM-Cover alone: leave the option out."
_ARTICLES = {
    "--documents": _FILES,
    "--examinee": _FILES,
    "-e": _FILES,
    "--timeout": _FILES,
    "--judge": _VERIFIED,
    "--verify judge": _VERIFIED,
    "--reader": _BY_A_MODEL,
    "--tokens": "limit what is read with --paragraphs.",
    "--normalise": "n-EXAM counts what gold articles answer (--gold), or else what any graded text answers.",
    "--abilities": _LESS,
    "--no-abilities": _LESS,
    "--instructions": _LESS,
    "--k": _LESS,
    "--seed": _LESS,
}
_AGREE = (
    "viva agree compares by rank correlations with intervals, without random orders of ties: leave the option out."
)

GONE: Mapping[str, str] = MappingProxyType(
    {
        "--format aiken": f"Exams in the format Aiken are no longer read or written; {_EXAM_FORMATS}",
        "--format gift": f"Exams in Moodle's format GIFT are no longer read or written; {_EXAM_FORMATS}",
        "review in the terminal": "Questions are no longer reviewed in the terminal: review them in the browser "
        "(viva view RUN) or in a file (viva exam review RUN --export FILE.csv, then --import FILE.csv).",
        "exam review --finish": "viva exam review has no --finish any more: without it, the command writes the exam "
        "as the decisions leave it, and keeps undecided questions.",
        "label in the terminal": "Answers are no longer labelled in the terminal: label them in the browser "
        "(viva view RUN) or in a file (viva label RUN --export FILE.csv, then --import FILE.csv).",
        "sit --adaptive": _SIT,
        "sit --budget": _SIT,
        "sit --se-target": _SIT,
        "--method guinet2024": "The method 'guinet2024' is gone: see benchmarks/irt/guinet2024.py.",
        "--method mml-persons": "The method 'mml-persons' is gone: map serves up to 5,000 examinees.",
        "--model fake:": "the fake model is no part of viva any more; name a recording (replay:LEDGER) or a model "
        "(ollama:NAME, hf:NAME, openai:NAME); viva models lists those that can be used now.",
        "plan --sample": "viva plan asks no model and samples no chunks any more: leave --sample out.",
        "refine --dry-run": "viva refine has no --dry-run any more: the old exam is kept, and viva write RUN goes "
        "back to it.",
        "refine --method": "viva refine has one method, which drops what the scores speak against (docs/irt.md), and "
        "no --method any more: leave it out.",
        "refine --quantile": "viva refine drops at most a tenth of the exam in a round and has no --quantile any "
        "more: leave it out.",
        "probe": "viva probe is no command any more: run python benchmarks/judges/probe.py in a clone of viva.",
        "tune local": TRAINED_JUDGES,
        "tune --start": TRAINED_JUDGES,
        "judge answerability-local": TRAINED_JUDGES,
        "judge correctness-default": _DEFAULT_JUDGE,
        "judge correctness-local": TRAINED_JUDGES,
        "judge faithfulness-local": TRAINED_JUDGES,
        **{f"exam-articles {name}": f"{name} is gone: {sentence}" for name, sentence in _ARTICLES.items()},
        "agree --breaks": f"--breaks is gone: {_AGREE}",
        "agree --seed": f"--seed is gone: {_AGREE}",
        "reading articles by rules": f"Reading articles without a language model is gone: {_BY_A_MODEL}",
        "oral examination by rules": "There is no oral examination without a language model any more: name one with "
        "--model PROVIDER:MODEL, or a recording with --model replay:FILE#PROVIDER:MODEL.",
        "judge jury": _JURIES,
        "--judge-repeats": _JURIES,
    }
)
"""By what a user may still name (a command, an option, a value, a setting): a sentence that names its replacement."""


def replacement(name: str) -> str | None:
    """The sentence on a name that is gone; None if viva never had it or has it still."""
    return GONE.get(name)


def check_command_line(arguments: Sequence[str]) -> None:
    """UsageError if the command line names a command, or an option of one, that is gone."""
    named = [argument.partition("=")[0] for argument in arguments]
    for name, sentence in GONE.items():
        words = name.split()
        command = [word for word in words if not word.startswith("-")]
        options = words[len(command) :]
        if set(options) <= set(named) and command == named[: len(command)]:
            raise UsageError(sentence)
    if named.count("--judge") > 1:
        raise UsageError(GONE["judge jury"])
