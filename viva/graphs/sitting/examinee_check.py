"""One examinee, tried before an exam is written: is it there, does it answer, and can its answer be read?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from viva.core.errors import UsageError
from viva.core.records import Chunk, Document, Failure, Passage
from viva.core.settings import Settings
from viva.examinees.adapters.recorded import recorded_rows
from viva.examinees.answering import Answer, BadAnswerError, Candidate, Closes, ReadsPassages, takes_history
from viva.examinees.readers.choosing import unposed
from viva.examinees.readers.reading import read_answer
from viva.examinees.specs.records import RecordedSpec, ReferenceSpec, Spec
from viva.examinees.specs.reference import reader_model
from viva.graphs.resources.model_client import ModelClient
from viva.graphs.sitting.ask_once import Attempt, attempted
from viva.graphs.sitting.fix_hints import mend
from viva.graphs.sitting.option_matching import with_choice
from viva.metrics.unread_choices import examples_of, is_noted

PASSAGE = (
    "The Marlow lighthouse was first lit in 1911. Its lamp flashes green every nine seconds, and its keeper lives in "
    "the white cottage beside it."
)
_AT_ONCE = 8


@dataclass(frozen=True)
class TrialQuestion:
    """A question that tries a system; `passage` is handed to one that can be handed any."""

    question: str
    options: tuple[str, ...] | None = None
    passage: str | None = None


OPEN = TrialQuestion("In which year was the Marlow lighthouse first lit?", passage=PASSAGE)
CHOICE = TrialQuestion(
    "Which colour does the lamp of the Marlow lighthouse flash?", ("red", "green", "white", "amber"), passage=PASSAGE
)


@dataclass(frozen=True)
class CheckedExaminee:
    """A question and what came of it."""

    probe: TrialQuestion
    handed: bool
    """whether the system was handed the passage"""
    found: Answer | Failure
    seconds: float
    next_step: str = ""
    """what to mend, in words"""


@dataclass(frozen=True)
class UnreadAnswers:
    """Answers in which no option could be read, of how many, with examples."""

    count: int
    of: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """An examinee that was tried. `error`: it could not even be asked."""

    spec: Spec
    probed: tuple[CheckedExaminee, ...] = ()
    error: UsageError | None = None
    unread: UnreadAnswers | None = None
    """of recorded answers to questions that hold their options"""
    takes_history: bool = False
    """whether it is given the conversation that a question follows on"""

    @property
    def ok(self) -> bool:
        """Whether it answered all it was asked."""
        return self.error is None and not any(isinstance(each.found, Failure) for each in self.probed)


async def check_all(
    specs: Sequence[Spec], settings: Settings, probes: Sequence[TrialQuestion] | None = None
) -> list[Checked]:
    """Try every examinee, in their order; some at once."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(spec: Spec) -> Checked:
        async with places:
            return await check(spec, settings, probes)

    return list(await asyncio.gather(*(one(spec) for spec in specs)))


async def check(spec: Spec, settings: Settings, probes: Sequence[TrialQuestion] | None = None) -> Checked:
    """Try one. `probes`: what it is asked instead of viva's own questions. The first failure ends it."""
    timeout_s = spec.manners.timeout_s or settings.timeout_s
    try:
        async with _seated(spec, settings) as candidate:
            found: list[CheckedExaminee] = []
            for probe in probes or _usual(spec):
                found.append(await _probed(spec, candidate, probe, timeout_s))
                if isinstance(found[-1].found, Failure):
                    break
            given = takes_history(candidate)
    except UsageError as error:
        return Checked(spec, error=error)
    return Checked(spec, tuple(found), unread=_unread(spec), takes_history=given)


def _usual(spec: Spec) -> Sequence[TrialQuestion]:
    match spec:
        case RecordedSpec():
            # it knows no other questions than those in the file
            return tuple(_recorded(Path(spec.path)))
        case _:
            return (OPEN, CHOICE)


def _recorded(path: Path) -> Iterator[TrialQuestion]:
    """The first recorded question; none in a file that tells items by their ids alone."""
    for _, row in recorded_rows(path):
        question = row.get("question") if isinstance(row, dict) else None
        if isinstance(question, str):
            yield TrialQuestion(question)
            return


