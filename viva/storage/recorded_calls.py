"""Reading a ledger of calls: replies, totals, and every request that was sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Self

from sqlalchemy import Connection, Engine, Row, Select, bindparam, func, inspect, or_, select

from viva.core.accounts import ModelUse
from viva.core.calls import Entry, Outcome, Reply, Spent
from viva.core.errors import RunMismatch, UsageError
from viva.storage.database import driver_connection, driver_sql, translated
from viva.storage.ledger_tables import (
    SCHEMA_VERSION,
    hits,
    meta,
    metadata,
    read_entry,
    read_reply,
    requests,
    texts,
    texts_of,
    unreadable,
)

LEDGER_FILE = "ledger.sqlite"

_r = requests.c
_COUNTED = (_r.input_tokens, _r.output_tokens, _r.cached_tokens)
_NAME = (_r.role, _r.provider, _r.model)
_REPLIES = select(requests, texts.c.text.label("said")).join(texts, texts.c.hash == _r.text)

ANSWER = _REPLIES.where(_r.key == bindparam("key"), _r.outcome == Outcome.ANSWERED.value).order_by(_r.id)
"""The replies by which the call with this `key` was answered, the first one first; the text is `said`."""
_FIND, _FIND_PARAMETERS = driver_sql(ANSWER), dict(ANSWER.compile().params)
_FOUND = [column.name for column in ANSWER.selected_columns]
_TO_QUESTION = _REPLIES.where(_r.question_key == bindparam("key")).order_by(
    _r.outcome != Outcome.ANSWERED.value, _r.id
)
_LOST = (
    select(_r.provider, _r.model, _r.outcome, _r.error)
    .where(_r.question_key == bindparam("key"), _r.text.is_(None), _r.outcome != Outcome.DENIED.value)
    .order_by(_r.id.desc())
)
_SPENT = select(
    func.count(),
    *(func.coalesce(func.sum(column), 0) for column in (_r.input_tokens, _r.output_tokens, _r.uncounted_tokens)),
    func.coalesce(func.sum(_r.cost), 0.0),
)
_USE = select(
    *_NAME,
    _r.outcome,
    func.count().label("requests"),
    func.count(_r.text).label("replies"),
    *(func.sum(column).label(column.name) for column in _COUNTED),
    func.count(_r.text).filter(or_(_r.input_tokens.is_(None), _r.output_tokens.is_(None))).label("uncounted"),
    func.coalesce(func.sum(_r.uncounted_tokens), 0).label("uncounted_tokens"),
    func.sum(_r.cost).label("cost"),
    # a request without a reply is not paid for
    func.count(_r.text).filter(_r.cost.is_(None)).label("unpriced"),
    func.sum(_r.latency_s).label("seconds"),
).group_by(*_NAME, _r.outcome)
_MODELS = select(_r.key, _r.provider, _r.model).distinct().subquery()
_UNREADABLE = select(unreadable, _MODELS.c.provider, _MODELS.c.model).join(_MODELS, _MODELS.c.key == unreadable.c.key)


class RecordedCalls:
    """A ledger that is only read. UsageError where it cannot be; all replies come marked as they were recorded."""

    def __init__(self, engine: Engine, closed: Callable[[], None] = lambda: None) -> None:
        """On an engine; `closed` is called in the end."""
        self._engine = engine
        self._closed = closed
        with self._reading() as connection:
            check_tables(connection, str(engine.url.database))
        self._finder = engine.raw_connection()
        self._finding = Lock()

    # --- replies -----------------------------------------------------------------------------------------

    def find(self, key: str) -> Reply | None:
        """The first reply by which this call was answered, marked cached; None where it was not."""
        with self._readable(), self._finding:
            found = driver_connection(self._finder).execute(_FIND, {**_FIND_PARAMETERS, "key": key}).fetchall()
            if not found:
                return None
            row = dict(zip(_FOUND, found[0], strict=True))
            return read_reply(row, row["said"], cached=True)

    def find_question(self, question_key: str) -> list[tuple[str, str, str, Reply]]:
        """(provider, model, endpoint, reply) of everybody who was asked this and said something.

        One each, the first answer, or where there was none the first refusal or the like; answers come first.
        """
        found: dict[str, tuple[str, str, str, Reply]] = {}
        with self._reading() as connection:
            for row in connection.execute(_TO_QUESTION, {"key": question_key}).mappings():
                reply = read_reply(row, row["said"])
                found.setdefault(row["key"], (row["provider"], row["model"], row["endpoint"], reply))
        return list(found.values())

    def find_lost(self, question_key: str) -> list[tuple[str, str, Outcome, str]]:
        """(provider, model, outcome, error) of the requests to ask this that brought no reply, the last one first."""
        with self._reading() as connection:
            lost = connection.execute(_LOST, {"key": question_key}).tuples().all()
            return [(provider, model, Outcome(outcome), error or "") for provider, model, outcome, error in lost]

    # --- totals ------------------------------------------------------------------------------------------

    def spent(self) -> Spent:
        """Totals over all requests. One that brought no reply counts as a request, with no tokens and no money."""
        with self._reading() as connection:
            sent, read, written, estimated, cost = connection.execute(_SPENT).one()
        return Spent(requests=sent, tokens=read + written + estimated, cost=cost, estimated_tokens=estimated)

    def use(self) -> list[ModelUse]:
        """What each role has asked of each model, sorted by role, provider, model."""
        tallies: dict[tuple[str, str, str], _Tally] = {}

        def tally(row: Row[Any]) -> _Tally:
            return tallies.setdefault((row.role, row.provider, row.model), _Tally())

        with self._reading() as connection:
            for row in connection.execute(_USE):
                tally(row).add(row)
            for row in connection.execute(select(hits)):
                tally(row).hits += row.times
            for row in connection.execute(_UNREADABLE):
                tally(row).unreadable[row.kind] += row.times
        return [tallies[name].made(*name) for name in sorted(tallies)]

    def unpriced(self) -> int:
        """Replies for which no price is known."""
        return sum(use.unpriced for use in self.use())

    # --- every request -----------------------------------------------------------------------------------

    def entries(self, chunk_id: str | None = None, keys: Collection[str] | None = None) -> Iterator[Entry]:
        """The requests in the order they ended: all, or those for this chunk, or of these calls."""
        query = select(requests).order_by(_r.id)
        if chunk_id is not None:
            query = query.where(_r.chunk_id == chunk_id)
        if keys is not None:
            query = query.where(_r.key.in_(_listed(keys)))
        with self._reading() as connection:
            for row in connection.execute(query).mappings():
                named = texts.c.hash.in_(_listed(texts_of(row)))
                kept = connection.execute(select(texts.c.hash, texts.c.text).where(named)).tuples().all()
                yield read_entry(row, dict(kept))

    # --- opening and closing -----------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._readable(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            with translated(self._engine.url):
                yield
        except (ValueError, TypeError, LookupError) as error:
            raise RunMismatch(
                f"{self._engine.url.database} holds a call that this version of viva cannot read ({error}).",
                next_step="Open it with the version that made it, or take another ledger.",
            ) from error

    def close(self) -> None:
        """Give back all connections."""
        self._finder.close()
        self._engine.dispose()
        self._closed()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_tables(connection: Connection, path: str) -> None:
    """UsageError unless these are the tables of a ledger, RunMismatch unless of one of this version."""
    names = set(inspect(connection).get_table_names())
    if not metadata.tables.keys() <= names:
        raise UsageError(f"{path} is no ledger of calls to language models.", allowed=f"A run's {LEDGER_FILE}.")
    version = connection.scalar(select(meta.c.value).where(meta.c.key == "schema_version"))
    if version != SCHEMA_VERSION:
        raise RunMismatch(
            f"{path} was made by another version of viva (its tables are of version {version or 'unknown'}, this "
            f"one reads version {SCHEMA_VERSION}).",
            next_step="Open it with that version, or take another --out.",
        )


@dataclass
class _Tally:
    """What is counted of one role and model."""

    outcomes: Counter[str] = field(default_factory=Counter)
    hits: int = 0
    unreadable: Counter[str] = field(default_factory=Counter)
    replies: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    """by column; one that is not there was never counted"""
    uncounted: int = 0
    uncounted_tokens: int = 0
    costs: list[float] = field(default_factory=list)
    unpriced: int = 0
    seconds: float = 0.0

    def add(self, row: Row[Any]) -> None:
        """Add a row of `_USE`."""
        self.outcomes[row.outcome] += row.requests
        self.replies += row.replies
        counted = {column.name: getattr(row, column.name) for column in _COUNTED}
        self.tokens.update({name: tokens for name, tokens in counted.items() if tokens is not None})
        self.uncounted += row.uncounted
        self.uncounted_tokens += row.uncounted_tokens
        self.costs += [] if row.cost is None else [row.cost]
        self.unpriced += row.unpriced
        self.seconds += row.seconds

    def made(self, role: str, provider: str, model: str) -> ModelUse:
        """The record."""
        answered = self.outcomes[Outcome.ANSWERED.value]
        return ModelUse(
            role=role,
            provider=provider,
            model=model,
            calls=answered,
            requests=self.outcomes.total(),
            hits=self.hits,
            failures={o: n for o, n in sorted(self.outcomes.items()) if n and o != Outcome.ANSWERED.value},
            unreadable=dict(sorted(self.unreadable.items())),
            # without a reply there is nothing to count
            **{column.name: self.tokens.get(column.name, None if self.replies else 0) for column in _COUNTED},
            uncounted=self.uncounted,
            uncounted_tokens=self.uncounted_tokens,
            cost=sum(self.costs) if self.costs else None,
            unpriced=self.unpriced,
            seconds=self.seconds,
        )


def _listed(values: Collection[str]) -> Select[tuple[str]]:
    # one parameter for any number of values
    given = func.json_each(json.dumps(list(values))).table_valued("value")
    return select(given.c.value)
