"""Tunes the item reviewer's prompt on the verdicts of strict readers, with GEPA, and measures both on other items.

    python benchmarks/review/tune_review.py PROVIDER:MODEL [--base-url URL] [--out FOLDER]
    python benchmarks/review/tune_review.py replay:benchmarks/review/tune_review.ledger.sqlite#openai:claude-by-hand

The second command repeats the tuning of docs/tuning.md from its recording, without a model. The search begins with
the prompt of that time (judge_item.md here). FOLDER gets the texts that were found, and result.json.

An item is good where both readers say that it meets all six criteria, bad where both say that it fails one. Where
they differ it teaches nothing and is only shown; on the test part it counts towards the agreement with single
readers. The reviewer's own code decides from a reply: an item is printed as it is where every verdict passes and
none is marked disputable. That it can be guessed is no criterion of these readers. Documents are never split apart.
Every call is kept in the folder: an interrupted tuning goes on.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy
from reviewed_items import BASE, SEED, ReviewedItem, ReviewProgram, reviewed_items

from viva.core.errors import RoleFailed
from viva.core.records.judging import Judgement, LabelledCase, Quality, Unjudged
from viva.core.records.tuning import Agreement
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import opened_judge_pool
from viva.llm.gateway import Gateway
from viva.llm.loops import BackgroundLoop
from viva.optimizers.adoption import decide
from viva.optimizers.judge_agreement import agreement_of, people_agreement
from viva.optimizers.judge_program import Halt, SearchLM, clause_of
from viva.optimizers.objectives import Objective, objective_for
from viva.optimizers.tuning import NEVER, quiet, search_context
from viva.storage.lock import run_lock

MINIBATCH, LONGER = 18, 1.15
RATINGS = ("hidden", "natural", "worth")
REPLY_TOKENS = 8192
_BEGINNING = re.compile(r"\w+(?:, where it is asked for|, where there is `\w+`)?:")
_REFLECT = Path(__file__).with_name("reflection.md").read_text(encoding="utf-8").removesuffix("\n")


@dataclass(frozen=True)
class ReviewMetric:
    """Compares the reviewer's decisions with the readers' verdicts."""

    objective: Objective

    def judged(self, item: ReviewedItem, reply: object) -> Judgement | Unjudged:
        """Give 1 where the reviewer prints the item as it is, else 0, with its reasons."""
        if not isinstance(reply, dspy.Prediction) or "unjudged" in reply:
            return Unjudged(code="model_unreadable", reason="There was no readable reply.")
        try:
            verdicts = item.verdicts(reply)
        except RoleFailed as failed:
            return Unjudged(code=failed.code, reason=failed.reason)
        against = [f"{each.code}: {each.reason}" for each in verdicts if not each.passed]
        against += ["marked disputable"] if any(each.disputable for each in verdicts) else []
        return Judgement(score=float(not against), reason=" | ".join(against) or "printed as it is")

    def feedback(
        self,
        example: dspy.Example,
        prediction: object,
        trace: object = None,  # noqa: ARG002
        name: str | None = None,  # noqa: ARG002
        own_trace: object = None,  # noqa: ARG002
    ) -> dspy.Prediction:
        """Score an example by the weight of its label, 0 where the readers differ; with both sides' reasons."""
        item: ReviewedItem = example.item
        judged = self.judged(item, prediction)
        score = self.objective.of_case(item.labels[0], judged) if item.decided else 0.0
        if not item.decided:
            end = "The readers differ: it counts for nothing."
        elif isinstance(judged, Judgement) and judged.score == item.labels[0]:
            end = "They agree."
        else:
            end = "The review is too strict." if item.labels[0] else "The review is too lenient."
        return dspy.Prediction(score=score, feedback=f"{item.in_words()}\nThe review: {judged.reason}\n{end}")


