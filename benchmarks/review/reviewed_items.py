"""Items of three exams, each as the item reviewer reads it, with the verdicts of two strict readers.

item_verdicts.jsonl.gz holds 157 items by `exam` (the demo of decision 67; pages of TTS's handbook; chapters of the
Rust book) and number: `inputs` are the fields of the reviewer's request without a reader's guesses, `readers` the
verdicts of two readers by six criteria, with reasons where they gave some. `part` is train (36), validation (40) or
test (81): all items of a document are in one. Of 200 divisions by lot this one shares bad items most evenly.

judge_item.md is the reviewer's prompt of that time, and `FIELDS` its descriptions of the fields: the recorded tuning
repeats with these alone.

The passages are of examples/handbook, of 18F/handbook (CC0) and of The Rust Programming Language (MIT or Apache-2.0).
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.item_reviewer import ModelItemReviewer
from viva.agents.language_model.critics.review_brief import brief
from viva.agents.roles import Source
from viva.core.ids import content_hash
from viva.core.records import Chunk, Distractor, Document, Draft, ItemKind, KnowledgeUnit, Span, Turn, Verdict
from viva.core.records.judging import Case, LabelledCase
from viva.core.records.taxonomy import BloomLevel, QuestionType
from viva.core.settings import Settings
from viva.llm.calls import CallFailed
from viva.optimizers.judge_program import clause_of, kept_safe
from viva.prompts import for_fields

VERDICTS = Path(__file__).with_name("item_verdicts.jsonl.gz")
BASE = Path(__file__).with_name("judge_item.md").read_text(encoding="utf-8").strip()
FIELDS = {
    "stated": "True or False: the passage says all that this option says, and under no other condition",
    "also_correct": "letters of others that the passage makes right too; mostly empty",
    "supported_elsewhere": (
        "letters, other than that of best_option, that a text elsewhere gives as the answer; mostly empty"
    ),
    "other_answer": (
        "words of a text elsewhere that answer the question otherwise, copied letter for letter; mostly NONE"
    ),
    "defensible": "letters of others that hold by what is known besides; mostly empty",
    "odd": "letters of wrong options that nobody would choose; mostly empty",
    "tempting": "letters of those to be printed, the readiest first",
}
CRITERIA = ("key", "one", "alone", "plausible", "worth", "natural")
PARTS = ("train", "validation", "test")
SEED = 0


def reviewed_items() -> dict[str, list[ReviewedItem]]:
    """Read the items of each part."""
    with gzip.open(VERDICTS, "rt", encoding="utf-8") as file:
        items = [ReviewedItem(json.loads(line)) for line in file]
    return {part: [item for item in items if item.row["part"] == part] for part in PARTS}


@dataclass(frozen=True)
class ReviewedItem:
    """An item of an exam, what the reviewer reads of it, and the verdicts of two readers."""

    row: Mapping[str, Any]

    @property
    def group(self) -> str:
        """The document that it is of."""
        return f"{self.row['exam']}: {self.row['document']}"

    @property
    def draft(self) -> Draft:
        """The item as the reviewer gets it."""
        row = self.row
        span = Span(document_id=row["document"], start=0, end=0, quote=row["quote"])
        number = content_hash("item verdicts", row["exam"], row["number"])
        return Draft(
            unit=KnowledgeUnit(id=number, chunk_id="", statement=row["quote"], evidence=span),
            attempt=0,
            stem=row["question"],
            key=row["key"],
            reference_answer=row["key"],
            question_type=QuestionType.FACTOID,
            bloom=(BloomLevel.REMEMBER,),
            kind=ItemKind(row["kind"]),
            answer_form="",
            pattern="",
            history=tuple(Turn(**turn) for turn in row["conversation"]),
        )

    @property
    def distractors(self) -> tuple[Distractor, ...]:
        """Its wrong options."""
        return tuple(Distractor(text=text) for text in self.row["options"])

    @cached_property
    def labels(self) -> tuple[float, float]:
        """1 for each reader who finds all six criteria met, else 0."""
        one, other = (float(all(reader["verdicts"].values())) for reader in self.row["readers"])
        return one, other

    @property
    def decided(self) -> bool:
        """Whether the readers agree."""
        return self.labels[0] == self.labels[1]

    def case(self, label: float) -> LabelledCase:
        """The item under this label."""
        by = dict(zip(("first reader", "second reader"), self.labels, strict=True))
        asked = Case(question=f"{self.name}: {self.draft.shown}", reference=self.row["key"])
        return LabelledCase(case=asked, label=label, group=self.group, by=by)

    @property
    def name(self) -> str:
        """The exam and the number in it."""
        return f"{self.row['exam']} {self.row['number']}"

    def in_words(self) -> str:
        """The readers' verdicts and reasons."""
        return " ".join(_words_of(number, reader) for number, reader in enumerate(self.row["readers"], 1))

    def verdicts(self, reply: object) -> tuple[Verdict, ...]:
        """Let the reviewer's own code decide by this reply. RoleFailed where it cannot be used."""
        inputs = self.row["inputs"]
        text = inputs["passage"]
        document = Document(id="read", path="read", title="", topic="", format="txt", text=text)
        source = Source(Chunk.of(document, 0, len(text), 1), document)
        reviewer = _Reviewer(reply, inputs.get("elsewhere", ""))
        return asyncio.run(reviewer.review(self.draft, self.distractors, source))


