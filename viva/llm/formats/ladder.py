"""The repair ladder: fields in markers, then the same with what was wrong, then plain lines. At most four calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import dspy
from dspy import lm15
from dspy.utils.exceptions import AdapterParseError

from viva.core.calls import Outcome
from viva.llm.calls import CallFailed
from viva.llm.dspy_bridge import GatewayLM
from viva.llm.formats.adapters import PlainAdapter, TextAdapter
from viva.llm.formats.defects import Flaw, Flawed, FormatDefect
from viva.llm.formats.echoes import Read, read_own
from viva.llm.formats.markers import read_chat
from viva.llm.formats.plain_replies import read_plain
from viva.llm.untrusted import seen

_LONGEST_SHOWN = 8000
"""Characters of an unreadable reply that are shown to the model again."""

Messages = list[dict[str, Any]]
Ask = Callable[..., Awaitable[lm15.Response]]


class Unreadable(AdapterParseError):  # type: ignore[misc]
    """No rung brought a readable reply. `flaws` say what was wrong with each, in order; `lm_response` is the last."""

    def __init__(self, signature: type[dspy.Signature], text: str, flaws: tuple[Flaw, ...]) -> None:
        super().__init__(LadderAdapter.__name__, signature, text)
        self.flaws = flaws


class LadderAdapter(TextAdapter):
    """Puts a signature to a GatewayLM until the reply can be read, one rung per unreadable reply.

    1. Fields in markers, read leniently. 2. The same conversation, the unreadable reply and what is wrong with it.
    3. A fresh conversation in plain lines. The first reply that is cut off is asked for again on its rung with twice
    the tokens. Every reply that cannot be used is counted by its defect; what the gateway raises otherwise (a
    refusal, a budget) ends the climb. Raises Unreadable.
    """

    def __init__(self, max_reply_tokens: int = 2048) -> None:
        """`max_reply_tokens` is the gateway's limit where a request names none."""
        super().__init__()
        self._max_reply_tokens = max_reply_tokens
        self._plain = PlainAdapter()

    def __call__(
        self,
        lm: GatewayLM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """The output fields of each of the `n` candidates (1 unless the options say more)."""

        async def ask(request: lm15.Request, **rollout: Any) -> lm15.Response:
            return lm(request, **rollout)

        try:
            self._found(ask, lm, lm_kwargs, signature, demos, inputs).send(None)
        except StopIteration as done:
            found: list[dict[str, Any]] = done.value
            return found
        raise AssertionError("what is called waits for nothing")

    async def acall(
        self,
        lm: GatewayLM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """The output fields of each of the `n` candidates (1 unless the options say more)."""
        return await self._found(lm.acall, lm, lm_kwargs, signature, demos, inputs)

    async def _found(
        self,
        ask: Ask,
        lm: GatewayLM,
        options: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        if not isinstance(lm, GatewayLM):
            raise TypeError(f"The ladder asks a GatewayLM (viva.llm.dspy_bridge), not a {type(lm).__name__}.")
        wanted = options.get("n") or lm.kwargs.get("n") or 1
        given = [value for value in inputs.values() if isinstance(value, str)]
        climbs = (
            _Climb(lm, ask, options, signature, given, number, self._max_reply_tokens) for number in range(wanted)
        )
        return [await self._climbed(climb, demos, inputs) for climb in climbs]

    async def _climbed(self, climb: _Climb, demos: list[dict[str, Any]], inputs: dict[str, Any]) -> dict[str, Any]:
        chat = self.format(climb.signature, demos, inputs)
        values = await climb.tried(chat, read_chat)
        if values is None:
            values = await climb.tried(self._corrected(chat, climb), read_chat)
        if values is None:
            values = await climb.tried(self._plain.format(climb.signature, demos, inputs), read_plain)
        if values is None:
            raise Unreadable(climb.signature, climb.text, tuple(climb.flaws))
        return values

    def _corrected(self, chat: Messages, climb: _Climb) -> Messages:
        """The conversation with the unreadable reply as the model's turn, and what was wrong in our words."""
        words = f"{climb.flaws[-1].words} Answer once more, with every field."
        complaint = f"{words} {self.user_message_output_requirements(climb.signature)}"
        if climb.text:
            said = {"role": "assistant", "content": climb.text[:_LONGEST_SHOWN]}
            return [*chat, said, {"role": "user", "content": complaint}]
        # there is no turn to show, and two turns of ours in a row are refused by some servers
        return [*chat[:-1], {"role": "user", "content": f"{chat[-1]['content']}\n\n{complaint}"}]


class _Climb:
    """One candidate on its way: what was asked, what came of it."""

    def __init__(
        self,
        lm: GatewayLM,
        ask: Ask,
        options: Mapping[str, Any],
        signature: type[dspy.Signature],
        given: Sequence[str],
        candidate: int,
        max_reply_tokens: int,
    ) -> None:
        self.signature = signature
        self.rollout: dict[str, Any] = {"rollout_id": options.get("rollout_id"), "candidate": candidate}
        self.flaws: list[Flaw] = []
        self.text = ""
        self._lm = lm
        self._ask = ask
        self._given = given
        self._options = dict(options)
        self._max_reply_tokens = max_reply_tokens
        self._lengthened = False

    async def tried(self, messages: Messages, read: Read) -> dict[str, Any] | None:
        """The output fields, or None: then `flaws` and `text` hold what came instead."""
        request = self._lm.request(messages, self._options)
        try:
            self.text = seen((await self._ask(request, **self.rollout)).text or "").strip()
        except CallFailed as failed:
            if failed.outcome is Outcome.TRUNCATED:
                self._count(request, Flaw(FormatDefect.TRUNCATED))
                if self._lengthened:
                    raise
                self._lengthen(request, failed)
                return await self.tried(messages, read)
            if failed.outcome not in {Outcome.EMPTY, Outcome.TOOL_CALL}:
                raise
            self.text = ""
        try:
            return read_own(read, self.signature, self.text, self._given)
        except Flawed as flawed:
            self._count(request, flawed.flaw)
            return None

    def _lengthen(self, request: lm15.Request, failed: CallFailed) -> None:
        said = (failed.reply.usage.output_tokens if failed.reply else None) or 0
        self._options["max_tokens"] = 2 * (request.config.max_tokens or max(self._max_reply_tokens, said))
        self._lengthened = True

    def _count(self, request: lm15.Request, flaw: Flaw) -> None:
        self.flaws.append(flaw)
        self._lm.count_unreadable(request, flaw.defect, **self.rollout)