class InstructionWriter:
    """Asks a model for new instructions, once more where they break a rule that can be checked."""

    def __init__(self, writer: SearchLM) -> None:
        self._writer = writer

    def __call__(
        self,
        candidate: Mapping[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: Sequence[str],
    ) -> dict[str, str]:
        """Give the new text of each component; the old one where none can be used."""
        return {name: self._worded(candidate[name], reflective_dataset[name]) for name in components_to_update}

    def _worded(self, now: str, seen: Sequence[Mapping[str, Any]]) -> str:
        base = BASE
        items = "\n\n".join(f"### Item {number}\n{_shown(each)}" for number, each in enumerate(seen, 1))
        asked = _REFLECT.format(now=now, items=items, most=int(LONGER * len(base)), length=len(now))
        for _ in range(2):
            reply = self._writer(asked)[0]
            found = re.findall(r"```\w*\n(.*?)\n```", reply, re.DOTALL)
            text = max(found, key=len).strip() if found else ""
            if not (faults := broken_rules(text, base)):
                return text
            asked = f"{asked}\n\nAn earlier text could not be used:\n```\n{text}\n```\nMend this: {' '.join(faults)}"
        return now


def _shown(seen: Mapping[str, Any]) -> str:
    inputs, outputs = seen["Inputs"], seen["Generated Outputs"]
    reply = outputs if isinstance(outputs, str) else "\n".join(f"{name}: {value}" for name, value in outputs.items())
    return f"{inputs['question']}\n{inputs['options']}\nThe reply:\n{reply}\n{seen['Feedback']}"


def broken_rules(text: str, base: str) -> list[str]:
    """List what keeps a text from taking the place of the base's."""
    faults = [] if len(text) <= LONGER * len(base) else [f"It has {len(text)} characters."]
    if text.partition(".")[0] != base.partition(".")[0]:
        faults.append("Its first sentence is another.")
    if "\n\n".join(text.split("\n\n")[-1:]) != clause_of(base):
        faults.append("Its last paragraph is another.")
    own = {found[0] for each in text.split("\n\n") if (found := _BEGINNING.match(each))}
    wanted = {found[0] for each in base.split("\n\n") if (found := _BEGINNING.match(each))}
    return faults + [f"No paragraph begins with “{each}”." for each in sorted(wanted - own)]


@dataclass(frozen=True)
class Tuning:
    """Searches for better instructions, and tests some."""

    parts: Mapping[str, Sequence[ReviewedItem]]
    metric: ReviewMetric
    judge: SearchLM
    writer: SearchLM

    def search(self) -> tuple[list[tuple[str, float]], int]:
        """Give the texts that GEPA found with their scores on validation, the base's first, and the best's place."""
        train, validation = self.parts["train"], [item for item in self.parts["validation"] if item.decided]
        # two proposals, or three where the first two are no better on their minibatch
        calls = len(validation) + 2 * MINIBATCH + max(2 * MINIBATCH, len(validation)) + 1
        with search_context(self.judge, REPLY_TOKENS, MINIBATCH + len(validation)):
            made = dspy.GEPA(
                metric=self.metric.feedback,
                max_metric_calls=calls,
                reflection_minibatch_size=MINIBATCH,
                reflection_lm=self.writer,
                instruction_proposer=InstructionWriter(self.writer),
                use_merge=False,
                track_stats=True,
                warn_on_score_mismatch=False,
                seed=SEED,
            ).compile(ReviewProgram(BASE), trainset=_examples(train), valset=_examples(validation))
        found = made.detailed_results
        texts = [each.judge.signature.instructions for each in found.candidates]
        values = [float(value) for value in found.val_aggregate_scores]
        return list(zip(texts, values, strict=True)), values.index(max(values))

    def replies(self, text: str, items: Sequence[ReviewedItem]) -> list[object]:
        """Give the replies on these items by this text."""
        with search_context(self.judge, REPLY_TOKENS, len(items)):
            found = dspy.Evaluate(
                devset=_examples(items), metric=self.metric.feedback, num_threads=len(items), max_errors=NEVER
            )(ReviewProgram(text))
        return [reply for _, reply, _ in found.results]


def _examples(items: Sequence[ReviewedItem]) -> list[dspy.Example]:
    return [dspy.Example(item=item).with_inputs("item") for item in items]


def report(
    items: Sequence[ReviewedItem], replies: Mapping[str, Sequence[object]], metric: ReviewMetric
) -> dict[str, Any]:
    """Compare the decisions by each prompt on the test part with the readers', and with each other."""
    judged = {name: [metric.judged(*each) for each in zip(items, own, strict=True)] for name, own in replies.items()}
    decided = [place for place, item in enumerate(items) if item.decided]
    cases = [items[place].case(items[place].labels[0]) for place in decided]
    single = [item.case(label) for item in items for label in item.labels]
    of_decided = {name: [own[place] for place in decided] for name, own in judged.items()}
    people = people_agreement([item.case(item.labels[0]) for item in items], in_classes=True, seed=SEED)
    found: dict[str, Any] = {
        "items": len(items),
        "decided": len(cases),
        "documents": len({each.group for each in cases}),
        "by decided items": {name: _figures(cases, own) for name, own in of_decided.items()},
        "by single readers": {
            name: _figures(single, [each for each in own for _ in range(2)]) for name, own in judged.items()
        },
        "readers with each other": _figures_of(people) if people else None,
    }
    if len(judged) > 1:
        decision = decide(metric.objective, cases, *of_decided.values(), seed=SEED)
        found["adoption"] = decision.model_dump(mode="json")
    return found


def _figures(cases: Sequence[LabelledCase], judged: Sequence[Judgement | Unjudged]) -> dict[str, Any]:
    return _figures_of(agreement_of(cases, judged, in_classes=True, seed=SEED))


def _figures_of(found: Agreement) -> dict[str, Any]:
    figures = {each.name: (each.estimate, each.low, each.high, each.undefined) for each in found.figures}
    return {"cases": found.cases, "unjudged": found.unjudged, "people by judge": found.counts, **figures}


def main() -> None:
    """Tune, measure, write texts and figures."""
    parser = argparse.ArgumentParser(description="Tunes the item reviewer's prompt on verdicts of readers.")
    parser.add_argument("model", metavar="PROVIDER:MODEL")
    parser.add_argument("--base-url")
    parser.add_argument("--out", type=Path, default=Path("viva-runs/tuned-review"))
    given = parser.parse_args()
    parts = reviewed_items()
    settings = Settings(
        model=(given.model,),
        base_url=given.base_url,
        concurrency=160,
        call_timeout_s=9000,
        max_reply_tokens=REPLY_TOKENS,
    )
    learned = [item.case(item.labels[0]) for item in parts["train"] if item.decided]
    objective = objective_for(Quality.ANSWERABILITY, learned)
    given.out.mkdir(parents=True, exist_ok=True)
    with run_lock(given.out), BackgroundLoop() as background:
        stack = AsyncExitStack()
        try:
            pool = background.run(stack.enter_async_context(opened_judge_pool(given.out, settings)))
            with quiet():
                found = _tuned(parts, ReviewMetric(objective), pool.models.gateway, background, given.out)
            found["requests"], found["tokens"] = pool.models.spent.requests, pool.models.spent.tokens
        finally:
            background.run(stack.aclose())
    shown = json.dumps(found, indent=1)
    (given.out / "result.json").write_text(f"{shown}\n", encoding="utf-8")
    print(shown)


def _tuned(
    parts: Mapping[str, Sequence[ReviewedItem]],
    metric: ReviewMetric,
    gateway: Gateway,
    background: BackgroundLoop,
    out: Path,
) -> dict[str, Any]:
    halt = Halt()
    judge, writer = (SearchLM(gateway, role, background.loop, halt) for role in ("judge.item", "tune.writer"))
    tuning = Tuning(parts, metric, judge, writer)
    with ThreadPoolExecutor(1) as thread:
        # the base reviews the test part while the search is on
        asked = thread.submit(tuning.replies, BASE, parts["test"])
        found, best = tuning.search()
        replies = {"base": asked.result()}
    for number, (text, _) in enumerate(found):
        (out / f"judge_item.{number}.md").write_text(f"{text}\n", encoding="utf-8")
    if best:
        replies["tuned"] = tuning.replies(found[best][0], parts["test"])
    sizes = {name: len(own) for name, own in parts.items()}
    searched = {"parts": sizes, "validation": [value for _, value in found], "best": best}
    known = [item for item in parts["validation"] if item.decided]
    # asked in the search already
    by_base = [
        *zip(known, tuning.replies(BASE, known), strict=True),
        *zip(parts["test"], replies["base"], strict=True),
    ]
    return searched | {"ratings of printed items": ranking(by_base, metric)} | report(parts["test"], replies, metric)


def ranking(reviews: Sequence[tuple[ReviewedItem, object]], metric: ReviewMetric) -> dict[str, Any]:
    """Give the AUC (ties half) of good against bad items among those printed, by the sum of ratings and by the least.

    None where all that are printed are good, or bad.
    """
    from sklearn.metrics import roc_auc_score

    printed = [
        (item.labels[0], [getattr(reply, name, 5) for name in RATINGS])
        for item, reply in reviews
        if item.decided and isinstance(judged := metric.judged(item, reply), Judgement) and judged.score
    ]
    labels = [label for label, _ in printed]
    counts = {"good": labels.count(1.0), "bad": labels.count(0.0)}
    ranks = {"sum": [sum(own) for _, own in printed], "least": [min(own) for _, own in printed]}
    both = all(counts.values())
    return counts | {
        name: round(float(roc_auc_score(labels, own)), 3) if both else None for name, own in ranks.items()
    }


if __name__ == "__main__":
    main()
