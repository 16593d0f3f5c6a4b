"""What roles ask through: a DSPy signature in, its output fields out, whatever the model made of the format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import dspy

from viva.core.calls import Outcome, binding
from viva.core.errors import RoleFailed
from viva.llm.calls import CallFailed
from viva.llm.dspy_bridge import GatewayLM
from viva.llm.formats.ladder import LadderAdapter, Unreadable
from viva.llm.gateway import Gateway

_CODES = {
    Outcome.REFUSED: "model_refused",
    Outcome.FILTERED: "model_filtered",
    Outcome.TRUNCATED: "model_truncated",
    Outcome.TOO_LONG: "model_rejected_request",
    Outcome.INVALID: "model_rejected_request",
    Outcome.DENIED: "model_rejected_request",
}
_LONGEST_DETAIL = 200


class Asker:
    """Asks the models of a gateway, on the gateway's event loop. Keeps nothing of a call."""

    def __init__(self, gateway: Gateway, *, max_reply_tokens: int = 2048) -> None:
        """`max_reply_tokens` is the gateway's own limit of a reply: one that is cut off gets twice as many."""
        self._gateway = gateway
        self._adapter = LadderAdapter(max_reply_tokens)
        self._lms: dict[str, GatewayLM] = {}
        self._predictors: dict[type[dspy.Signature], dspy.Predict] = {}

    async def ask(
        self,
        role: str,
        signature: type[dspy.Signature],
        /,
        *,
        demos: Sequence[Mapping[str, object]] = (),
        **inputs: object,
    ) -> dspy.Prediction:
        """One attribute per output field, of the field's type.

        `demos` are solved examples, put before the question.
        Signatures are kept, one predictor each: ask with one class again and again rather than with copies of it.
        Raises RoleFailed (model_refused, model_filtered, model_truncated, model_unreadable, model_unavailable,
        model_rejected_request) where there is no readable answer. BudgetReached, UsageError and TransientError
        come through.
        """
        if inputs.keys() != signature.input_fields.keys():
            raise TypeError(f"{signature.__name__} takes {sorted(signature.input_fields)}, not {sorted(inputs)}.")
        # DSPy would keep the last ten thousand calls in its history, and as many in its trace
        kept_out = {"disable_history": True, "trace": None, "track_usage": False, "usage_tracker": None}
        with (
            binding(role=role),
            dspy.context(lm=self._lm(role), adapter=self._adapter, warn_on_type_mismatch=False, **kept_out),
        ):
            try:
                shown = [dict(demo) for demo in demos]
                return await self._predictor(signature).acall(demos=shown, **inputs)
            except Unreadable as unreadable:
                raise _unreadable(role, unreadable) from None
            except CallFailed as failed:
                raise _failed(role, failed) from None

    def _lm(self, role: str) -> GatewayLM:
        if role not in self._lms:
            self._lms[role] = GatewayLM(self._gateway, role)
        return self._lms[role]

    def _predictor(self, signature: type[dspy.Signature]) -> dspy.Predict:
        if signature not in self._predictors:
            self._predictors[signature] = dspy.Predict(signature)
        return self._predictors[signature]


def _unreadable(role: str, unreadable: Unreadable) -> RoleFailed:
    tries, last = len(unreadable.flaws), unreadable.flaws[-1].words
    return RoleFailed("model_unreadable", f"None of {tries} replies of the role “{role}” could be read. {last}")


def _failed(role: str, failed: CallFailed) -> RoleFailed:
    detail = re.sub(r"[^\w\s.,:;!?%()/'-]", "", " ".join(failed.detail.split()))[:_LONGEST_DETAIL]
    code = _CODES.get(failed.outcome, "model_unavailable")
    return RoleFailed(code, f"The model of the role “{role}” gave no answer ({failed.outcome.value}): {detail}")
