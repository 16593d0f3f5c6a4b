"""What was asked of language models and what it cost, in all and per accepted item; what systems use per answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from viva.core.accounts import ModelUse, PerAcceptedItem, SystemUsage
from viva.core.scores import ExamineeScore
from viva.core.wording import counted, dollars, number, seconds

_TOKENS = ("input_tokens", "output_tokens", "cached_tokens")
_COUNTS = ("calls", "requests", "hits", "uncounted", "uncounted_tokens", "unpriced")
_WRITING = frozenset(
    """units writer expert distractors solver
    judge.contradiction judge.edits judge.exam judge.faithfulness judge.item judge.pairs judge.question""".split()
)
"""Roles that write an exam, those of earlier versions too."""


def total(uses: Sequence[ModelUse]) -> ModelUse:
    """The sum over all roles and models."""
    costs = [use.cost for use in uses if use.cost is not None]
    return ModelUse.model_validate(
        {
            **{name: sum(getattr(use, name) for use in uses) for name in _COUNTS},
            **{name: _known(getattr(use, name) for use in uses) for name in _TOKENS},
            "role": "sum",
            "provider": "",
            "model": "",
            "failures": _summed(use.failures for use in uses),
            "unreadable": _summed(use.unreadable for use in uses),
            "cost": sum(costs) if costs else None,
            "seconds": sum(use.seconds for use in uses),
        }
    )


def per_accepted_item(uses: Sequence[ModelUse], accepted: int) -> PerAcceptedItem | None:
    """Averages of writing over the accepted items; None where nothing was asked or nothing was accepted.

    What the examination takes, of readers, examiner and judges of answers, grows with the systems.
    """
    whole = total([use for use in uses if use.role in _WRITING])
    if not accepted or not whole.requests:
        return None
    return PerAcceptedItem(
        calls=whole.calls / accepted,
        tokens=whole.tokens / accepted,
        cost=None if whole.unpriced else (whole.cost or 0.0) / accepted,
    )


def money(use: ModelUse) -> str:
    """The cost in words, honest about replies whose price is not known. Without any reply nothing was paid."""
    if not use.unpriced:
        return dollars(use.cost or 0.0)
    return "not known" if use.cost is None else f"at least {dollars(use.cost)}"


def tokens(counted: int | None, use: ModelUse) -> str:
    """Tokens as the provider counted them, in words, honest about replies that it did not count."""
    if counted is None:
        return "not known"
    return f"at least {counted:,}" if use.uncounted else f"{counted:,}"


def mean_seconds(use: ModelUse) -> float | None:
    """Mean latency of a request; None where none was sent."""
    return use.seconds / use.requests if use.requests else None


def kinds(counts: Mapping[str, int]) -> str:
    """'3 rate limited, 1 timed out', most frequent first."""
    return ", ".join(f"{n:,} {kind}" for kind, n in sorted(counts.items(), key=lambda k: (-k[1], k[0])))


def in_one_line(uses: Sequence[ModelUse], accepted: int) -> str:
    """Calls, tokens and money, in all and per accepted item."""
    whole, per_item = total(uses), per_accepted_item(uses, accepted)
    estimated = f" ({whole.uncounted_tokens:,} of them estimated)" if whole.uncounted_tokens else ""
    text = f"{counted(whole.calls, 'model call')}, {whole.tokens:,} tokens{estimated}, cost {money(whole)}"
    return text if per_item is None else f"{text}; writing, per accepted item: {each(per_item)}"


def each(per_item: PerAcceptedItem) -> str:
    """'12.3 calls, 8,400 tokens, cost $0.0012'."""
    cost = "not known" if per_item.cost is None else dollars(per_item.cost)
    return f"{per_item.calls:,.1f} calls, {per_item.tokens:,.0f} tokens, cost {cost}"


# --- the systems under examination ------------------------------------------------------------------------


def tokens_counted(rows: Iterable[ExamineeScore]) -> bool:
    """Tell whether any system counts its tokens."""
    return any(row.usage and row.usage.tokens is not None for row in rows)


def cost_known(rows: Iterable[ExamineeScore]) -> bool:
    """Tell whether any system names a cost."""
    return any(row.usage and row.usage.cost is not None for row in rows)


def latency_in_words(usage: SystemUsage | None) -> str:
    """The median and the 95th percentile without the first answer, as '120 ms / 1.4 s'; '-' if not known."""
    if usage is None or usage.first_s is None:
        return "-"
    if usage.p50_s is None or usage.p95_s is None:
        return f"{seconds(usage.first_s)} (one answer)"
    return f"{seconds(usage.p50_s)} / {seconds(usage.p95_s)}"


def tokens_in_words(usage: SystemUsage | None) -> str:
    """Mean tokens of an answer, read and written; '-' if not counted."""
    return "-" if usage is None or usage.tokens is None else number(usage.tokens, 0)


def cost_in_words(usage: SystemUsage | None) -> str:
    """Mean cost of an answer in US dollars; '-' if not known."""
    return "-" if usage is None or usage.cost is None else dollars(usage.cost)


def usage_sentence(usage: SystemUsage | None) -> str:
    """What an answer takes, in words; '' if nothing is known."""
    if usage is None:
        return ""
    parts = []
    if usage.tokens is not None:
        read, written = (
            "?" if count is None else number(count, 0) for count in (usage.input_tokens, usage.output_tokens)
        )
        parts.append(f"{tokens_in_words(usage)} tokens ({read} read, {written} written)")
    parts += [f"{cost_in_words(usage)}"] if usage.cost is not None else []
    if usage.p50_s is not None and usage.p95_s is not None:
        parts.append(f"p50 {seconds(usage.p50_s)}, p95 {seconds(usage.p95_s)}")
    parts += [f"first answer {seconds(usage.first_s)}"] if usage.first_s is not None else []
    few = f" ({usage.counted} of {usage.answers} answers say what they used)" if usage.counted < usage.answers else ""
    return f"An answer takes {', '.join(parts)}{few if usage.counted else ''}." if parts else ""


def _known(counts: Iterable[int | None]) -> int | None:
    """The sum of those that are known; None where some are not, and the others come to nothing."""
    listed = list(counts)
    known = sum(count for count in listed if count is not None)
    return None if None in listed and not known else known


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    whole: Counter[str] = Counter()
    for some in counts:
        whole.update(some)
    return dict(sorted(whole.items()))
