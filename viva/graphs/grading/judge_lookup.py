"""A judge by the name it is asked for: a quality (a language model), or one that is offline or tuned."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.roles import Judge
from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.records.judging import JudgeCard, Make, Quality
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import JudgePool, opened_judge_pool
from viva.llm.embeddings import Embedder, SentenceTransformerEmbedder
from viva.storage.judges import Installed, find_judge
from viva.storage.lock import run_lock


@dataclass(frozen=True)
class Named:
    """A judge that was found by its name, not made yet."""

    name: str
    quality: Quality
    make: Make
    installed: Installed | None = None

    @property
    def asks_a_model(self) -> bool:
        """Whether a language model plays it."""
        return self.make in {Make.BASE, Make.TUNED}

    def at(self, pool: JudgePool) -> Judge:
        """The judge, played by the model at the pool. UsageError for a tuned one whose model or stamp is another."""
        if self.installed is None:
            return pool.judge(self.quality)
        program = Compiled.from_json(self.installed.program)
        return pool.judge(self.quality, card=self.installed.card, program=program)

    def without_model(self, embedder: Embedder) -> Judge:
        """The judge that needs none. UsageError where there is none of its quality."""
        from viva.agents.judges.offline.judge import OfflineJudge

        return OfflineJudge(self.quality, embedder)


def named_judge(name: str) -> Named:
    """The judge of that name: QUALITY, QUALITY-offline, or an installed one. UsageError for no such.

    A judge that was installed here goes before one that ships under the same name.
    """
    check_not_gone(name)
    quality = _quality(name)
    if quality is not None:
        return Named(quality.value, quality, Make.BASE)
    base, _, make = name.rpartition("-")
    judged = _quality(base)
    if judged is not None and make == Make.OFFLINE:
        return Named(name, judged, Make.OFFLINE)
    installed = find_judge(name, names_at_hand())
    return Named(name, installed.card.judges, installed.card.make, installed)


@asynccontextmanager
async def opened_judge(named: Named, settings: Settings, folder: Path) -> AsyncIterator[Judge]:
    """The judge, ready to judge. The folder is made only for a language model, whose calls it keeps."""
    if not named.asks_a_model:
        yield named.without_model(SentenceTransformerEmbedder(settings.embedding_model, threads=1))
        return
    with run_lock(folder):
        async with opened_judge_pool(folder, settings) as pool:
            yield named.at(pool)


def names_at_hand() -> tuple[str, ...]:
    """Judges that need no installing: a model plays them, or rules do."""
    from viva.agents.judges.offline.judge import QUALITIES

    return (*(each.value for each in Quality), *(f"{each.value}-{Make.OFFLINE}" for each in QUALITIES))


def check_not_gone(name: str) -> None:
    """UsageError for the name of a judge that earlier versions had."""
    if gone := replacement(f"judge {name.replace('_', '-')}"):
        raise UsageError(gone)


def is_taken(name: str) -> bool:
    """Whether the name means a judge that needs no installing: one that is installed so could not be reached."""
    judged, _, make = name.rpartition("-")
    by_rules = _quality(judged) is not None and make == Make.OFFLINE
    return by_rules or _quality(name) is not None or name == Make.OFFLINE or bool(replacement(f"judge {name}"))


def quality_named(name: str) -> Quality:
    """The quality of that name, its words joined by _ or -. UsageError for any other name."""
    found = _quality(name)
    if found is None:
        raise UsageError(f"{name!r} is not a quality.", allowed=f"One of {', '.join(Quality)}.")
    return found


def _quality(name: str) -> Quality | None:
    return next((each for each in Quality if each.value == name.replace("-", "_")), None)


# --- names of tuned judges ----------------------------------------------------------------------------------


def check_name(name: str) -> str:
    """Check that a judge can have the name. UsageError else, also for one of a judge that comes with viva."""
    try:
        JudgeCard.__pydantic_validator__.validate_assignment(JudgeCard.model_construct(), "name", name)
    except ValueError:
        raise UsageError(
            f"--name is {name!r}, which is not a possible name.",
            allowed="Up to 64 lower-case letters, digits, '.', '_' and '-'; the first is a letter or digit.",
        ) from None
    if is_taken(name):
        raise UsageError(
            f"--name is {name!r}, which is the name of a judge that comes with viva or came with it.",
            next_step=f"Choose another name: --name my-{name}",
        )
    return name


def usual_name(quality: Quality, model: str) -> str:
    """Make the usual name of a tuned judge from quality and model."""
    short = re.sub(r"[^a-z0-9.]+", "-", model.lower().rpartition(":")[2].rpartition("/")[2]).strip("-.")
    name = f"{quality.value}-{short or 'tuned'}"[:64]
    return f"{name}-tuned" if is_taken(name) else name
