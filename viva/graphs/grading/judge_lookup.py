"""A judge by the name it is asked for: a quality (a language model), or one that is offline, local or tuned."""

from __future__ import annotations

from dataclasses import dataclass

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.roles import DEFAULT, Judge
from viva.core.records.judging import JudgeCard, Make, Quality
from viva.graphs.grading.batch_judging import JudgePool
from viva.llm.embeddings import Embedder
from viva.storage.judges import Installed, all_judges, find_judge, install_program, install_weights, remember

SHIPPED = "shipped"
"""What `viva tune local --start` calls the local judge that ships, of whatever quality."""


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
        if self.make is Make.BLEND:
            from viva.agents.judges.default import DefaultJudge

            return DefaultJudge(embedder)
        if self.make is Make.OFFLINE:
            from viva.agents.judges.offline.judge import OfflineJudge

            return OfflineJudge(self.quality, embedder)
        from viva.agents.judges.local.judge import LocalJudge

        if self.installed is not None and self.installed.weights is not None:
            return LocalJudge.load(self.installed.weights, embedder)
        return LocalJudge.shipped(self.quality, embedder)

    def keep(self, card: JudgeCard) -> None:
        """Keep the card, with what was found of the judge: with the judge if it is installed here, else beside it."""
        if self.installed is None or self.installed.shipped:
            remember(card)
        elif self.installed.weights is None:
            install_program(card, self.installed.program)
        else:
            from viva.agents.judges.local.storing import write_card

            write_card(self.installed.weights, card)
            install_weights(card, self.installed.weights)


def named_judge(name: str) -> Named:
    """The judge of that name: QUALITY, QUALITY-offline, QUALITY-local, DEFAULT, or an installed one.

    UsageError for no such.

    A judge that was installed here goes before one that ships under the same name.
    """
    quality = _quality(name)
    if quality is not None:
        return Named(quality.value, quality, Make.BASE)
    if name == DEFAULT:
        return Named(name, Quality.CORRECTNESS, Make.BLEND)
    base, _, make = name.rpartition("-")
    judged = _quality(base)
    if judged is not None and make == Make.OFFLINE:
        return Named(name, judged, Make.OFFLINE)
    if judged is not None and make == Make.LOCAL and not _is_installed(name):
        return Named(name, judged, Make.LOCAL)
    installed = find_judge(name, names_at_hand())
    return Named(name, installed.card.judges, installed.card.make, installed)


def names_at_hand() -> tuple[str, ...]:
    """Judges that need no installing: a model plays them, rules do, they ship trained, or are DEFAULT."""
    from viva.agents.judges.local.storing import ships
    from viva.agents.judges.offline.judge import QUALITIES

    return (
        *(each.value for each in Quality),
        *(f"{each.value}-{Make.OFFLINE}" for each in QUALITIES),
        *(f"{each.value}-{Make.LOCAL}" for each in Quality if ships(each)),
        DEFAULT,
    )


def is_taken(name: str) -> bool:
    """Whether the name means a judge that needs no installing: one that is installed so could not be reached."""
    judged, _, make = name.rpartition("-")
    by_make = _quality(judged) is not None and make in {Make.OFFLINE, Make.LOCAL}
    return by_make or _quality(name) is not None or name in {Make.OFFLINE, SHIPPED, DEFAULT}


def _quality(name: str) -> Quality | None:
    return next((each for each in Quality if each.value == name.replace("-", "_")), None)


def _is_installed(name: str) -> bool:
    return any(each.card.name == name and each.is_judge for each in all_judges()[0])
