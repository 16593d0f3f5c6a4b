"""A committee whose every word is written beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from by_hand import distractors, draft

from viva.agents.roles import Cast, Source
from viva.core.records import Distractor, Draft, KnowledgeUnit, Verdict

PASS = ""


class Units:
    def __init__(self, units: list[KnowledgeUnit]) -> None:
        self._units = units

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        return self._units


class Writer:
    """Writes `wordings` drafts about a unit, then has no other."""

    def __init__(self, wordings: int = 9) -> None:
        self._wordings = wordings
        self.heard: list[Verdict | None] = []

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        self.heard.append(feedback)
        attempt = 0 if previous is None else previous.attempt + 1
        if attempt >= self._wordings:
            return None
        first = draft(source, unit.statement, f"{unit.statement} wording {attempt}?", f"key of {unit.statement}")
        return first.model_copy(update={"attempt": attempt})


class Expert:
    async def answer(self, stem: str, answer_form: str, source: Source) -> str | None:
        return f"expert on {stem}"


class Critic:
    """Passes and fails as scripted (a code fails), and passes from then on."""

    def __init__(self, name: str, *script: str) -> None:
        self.name = name
        self._script = list(script)

    async def judge(self, draft: Draft, said: object, source: Source) -> Verdict:
        code = self._script.pop(0) if self._script else PASS
        return Verdict(critic=self.name, passed=not code, reason=f"says {code or 'yes'}", code=code)


class Options:
    """Three options named after the attempt; none from attempt `lacking` on."""

    def __init__(self, lacking: int = 99) -> None:
        self._lacking = lacking

    async def write(self, draft: Draft, source: Source, attempt: int) -> tuple[Distractor, ...] | None:
        return None if attempt >= self._lacking else distractors(*(f"wrong {attempt}{n}" for n in "abc"))


def cast(
    units: list[KnowledgeUnit],
    *,
    writer: Writer | None = None,
    screen: Sequence[Critic] = (),
    critics: Sequence[Critic] = (),
    options: Options | None = None,
    option_critics: Sequence[Critic] = (),
) -> Cast:
    """A committee that agrees with everything but what is scripted."""
    return Cast(
        name="fake",
        units=Units(units),
        writer=writer or Writer(),
        expert=Expert(),
        screen=tuple((critic,) for critic in screen),
        draft_critics=tuple((critic,) for critic in critics) or ((Critic("draft critic"),),),
        distractors=options or Options(),
        option_critics=tuple(option_critics) or (Critic("option critic"),),
    )