def _unread(spec: Spec) -> UnreadAnswers | None:
    """What cannot be read in a file of recorded answers whose questions hold their options."""
    if not isinstance(spec, RecordedSpec):
        return None
    read, unread = 0, list[str]()
    for _, row in recorded_rows(Path(spec.path)):
        if not isinstance(row, dict) or not isinstance(row.get("question"), str):
            continue
        asked, said = unposed(row["question"]), row.get("answer")
        if asked is None or said is None:
            continue
        try:
            answer = read_answer({**row, "text": said}, asked[1])
        except BadAnswerError:
            continue
        read += 1
        unread += [answer.text] if answer.choice is None else []
    return UnreadAnswers(len(unread), read, examples_of(unread)) if is_noted(len(unread), read) else None


async def _probed(spec: Spec, candidate: Candidate, probe: TrialQuestion, timeout_s: float) -> CheckedExaminee:
    handed = probe.passage is not None and _is_handed(spec, candidate)
    tried = await attempted(lambda: _answer(candidate, probe, handed=handed), timeout_s)
    if isinstance(tried.found, Failure):
        return CheckedExaminee(probe, handed, tried.found, tried.seconds, mend(spec, tried.found))
    answer = await with_choice(tried.found, probe.question, probe.options, None)
    return CheckedExaminee(probe, handed, answer, _seconds(tried, answer))


def _is_handed(spec: Spec, candidate: Candidate) -> bool:
    """Whether the passage is handed to it: a reference system finds it for itself, or is to have none."""
    if isinstance(spec, ReferenceSpec) and spec.retriever != "oracle":
        return False
    return isinstance(candidate, ReadsPassages) and candidate.takes_passages


async def _answer(candidate: Candidate, probe: TrialQuestion, *, handed: bool) -> Answer:
    if handed and isinstance(candidate, ReadsPassages):
        return await candidate.answer_from(probe.question, probe.options, [Passage(text=probe.passage or "")])
    return await candidate.answer(probe.question, probe.options)


def _seconds(tried: Attempt, answer: Answer) -> float:
    return tried.seconds if answer.latency_s is None else answer.latency_s


@asynccontextmanager
async def _seated(spec: Spec, settings: Settings) -> AsyncIterator[Candidate]:
    """The system, made and given back. UsageError for one that cannot be made."""
    if isinstance(spec, ReferenceSpec):
        async with _reference(spec, settings) as reference:
            yield reference
        return
    from viva.examinees.adapters import adapter_of

    candidate = adapter_of(spec)
    try:
        yield candidate
    finally:
        if isinstance(candidate, Closes):
            candidate.close()


@asynccontextmanager
async def _reference(spec: ReferenceSpec, settings: Settings) -> AsyncIterator[Candidate]:
    """A reference system over viva's own passage, which is all its corpus."""
    from viva.examinees.encoders import encoder_of
    from viva.examinees.reference import ReferenceCandidate
    from viva.examinees.retrievers import ChunkIndex
    from viva.llm.embeddings import SentenceTransformerEmbedder
    from viva.storage.embedding_cache import EmbeddingCache
    from viva.storage.vectors import VectorStore

    whole = Document.of(PASSAGE, path="lighthouse.md", title="Marlow", format="md")
    with TemporaryDirectory() as made:
        folder = Path(made)
        vectors, models = VectorStore.open(folder, None), ModelClient(folder, settings, lambda: "check")
        try:
            embedder = SentenceTransformerEmbedder(settings.embedding_model, EmbeddingCache(folder), threads=1)
            encoder = encoder_of(spec.encoder, [PASSAGE]) if spec.encoder else embedder
            chunk = Chunk.of(whole, 0, len(PASSAGE), len(PASSAGE.split()))
            index = ChunkIndex({chunk.id: chunk}, encoder, vectors)
            gateway = models.gateway if reader_model(spec) else None
            yield ReferenceCandidate(spec, index, embedder, (), settings.seed, gateway)
        finally:
            await models.aclose()
            vectors.close()
