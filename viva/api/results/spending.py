"""What a run asked of language models: calls, tokens and money, by role and model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from viva.api.result import Cell, Column, Kind, Result, Table
from viva.core.accounts import ModelUse
from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.graphs.authoring.account import funnel_of, model_use_of
from viva.graphs.context import RunContext
from viva.reports.sections.spending import (
    each,
    in_one_line,
    kinds,
    mean_seconds,
    money,
    per_accepted_item,
    tokens,
    total,
)

_TITLE = "Language models"
_NAMES = ("calls", "requests", "hits", "failed", "unreadable", "tokens in", "cached", "tokens out", "cost")
_COLUMNS = (
    *map(Column, ("role", "model")),
    *(Column(name, Kind.NUMBER) for name in _NAMES),
    Column("latency", Kind.SECONDS),
)


def spent_record(context: RunContext) -> dict[str, object]:
    """Give models by role, and averages of writing per accepted item (None without items)."""
    uses = model_use_of(context.models)
    per_item = per_accepted_item(uses, funnel_of(context.store).accepted)
    return {
        "model_use": [use.model_dump(mode="json") for use in uses],
        "per_accepted_item": per_item.model_dump(mode="json") if per_item else None,
    }


def spent_sentences(context: RunContext) -> tuple[str, ...]:
    """Say in one line what was spent, if there is a ledger."""
    uses = model_use_of(context.models)
    line = in_one_line(uses, funnel_of(context.store).accepted) if uses else ""
    return (f"Spent: {line}. By role: viva ledger {context.folder}",) if line else ()


def spent_result(context: RunContext) -> Result:
    """Put the use of models into a table by role and model, with failures and averages in sentences."""
    uses, record = model_use_of(context.models), spent_record(context)
    if not uses:
        none = f"No language model was used in {context.folder}, so nothing was spent."
        return Result.joined("", [Result("", (), (none,))], record, Table(_TITLE, _COLUMNS, ()))
    rows = tuple(map(_cells, [*uses, total(uses)]))
    notes = tuple(_sentences(uses, funnel_of(context.store).accepted))
    return Result(_TITLE, (Table(_TITLE, _COLUMNS, rows),), notes, record)


def _cells(use: ModelUse) -> tuple[Cell, ...]:
    return (
        use.role,
        f"{use.provider}:{use.model}" if use.model else "",
        *(use.calls, use.requests, use.hits, sum(use.failures.values()), sum(use.unreadable.values())),
        *(tokens(count, use) for count in (use.input_tokens, use.cached_tokens, use.output_tokens)),
        money(use),
        mean_seconds(use),
    )


def _sentences(uses: Sequence[ModelUse], accepted: int) -> Iterator[str]:
    whole, per_item = total(uses), per_accepted_item(uses, accepted)
    for use in uses:
        for label, counts in (("Failed requests", use.failures), ("Unreadable replies", use.unreadable)):
            if counts:
                yield f"{label}: {use.role}, {use.provider}:{use.model}: {kinds(counts)}."
    if whole.uncounted_tokens:
        yield f"There were about {whole.uncounted_tokens:,} more tokens, which the provider did not count."
        came = "came without a token count: their tokens are estimated from their texts."
        yield f"{counted(whole.uncounted, 'reply', 'replies')} {came}"
    if whole.unpriced:
        yield f"{whole.unpriced:,} replies have no known price. Give it: --price PROVIDER:MODEL=INPUT,OUTPUT"
    averages = each(per_item) if per_item else "no model was asked" if accepted else "no item was accepted yet"
    yield f"Writing, per accepted item ({accepted}): {averages}."


def record_replies(run: Path, recording: Path) -> Result:
    """Write the replies of a run's models to a file that `model="replay:FILE"` reads."""
    from viva.exams.file import write_file
    from viva.storage.ledger import replies_alone

    if recording.resolve().parent == run.resolve():
        raise UsageError(
            f"The recording {recording} is in the run folder {run}, where it could overwrite the ledger.",
            next_step="Name a file in another folder.",
        )
    kept = replies_alone(run)
    write_file(kept, recording)
    note = f"{recording}: {len(kept):,} bytes. Replay it: --model replay:{recording}"
    return Result("", (), (note,), {"recording": str(recording), "bytes": len(kept)})
