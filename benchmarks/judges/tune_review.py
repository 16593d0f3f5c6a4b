"""Tunes the item reviewer's prompt on the verdicts of strict readers, with GEPA, and measures both on other items.

    python benchmarks/judges/tune_review.py PROVIDER:MODEL [--base-url URL] [--out FOLDER]
    python benchmarks/judges/tune_review.py replay:benchmarks/judges/tune_review.ledger.sqlite#openai:claude-by-hand

The second command repeats the tuning that docs/tuning.md tells of, from its recording, without a model. The search
begins with judge_item.untuned.md, the prompt before it.

An item is good where both readers say that it meets all six criteria, bad where both say that it fails one. Where
they differ it teaches nothing and is only shown; on the test part it counts towards the agreement with single
readers. The reviewer's own code decides from a reply: an item is printed as it is where every verdict passes and
none is marked disputable. That it can be guessed is no criterion of these readers. Documents are never split apart.
Every call is kept in the folder: an interrupted tuning goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TQDM_DISABLE", "1")

import dspy
from reviewed_items import SEED, ReviewedItem, ReviewProgram, reviewed_items, split

from viva.core.errors import RoleFailed
from viva.core.records.judging import Judgement, LabelledCase, Quality, Unjudged
from viva.core.records.tuning import Agreement
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import opened_judge_pool
from viva.llm.formats.ladder import LadderAdapter
from viva.llm.gateway import Gateway
from viva.llm.loops import BackgroundLoop
from viva.metrics.judges.confusion import balanced_accuracy_of
from viva.metrics.judges.paired import compare_judges
from viva.optimizers.adoption import decide
from viva.optimizers.judge_agreement import agreement_of, people_agreement
from viva.optimizers.judge_program import Halt, SearchLM, clause_of
from viva.optimizers.objectives import Objective, objective_for, scores
from viva.optimizers.tuning import NEVER
from viva.storage.lock import run_lock

UNTUNED = Path(__file__).with_name("judge_item.untuned.md").read_text(encoding="utf-8").strip()
MINIBATCH, LONGER = 18, 1.15
REPLY_TOKENS = 8192
_BEGINNING = re.compile(r"\w+(?:, where it is asked for|, where there is `\w+`)?:")
_REFLECT = Path(__file__).with_name("reflection.md").read_text(encoding="utf-8").removesuffix("\n")


@dataclass(frozen=True)
class ReviewMetric:
    """What a reply comes to."""

    objective: Objective

    def said(self, item: ReviewedItem, reply: object) -> Judgement | Unjudged:
        """1 where the reviewer prints the item as it is, else 0, with its reasons."""
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
        """Score an example by the weight of its label, 0 where the readers differ; with what was said of it."""
        item: ReviewedItem = example.item
        said = self.said(item, prediction)
        score = self.objective.of_case(item.labels[0], said) if item.decided else 0.0
        if not item.decided:
            end = "The readers differ: it counts for nothing."
        elif isinstance(said, Judgement) and said.score == item.labels[0]:
            end = "They agree."
        else:
            end = "The review is too strict." if item.labels[0] else "The review is too lenient."
        return dspy.Prediction(score=score, feedback=f"{item.told()}\nThe review: {said.reason}\n{end}")


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
        """The new text of each component; the old one where none can be used."""
        return {name: self._worded(candidate[name], reflective_dataset[name]) for name in components_to_update}

    def _worded(self, now: str, seen: Sequence[Mapping[str, Any]]) -> str:
        base = UNTUNED
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
    """One tuning at work."""

    parts: Mapping[str, Sequence[ReviewedItem]]
    metric: ReviewMetric
    judge: SearchLM
    writer: SearchLM

    def search(self) -> tuple[list[tuple[str, float]], int]:
        """Give the texts that GEPA found with their scores on validation, the base's first, and the best's place."""
        train, validation = self.parts["train"], [item for item in self.parts["validation"] if item.decided]
        # two proposals, or three where the first two are no better on their minibatch
        calls = len(validation) + 2 * MINIBATCH + max(2 * MINIBATCH, len(validation)) + 1
        with self._context():
            made = dspy.GEPA(
                metric=self.metric.feedback,
                max_metric_calls=calls,
                reflection_minibatch_size=MINIBATCH,
                reflection_lm=self.writer,
                instruction_proposer=InstructionWriter(self.writer),
                use_merge=False,
                num_threads=MINIBATCH + len(validation),
                track_stats=True,
                warn_on_score_mismatch=False,
                seed=SEED,
            ).compile(ReviewProgram(UNTUNED), trainset=_examples(train), valset=_examples(validation))
        found = made.detailed_results
        texts = [each.judge.signature.instructions for each in found.candidates]
        values = [float(value) for value in found.val_aggregate_scores]
        return list(zip(texts, values, strict=True)), max(
            range(len(values)), key=lambda place: (values[place], -place)
        )

    def test(self, text: str) -> list[object]:
        """Give the replies on the items of the test part by this text."""
        items = self.parts["test"]
        with self._context():
            found = dspy.Evaluate(
                devset=_examples(items), metric=self.metric.feedback, num_threads=len(items), max_errors=NEVER
            )(ReviewProgram(text))
        return [reply for _, reply, _ in found.results]

    def _context(self) -> Any:
        kept_out = {"disable_history": True, "track_usage": False, "usage_tracker": None}
        adapter = LadderAdapter(REPLY_TOKENS)
        return dspy.context(lm=self.judge, adapter=adapter, max_errors=NEVER, warn_on_type_mismatch=False, **kept_out)


def _examples(items: Sequence[ReviewedItem]) -> list[dspy.Example]:
    return [dspy.Example(item=item).with_inputs("item") for item in items]


def report(
    items: Sequence[ReviewedItem], replies: Mapping[str, Sequence[object]], metric: ReviewMetric
) -> dict[str, Any]:
    """Compare what the prompts made of the test part with the readers, and with each other."""
    said = {name: [metric.said(*each) for each in zip(items, own, strict=True)] for name, own in replies.items()}
    decided = [place for place, item in enumerate(items) if item.decided]
    cases = [items[place].case(items[place].labels[0]) for place in decided]
    single = [item.case(label) for item in items for label in item.labels]
    of_decided = {name: [own[place] for place in decided] for name, own in said.items()}
    told: dict[str, Any] = {
        "items": len(items),
        "decided": len(cases),
        "documents": len({each.group for each in cases}),
    }
    told["by decided items"] = {name: _figures(cases, own) for name, own in of_decided.items()}
    told["by single readers"] = {
        name: _figures(single, [one for one in own for _ in "ab"]) for name, own in said.items()
    }
    people = people_agreement([item.case(item.labels[0]) for item in items], in_classes=True, seed=SEED)
    told["readers with each other"] = _shown_figures(people) if people else None
    if len(said) > 1:
        base, tuned = of_decided.values()
        told["adoption"] = decide(metric.objective, cases, base, tuned, seed=SEED).model_dump(mode="json")
        people_said, groups = [each.label for each in cases], [each.group for each in cases]
        found = compare_judges(balanced_accuracy_of, scores(base), scores(tuned), people_said, groups, seed=SEED)
        told["balanced accuracy, tuned less base"] = str(found)
    told["reviews"] = {
        item.name: [*item.labels, *(own[place].reason for own in said.values())] for place, item in enumerate(items)
    }
    return told


def _figures(cases: Sequence[LabelledCase], said: Sequence[Judgement | Unjudged]) -> dict[str, Any]:
    return _shown_figures(agreement_of(cases, said, in_classes=True, seed=SEED))


def _shown_figures(found: Agreement) -> dict[str, Any]:
    figures = {each.name: (each.estimate, each.low, each.high, each.undefined) for each in found.figures}
    return {"cases": found.cases, "unjudged": found.unjudged, "people by judge": found.counts, **figures}


def main() -> None:
    """Tune, measure, write texts and figures."""
    parser = argparse.ArgumentParser(description="Tunes the item reviewer's prompt on verdicts of readers.")
    parser.add_argument("model", metavar="PROVIDER:MODEL")
    parser.add_argument("--base-url")
    parser.add_argument("--out", type=Path, default=Path("viva-runs/tuned-review"))
    given = parser.parse_args()
    parts = split(reviewed_items())
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
            told = _tuned(parts, ReviewMetric(objective), pool.models.gateway, background, given.out)
            told["spent"] = str(pool.models.spent)
        finally:
            background.run(stack.aclose())
    (given.out / "result.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=1, ensure_ascii=False))


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
    with ThreadPoolExecutor(1) as beside:
        # the base reviews the test part while the search is on
        asked = beside.submit(tuning.test, UNTUNED)
        found, best = tuning.search()
        replies = {"base": asked.result()}
    for number, (text, _) in enumerate(found):
        (out / f"judge_item.{number}.md").write_text(f"{text}\n", encoding="utf-8")
    if best:
        replies["tuned"] = tuning.test(found[best][0])
    told: dict[str, Any] = {"parts": {name: len(own) for name, own in parts.items()}}
    told |= {"validation": [value for _, value in found], "best": best}
    return told | report(parts["test"], replies, metric)


if __name__ == "__main__":
    main()