def _words_of(number: int, reader: Mapping[str, Any]) -> str:
    failed = [name for name in CRITERIA if not reader["verdicts"][name]]
    held = f"fails: {', '.join(failed)}." if failed else "all six hold."
    return f"Reader {number}: {held} {' '.join(reader['reasons'])}".strip()


class _Replies:
    """Answers with a reply that was given before."""

    def __init__(self, reply: object) -> None:
        self._reply = reply

    async def ask(self, role: str, signature: object, /, *, demos: object = (), **inputs: object) -> Any:  # noqa: ARG002
        return self._reply


class _NothingMore(CorpusSearch):
    """Finds no passages but the one that is read."""

    def around(self, query: str, source: Source) -> Source:  # noqa: ARG002
        return source


class _Reviewer(ModelItemReviewer):
    """Reviews with the given texts from elsewhere, and asks no model."""

    def __init__(self, reply: object, elsewhere: str) -> None:
        super().__init__(_Replies(reply), Settings(seed=SEED), _NothingMore({}, {}))
        self._texts = [elsewhere] if elsewhere else []

    async def _elsewhere(self, draft: Draft, distractors: Sequence[Distractor], read: Source) -> list[str]:  # noqa: ARG002
        return self._texts


class ReviewProgram(dspy.Module):  # type: ignore[misc]
    """Reviews one item. Its instructions are the whole text; each item's are made from it, as the reviewer's are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        whole = brief(4, elsewhere=True, kind=True, follows=True, guessed=True, recalled=True)
        self.judge = dspy.Predict(whole.signature.with_instructions(text))

    def forward(self, item: ReviewedItem) -> dspy.Prediction:
        """The reply, or what kept it from being read."""
        try:
            return self.judge(
                signature=signature_of(self.judge.signature.instructions, *shape_of(item)), **item.row["inputs"]
            )
        except (CallFailed, AdapterParseError) as failed:
            return dspy.Prediction(unjudged=type(failed).__name__)


def shape_of(item: ReviewedItem) -> tuple[int, frozenset[str]]:
    """Give the number of options, and what else shapes the brief of an item's review."""
    row = item.row
    found = {name for name in ("elsewhere", "kind") if name in row["inputs"]}
    found |= {"follows"} if row["conversation"] else set()
    found |= {"absent"} if row["kind"] == ItemKind.UNANSWERABLE else set()
    return 1 + len(row["options"]), frozenset(found)


@lru_cache(maxsize=256)
def signature_of(text: str, options: int, shaped: frozenset[str]) -> type[dspy.Signature]:
    """Give the signature of a review so shaped, with its part of the whole text as instructions."""
    asked = brief(options, **dict.fromkeys(shaped, True))
    # edits were not asked for at that time
    made: type[dspy.Signature] = asked.signature.delete("edits")
    for name in FIELDS.keys() & asked.gives.keys():
        made = made.with_updated_fields(name, desc=FIELDS[name])
    safe = kept_safe(text, clause_of(BASE))
    return made.with_instructions(for_fields(safe, {**asked.reads, **asked.gives}))
