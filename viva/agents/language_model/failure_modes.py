"""The failure critic: how a wrong answer went wrong, by a taxonomy of ten modes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.agents.language_model.asks import Asks, Brief, one_of
from viva.agents.language_model.replies import bounded, reason
from viva.agents.rules.failure_modes import states_something
from viva.core.scores_diagnosis import FailureMode, FailureModeFound

CRITIC = "critic"
NONE = "none of these"
LONGEST_PASSAGES, LONGEST_ANSWER = 8000, 4000
"""Characters that are read: of all passages the first, of an answer its beginning and its end."""

BRIEF = Brief(
    role="judge.failure",
    prompt="judge_failure",
    reads={
        "question": "as the system was asked",
        "options": "one to a line",
        "right_option": "the one that is keyed",
        "evidence": "the words of the documents that settle it",
        "passages": "what the examinee had before it, numbered in its order, or NONE",
        "evidence_among_passages": "as measured: yes, no or not known",
        "answer": "what the examinee said; it is wrong",
        "chosen_option": "the option that its answer was taken to mean, or NONE",
    },
    gives={
        "rationale": (str, "what happened, in one or two sentences"),
        "mode": (one_of((*(mode.value for mode in FailureMode), NONE)), "the one that fits best"),
    },
)


@dataclass(frozen=True)
class Failed:
    """A wrong answer as the critic reads it. `held` says whether the evidence was among the passages."""

    question: str
    """with the conversation that it follows on"""
    options: Sequence[str]
    key: str
    evidence: str
    passages: Sequence[str]
    held: bool | None
    answer: str
    chosen: str | None


class FailureCritic:
    """Reads question, evidence, passages and answer; all of them are material, and fenced."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def read(self, failed: Failed) -> FailureModeFound:
        """The mode, with the reason; without a mode where none of them fits. RoleFailed as any role.

        What was measured counts for more than what is said: nothing is "not extracted" from passages that do not
        hold it, nothing that they hold was "missed", and an option that was offered is no "fabrication".
        """
        material = {
            "question": failed.question,
            "options": "\n".join(failed.options),
            "right_option": failed.key,
            "evidence": failed.evidence or "NONE",
            "passages": _numbered(failed.passages),
            "answer": bounded(failed.answer, LONGEST_ANSWER),
            "chosen_option": failed.chosen or "NONE",
        }
        among = {True: "yes", False: "no", None: "not known"}[failed.held]
        said = await BRIEF.ask(self._asks, material, evidence_among_passages=among)
        if said.mode == NONE or _contradicts(FailureMode(said.mode), failed):
            return FailureModeFound()
        return FailureModeFound(mode=FailureMode(said.mode), by=CRITIC, why=reason(said.rationale))


def _contradicts(mode: FailureMode, failed: Failed) -> bool:
    match mode:
        case FailureMode.NOT_EXTRACTED:
            return failed.held is False
        case FailureMode.MISSED_TOP_RANKED:
            return failed.held is True
        case FailureMode.WRONG_FORMAT:
            return failed.chosen is not None
        case FailureMode.FABRICATION:
            # an option that was offered is nobody's invention
            asked = (failed.question, *failed.options)
            return failed.chosen is not None and not states_something(failed.answer, asked)
        case _:
            return False


def _numbered(passages: Sequence[str]) -> str:
    told = "\n\n".join(f"[{n}] {text}" for n, text in enumerate(passages, start=1))
    return told[:LONGEST_PASSAGES] or "NONE"
