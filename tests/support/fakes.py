"""A committee whose every word is written beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from by_hand import distractors, draft

from viva.agents.roles import Cast, Source
from viva.core.records import Distractor, Draft, ExpertAnswer, KnowledgeUnit, Verdict

PASS = ""


class Units:
    def __init__(self, units: list[KnowledgeUnit]) -> None:
        self._units = units

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        return self._units


class Writer:
    """Writes `wordings` drafts about a unit, then has no other."""

    def __init__(self, wordings: int = 9, *, names_key: bool = True) -> None:
        self._wordings = wordings
        self._names_key = names_key
        self.heard: list[Verdict | None] = []

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        self.heard.append(feedback)
        attempt = 0 if previous is None else previous.attempt + 1
        if attempt >= self._wordings:
            return None
        first = draft(source, unit.statement, f"{unit.statement} wording {attempt}?", f"key of {unit.statement}")
        if not self._names_key:
            first = first.model_copy(update={"key": "", "key_from": "expert"})
        return first.model_copy(update={"attempt": attempt})


class Expert:
    """Says the same again when its answer is doubted, unless `second` or another `reference` is what it says then."""

    def __init__(self, second: str = "", *, reference: str = "") -> None:
        self._second, self._reference = second, reference
        self.heard: list[Verdict | None] = []

    async def answer(
        self, stem: str, answer_form: str, source: Source, dispute: Verdict | None = None
    ) -> ExpertAnswer | None:
        self.heard.append(dispute)
        text = self._second if dispute and self._second else f"expert on {stem}"
        return ExpertAnswer(text=text, reference=(dispute and self._reference) or f"{text}.")


class Critic:
    """Passes and fails as scripted (a code fails, after "key:" for the key's sake), and passes from then on.

    Of options, it is they that are at fault where the script blames nobody.
    """

    def __init__(self, name: str, *script: str) -> None:
        self.name = name
        self._script = list(script)
        self.judged: list[str] = []

    async def judge(self, draft: Draft, said: object, source: Source) -> Verdict:
        blames, _, code = (self._script.pop(0) if self._script else PASS).rpartition(":")
        self.judged.append(draft.key)
        verdict = Verdict(critic=self.name, passed=not code, reason=f"says {code or 'yes'}", code=code)
        return verdict.model_copy(update={"blames": blames or ("options" if isinstance(said, tuple) else "question")})


class Reviewer:
    """Gives the scripted verdicts, then passes; keeps what it read."""

    def __init__(self, *script: tuple[Verdict, ...]) -> None:
        self._script = list(script)
        self.read: list[tuple[str, ...]] = []

    async def review(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> tuple[Verdict, ...]:
        self.read.append(tuple(wrong.text for wrong in distractors))
        fine = Verdict(critic="item review", passed=True, reason="says yes")
        return self._script.pop(0) if self._script else (fine,)


class Options:
    """Three options, or as many as are in `letters`, named after the attempt; none from attempt `lacking` on."""

    def __init__(self, lacking: int = 99, letters: str = "abc") -> None:
        self._lacking, self._letters = lacking, letters
        self.heard: list[Verdict | None] = []
        self.refused: list[tuple[str, ...]] = []

    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),
    ) -> tuple[Distractor, ...] | None:
        self.heard.append(feedback)
        self.refused.append(tuple(wrong.text for wrong in refused))
        return None if attempt >= self._lacking else distractors(*(f"wrong {attempt}{n}" for n in self._letters))


def cast(
    units: list[KnowledgeUnit],
    *,
    writer: Writer | None = None,
    screen: Sequence[Critic] = (),
    critics: Sequence[Critic] = (),
    options: Options | None = None,
    option_critics: Sequence[Critic] = (),
    reviewer: Reviewer | None = None,
    expert: Expert | None = None,
) -> Cast:
    """A committee that agrees with everything but what is scripted."""
    return Cast(
        name="fake",
        units=Units(units),
        writer=writer or Writer(),
        expert=expert or Expert(),
        screen=tuple((critic,) for critic in screen),
        draft_critics=tuple((critic,) for critic in critics) or ((Critic("draft critic"),),),
        distractors=options or Options(),
        option_critics=tuple(option_critics) or (Critic("option critic"),),
        reviewer=reviewer,
    )
