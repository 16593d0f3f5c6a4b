"""The tables of one run: append-only facts, the same on SQLite and PostgreSQL.

A record stands whole in `body` (its JSON); columns exist only where something is looked up by them.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, MetaData, PrimaryKeyConstraint, Table, Text

SCHEMA_VERSION = "4"

metadata = MetaData()


def _body() -> Column[str]:
    return Column("body", Text, nullable=False)


def _position() -> Column[int]:
    return Column("position", Integer, nullable=False, index=True)


def _chunk_id() -> Column[str]:
    # of a chunk, or of what else an item is written from (agents.roles.Source.id)
    return Column("chunk_id", Text, nullable=False)


meta = Table("meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
run = Table("run", metadata, Column("id", Text, primary_key=True), _body())

documents = Table("documents", metadata, Column("id", Text, primary_key=True), _position(), _body())
exclusions = Table("exclusions", metadata, Column("id", Text, primary_key=True), _position(), _body())
chunks = Table(
    "chunks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("document_id", Text, ForeignKey("documents.id"), nullable=False),
    _position(),
    _body(),
)

# what the unit extractor found in a source, and which of it repeats others: for a whole batch before its walks begin
extractions = Table("extractions", metadata, Column("chunk_id", Text, primary_key=True), _body())
repeated_units = Table("repeated_units", metadata, Column("chunk_id", Text, primary_key=True), _body())
# a row here says: this source's item graph has finished, and all it made is in the three tables below
chunk_walks = Table("chunk_walks", metadata, Column("chunk_id", Text, primary_key=True), _body())
# overlapping chunks may write the same item: both rows are kept, so that the counts of every walk add up
items = Table(
    "items",
    metadata,
    Column("id", Text, nullable=False),
    _chunk_id(),
    _body(),
    PrimaryKeyConstraint("chunk_id", "id"),
)
rejections = Table(
    "rejections",
    metadata,
    Column("id", Text, nullable=False),
    _chunk_id(),
    _body(),
    PrimaryKeyConstraint("chunk_id", "id"),
)
steps = Table(
    "steps",
    metadata,
    _chunk_id(),
    Column("number", Integer, nullable=False),
    _body(),
    PrimaryKeyConstraint("chunk_id", "number"),
)

# exams and results are logs: an earlier one may come round again, and is then the latest
exams = Table(
    "exams",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False),
    _body(),
)
examinees = Table("examinees", metadata, Column("id", Text, primary_key=True), _body())
responses = Table(
    "responses",
    metadata,
    Column("id", Text, primary_key=True),
    Column("examinee_id", Text, ForeignKey("examinees.id"), nullable=False, index=True),
    Column("item_id", Text, nullable=False, index=True),
    _body(),
)
# what judges said of open answers: another judge, or another version of it, grades anew
grades = Table(
    "grades",
    metadata,
    Column("response_id", Text, nullable=False),
    Column("judge", Text, nullable=False, index=True),
    _body(),
    PrimaryKeyConstraint("response_id", "judge"),
)
# what people said of them: a log, in which a person's last word on an answer holds
labels = Table("labels", metadata, Column("position", Integer, primary_key=True, autoincrement=False), _body())
results = Table(
    "results",
    metadata,
    Column("kind", Text, nullable=False),
    Column("position", Integer, nullable=False),
    _body(),
    PrimaryKeyConstraint("kind", "position"),
)
