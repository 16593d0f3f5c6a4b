"""Which pairs of sentences count as one fact: python benchmarks/units_once.py CALIBRATION

CALIBRATION holds stsb/ and nli/. Pairs of STS-B (people's likeness, 0 to 5) stand in two documents; they say the same
from 4.5 on. Claims of FEVER-Symmetric that share their evidence stand in one stretch of text, and none of those that
it supports says the same as one that it refutes. Besides
graphs/authoring/same_units.py three plainer rules are measured.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from viva.agents.language_model.critics.grounds import negated, says_the_same
from viva.core.records import Chunk, Document, KnowledgeUnit, Span
from viva.graphs.authoring.same_units import same_facts
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.metrics.text.cosines import cosine

EMBEDDER = SentenceTransformerEmbedder("minilm", threads=1)
Rule = Callable[[KnowledgeUnit, KnowledgeUnit], bool]


def stated(statement: str, evidence: str, path: str) -> KnowledgeUnit:
    """A unit whose evidence is a document."""
    of = Document.of(evidence, path=path, title="", format="text")
    span = Span(document_id=of.id, start=0, end=len(evidence), quote=evidence)
    return KnowledgeUnit.of(Chunk.of(of, 0, len(evidence), 1), statement, span)


def one_fact(first: KnowledgeUnit, second: KnowledgeUnit) -> bool:
    """As a run tells it."""
    return bool(same_facts((first,), (second,), {}, EMBEDDER.embed))


def near(least: float) -> Rule:
    """By the cosine, with the same numbers and negation."""

    def rule(first: KnowledgeUnit, second: KnowledgeUnit) -> bool:
        one, other = first.statement, second.statement
        digits = [sorted(filter(str.isdigit, text)) for text in (one, other)]
        if digits[0] != digits[1] or negated(one) != negated(other):
            return False
        vectors = EMBEDDER.embed([one, other])
        return cosine(vectors[0], vectors[1]) >= least

    return rule


RULES: dict[str, Rule] = {
    "same_units": one_fact,
    "says_the_same": lambda first, second: says_the_same(first.statement, second.statement),
    "cosine .90": near(0.90),
    "cosine .95": near(0.95),
}


def pairs_of_stsb(file: Path) -> list[tuple[KnowledgeUnit, KnowledgeUnit, bool]]:
    """Pairs of two documents, and whether people say that they say the same."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    texts = [(row["sentence1"], row["sentence2"], row["score"] >= 4.5) for row in rows]
    return [(stated(a, a, "a"), stated(b, b, "b"), same) for a, b, same in texts]


def pairs_of_fever(file: Path) -> list[tuple[KnowledgeUnit, KnowledgeUnit, bool]]:
    """Of each stretch of evidence a claim that it supports and one that it refutes."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    claims: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        claims.setdefault(row["premise"], set()).add((row["hypothesis"], row["label"]))
    return [
        (stated(one, premise, "e"), stated(other, premise, "e"), False)
        for premise, found in sorted(claims.items())
        for (one, label), (other, second) in combinations(sorted(found), 2)
        if label != second
    ]


def told(
    name: str, pairs: Sequence[tuple[KnowledgeUnit, KnowledgeUnit, bool]], rules: Mapping[str, Rule] = RULES
) -> None:
    """Print how many of the pairs each rule takes for one fact."""
    total = Counter(same for *_, same in pairs)
    print(f"{name}: {total[True]} pairs that say the same, {total[False]} that do not")
    for rule, holds in rules.items():
        merged = Counter(same for first, second, same in pairs if holds(first, second))
        print(f"  {rule:14} one fact: {merged[True]:4} and wrongly {merged[False]:4}")
        if rule == "same_units":
            for first, second, same in pairs:
                if not same and holds(first, second):
                    print(f"      {first.statement} | {second.statement}")


def main() -> None:
    """Measure both sets and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calibration", type=Path)
    folder = parser.parse_args().calibration
    told("STS-B, dev", pairs_of_stsb(folder / "stsb" / "dev.jsonl"))
    told("STS-B, train", pairs_of_stsb(folder / "stsb" / "train.jsonl"), {"same_units": one_fact})
    told("FEVER-Symmetric, dev", pairs_of_fever(folder / "nli" / "fever_symmetric_dev.jsonl"))


if __name__ == "__main__":
    main()
