"""Cases that people judged, from the calibration sets, and parts of them that keep groups whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from viva.core.ids import content_hash
from viva.core.records.judging import Case, LabelledCase
from viva.core.text.overlap import token_f1

Cases = list[LabelledCase]


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    with (folder / name).open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def labelled(label: float, group: str, **texts: Any) -> LabelledCase:
    """A case of these texts."""
    return LabelledCase(case=Case(**texts), label=label, group=group)


def last_groups(cases: Sequence[LabelledCase], share: float) -> Cases:
    """The last groups, put in order by their hash: such a share of all. A repeated case counts once."""
    once = list({case.case.id: case for case in cases}.values())
    groups = sorted({case.group for case in once}, key=lambda group: content_hash("split", group))
    held = frozenset(groups[round((1 - share) * len(groups)) :])
    return [case for case in once if case.group in held]


def thinned(cases: Sequence[LabelledCase], most: int) -> Cases:
    """So many of the cases, drawn by their content."""
    return sorted(cases, key=lambda case: content_hash("thinned", case.case.id))[:most]


def stsb(folder: Path, name: str) -> Cases:
    """Pairs of sentences as reference and answer; their similarity, 0 to 5, as 0 to 1."""
    return [
        labelled(row["score"] / 5, row["sentence1"], reference=row["sentence1"], answer=row["sentence2"])
        for row in rows(folder, f"stsb/{name}.jsonl")
    ]


def evouna(folder: Path) -> Cases:
    """Answers of five systems to trivia questions; rows that the paper excludes are left out."""
    return [
        labelled(
            float(row["human_correct"]),
            row["question"],
            question=row["question"],
            reference=row["gold"],
            answer=row["answer"],
        )
        for row in rows(folder, "evouna/tq.jsonl")
        if not row["improper"] and isinstance(row["human_correct"], bool)
    ]


def saf(folder: Path) -> Cases:
    """Answers of students with a teacher's score."""
    return [
        labelled(
            row["score"], row["question"], question=row["question"], reference=row["reference"], answer=row["answer"]
        )
        for row in rows(folder, "saf_asag/training.jsonl")
    ]


def squad2(folder: Path) -> Cases:
    """Questions about a paragraph, answerable or not, by article."""
    return [
        labelled(float(row["answerable"]), row["title"], question=row["question"], passages=(row["context"],))
        for row in rows(folder, "squad2/dev_4articles.jsonl")
    ]


def squad2_train(folder: Path) -> Cases:
    """The sample of other articles (SQuAD 2.0 train), by paragraph."""
    return [
        labelled(float(row["answerability"]), row["context"], question=row["question"], passages=(row["context"],))
        for row in rows(folder, "squad2/ragalyst_train.jsonl")
    ]


def begin(folder: Path) -> Cases:
    """Replies in a dialogue, fully attributable to the knowledge given or not (generic ones are not)."""
    return [
        labelled(
            float(row["begin_label"] == "Fully attributable"),
            row["knowledge"],
            question=row["message"],
            answer=row["response"],
            passages=(row["knowledge"],),
        )
        for name in ("wow", "cmu", "tc")
        for row in rows(folder, f"begin/begin_dev_{name}.jsonl")
    ]


def nli(folder: Path) -> Cases:
    """Premises and hypotheses: entailed or not."""
    return [
        labelled(
            float(row["label"] in {"entailment", "SUPPORTS"}),
            row["premise"],
            answer=row["hypothesis"],
            passages=(row["premise"],),
        )
        for name in ("snli", "mnli", "rte", "fever_symmetric")
        for row in rows(folder, f"nli/{name}_dev.jsonl")
    ]


def answered_by_two(folder: Path) -> Cases:
    """One person's answer to a question on a tale beside another's: right; and beside one to another question: wrong.

    The tale is the group. Nobody labelled these: two people may differ, and a wrong one may be right by chance.
    """
    asked = [row for row in rows(folder, "fairytaleqa/val_questions.jsonl") if _both(row["answers"])]
    found = []
    for row in asked:
        (first, second), tale = row["answers"][:2], row["doc_id"]
        strange = [
            each["answers"][1]
            for each in asked
            if each["doc_id"] == tale and each["question"] != row["question"] and each["answers"][1] != first
        ]
        drawn = min(strange, key=lambda text: content_hash("exchanged", row["id"], text))
        found += [
            labelled(label, tale, question=row["question"], reference=first, answer=answer)
            for answer, label in ((second, 1.0), (drawn, 0.0))
        ]
    return found


