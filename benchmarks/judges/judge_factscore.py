"""FActScore as cases of faithfulness: systems' biographies, which people split into facts, true or not.

The pages that people looked into are not in the files: passages are made of what people found true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from judge_data import Cases, labelled, rows

Biography = list[tuple[str, list[tuple[str, str]]]]
"""Sentences of a system on a person, each with the facts that people found in it and their verdict on each."""


def factscore(folder: Path) -> Cases:
    """Atomic facts of one system's biography against the facts that people found true in another's, by person.

    A fact that they found true may be missing in the other biography, so that even a perfect judge falls short of 1.
    """
    found = []
    for person, own in biographies_of(folder).items():
        facts = {name: [fact for _, each in biography for fact in each] for name, biography in own.items()}
        for name in facts:
            known = " ".join(fact for other in facts.keys() - {name} for fact, label in facts[other] if label == "S")
            found += [
                labelled(float(label == "S"), person, answer=fact, passages=(known,))
                for fact, label in facts[name]
                if known and label in {"S", "NS"}
            ]
    return found


def biographies_of(folder: Path) -> dict[str, dict[str, Biography]]:
    """By person and system, where it wrote one."""
    found: dict[str, dict[str, Biography]] = {}
    for name in ("ChatGPT", "InstructGPT"):
        for row in rows(folder, f"factscore/{name}.jsonl"):
            if row["sentences"]:
                biography = [(s["text"], [tuple(each) for each in s["human_facts"] or ()]) for s in row["sentences"]]
                found.setdefault(row["topic"], {})[name] = biography
    return found


def facts_in_sentences(folder: Path) -> Cases:
    """Facts with the sentences, of all systems, in which people found every fact true, by person.

    True facts are of these sentences, so that they are there in other words; facts that are not true are not there.
    """
    found = []
    for person, own in biographies_of(folder).items():
        sentences = [(text, facts) for biography in own.values() for text, facts in biography if facts]
        sure = [(text, facts) for text, facts in sentences if all(label == "S" for _, label in facts)]
        known = " ".join(text for text, _ in sure)
        right = dict.fromkeys(fact for _, facts in sure for fact, _ in facts)
        wrong = dict.fromkeys(fact for _, facts in sentences for fact, label in facts if label == "NS")
        for facts, label in ((right, 1.0), (wrong, 0.0)):
            found += [labelled(label, person, answer=fact, passages=(known,)) for fact in facts if known]
    return found


def sentences_beside_facts(folder: Path) -> Cases:
    """Sentences with all facts that people found true of the person: the share of a sentence's facts that are."""
    return [
        labelled(share, person, answer=text, passages=known)
        for person, biography, known in _beside_facts(folder)
        for text, facts in biography
        if (share := _share_true(facts)) is not None
    ]


def biographies_beside_facts(folder: Path) -> Cases:
    """Whole biographies with the same facts."""
    return [
        labelled(share, person, answer=" ".join(text for text, _ in biography), passages=known)
        for person, biography, known in _beside_facts(folder)
        if (share := _share_true([fact for _, facts in biography for fact in facts])) is not None
    ]


def _beside_facts(folder: Path) -> Iterator[tuple[str, Biography, tuple[str, ...]]]:
    for person, own in biographies_of(folder).items():
        true = [
            [fact for _, facts in biography for fact, label in facts if label == "S"] for biography in own.values()
        ]
        known = tuple(" ".join(dict.fromkeys(facts)) for facts in true if facts)
        yield from ((person, biography, known) for biography in own.values() if known)


def _share_true(facts: Sequence[tuple[str, str]]) -> float | None:
    """Of the facts that people judged."""
    judged = [label == "S" for _, label in facts if label in {"S", "NS"}]
    return sum(judged) / len(judged) if judged else None