def _both(answers: Sequence[str]) -> bool:
    return len(answers) > 1 and all(answer.strip() for answer in answers[:2])


def answers_beside_sections(folder: Path) -> Cases:
    """Sections of tales with an expert's answer about it (faithful), and with one about another section (not).

    The tale is the group. The labels are not people's: an answer may be implied, a strange one be there by chance.
    """
    asked = list(_asked_of_sections(folder))
    found = []
    for row, section in asked:
        strange = [
            other["answers"][0]
            for other, text in asked
            if other["doc_id"] == row["doc_id"] and text != section and other["answers"][0] != row["answers"][0]
        ]
        if strange:
            drawn = min(strange, key=lambda text: content_hash("exchanged", row["id"], text))
            found += [
                labelled(label, row["doc_id"], question=row["question"], answer=answer, passages=(section,))
                for answer, label in ((row["answers"][0], 1.0), (drawn, 0.0))
            ]
    return found


def _asked_of_sections(folder: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """Questions on one section of a tale, with that section."""
    sections = {row["doc_id"]: row["sections"] for row in rows(folder, "fairytaleqa/val_docs.jsonl")}
    for row in rows(folder, "fairytaleqa/val_questions.jsonl"):
        own = sections[row["doc_id"]]
        if row["sections"].strip().isdigit() and 0 < (place := int(row["sections"])) <= len(own):
            yield row, own[place - 1]


def exchanged_answers(cases: Cases, share: float) -> Cases:
    """So many of the cases, each with the answer to another question, which is taken as wrong."""
    found = []
    for case in thinned(cases, round(share * len(cases))):
        strange = [each for each in cases if each.group != case.group]
        drawn = min(strange, key=lambda each: _lot(case, each))
        wrong = case.case.model_copy(update={"answer": drawn.case.answer})
        found.append(LabelledCase(case=wrong, label=0.0, group=case.group))
    return found


def exchanged_passages(cases: Cases, *, near: bool = False) -> Cases:
    """Each answerable question beside its own passages and beside those of another question of its group.

    `near`: of the question that shares most words with it, else of any.
    """
    asked = [case for case in cases if case.label == 1]
    found = []
    for case in asked:
        strange = [each for each in asked if each.group == case.group and each.case.passages != case.case.passages]
        if strange:
            drawn = min(
                strange, key=lambda each: (-near * token_f1(case.case.question, each.case.question), _lot(case, each))
            )
            wrong = case.case.model_copy(update={"passages": drawn.case.passages})
            found += [case, LabelledCase(case=wrong, label=0, group=case.group)]
    return found


def _lot(case: LabelledCase, other: LabelledCase) -> str:
    return content_hash("exchanged", case.case.id, other.case.id)


def tales(folder: Path) -> Cases:
    """Questions on one section of a tale, beside it; by tale."""
    return [
        labelled(1, row["doc_id"], question=row["question"], passages=(section,))
        for row, section in _asked_of_sections(folder)
    ]


def pubmedqa(folder: Path) -> Cases:
    """Questions of studies beside their abstracts: all in one group, for there are no articles."""
    return [
        labelled(1, "pubmedqa", question=row["question"], passages=tuple(row["contexts"]))
        for row in rows(folder, "pubmedqa/train_dev.jsonl")
    ]


def cosmosqa(folder: Path) -> Cases:
    """Questions on everyday stories; not answerable where none of three answers offered is right."""
    return [
        labelled(
            float(not row["options"][row["answer"]].lower().startswith("none of the above")),
            row["context"],
            question=row["question"],
            passages=(row["context"],),
        )
        for row in rows(folder, "cosmosqa/valid_1500.jsonl")
    ]
