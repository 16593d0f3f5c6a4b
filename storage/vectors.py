"""Vectors and nearest neighbours through Qdrant: RUN/vectors by default, a server by URL, the same code.

The local mode commits every point by itself, however they are batched, so building is as fast as the disk flushes.
Measured at 384 dimensions on two idle cores, three runs each: 1,010-1,100 points per second, 3,140-3,530 with a
write-ahead log. While other processes kept the machine busy, the latter fell as low as 250.
"""

from __future__ import annotations

import json
import os
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from itertools import count, islice, takewhile
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit
from uuid import NAMESPACE_OID, uuid5

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from viva.core.disk_space import room_for, write_whole
from viva.core.errors import RunLocked, TransientError, UsageError
from viva.metrics.text.cosines import COSINE_DECIMALS, Vectors, cosines

VECTOR_FOLDER = "vectors"
POINTS_PER_CALL = 1000
POINTS_OF_A_LOCAL_COLLECTION = 2**14 - 1
"""The local mode takes ten times a collection's size to open it, copies a list of its points at each new one, and
doubles its array of vectors when that is full, as it is at this size."""
# what Qdrant scores less than so much lower may have the same cosine to four decimals
_MAY_TIE = 10.0**-COSINE_DECIMALS

Hit = tuple[str, float]


class VectorStore:
    """Collections of vectors, each named by the content hash of what it holds. Scores are cosines.

    Raises RunLocked if another process has the folder open, UsageError for a folder or server that cannot be used,
    TransientError when a server does not answer.
    """

    def __init__(self, client: QdrantClient, folder: Path | None) -> None:
        """Use `VectorStore.open`. `folder` is None for a server."""
        self._client = client
        self._folder = folder

    @classmethod
    def open(cls, folder: Path, url: str | None = None) -> Self:
        """The run folder's vectors, or a server's. The key to a server is read from QDRANT_API_KEY only."""
        if url is None:
            path = folder / VECTOR_FOLDER
            return cls(_local_client(path), path)
        return cls(_server_client(url), None)

    def ensure(self, collection: str, ids: Sequence[str], vectors: Iterable[Vectors]) -> None:
        """Make the collection of these vectors, one of shape (d,) for each id, unless it stands there whole.

        They are taken one after the other, and not at all where nothing is to be made.
        """
        with self._translated(), _without_advice():
            parts = self._parts(collection)
            if parts and sum(self._client.count(part, exact=True).count for part in parts) == len(ids):
                return
            for part in parts:
                # a killed process left it half made
                self._client.delete_collection(part)
            self._build(collection, zip(ids, vectors, strict=True))

    def search(self, collection: str, vector: Vectors, k: int) -> list[Hit]:
        """The k nearest: (id, cosine to four decimals), best first, ties by id. None where there is no collection."""
        return self.search_many(collection, vector[np.newaxis, :], k)[0]

    def search_many(self, collection: str, vectors: Vectors, k: int) -> list[list[Hit]]:
        """`search` for each row of `vectors`."""
        found: list[list[Hit]] = [[] for _ in vectors]
        with self._translated():
            for part in self._parts(collection) if k > 0 else ():
                points = self._query(part, vectors, k + 1)
                for n, (vector, nearest) in enumerate(zip(vectors, points, strict=True)):
                    found[n] = _best([*found[n], *self._settled(part, vector, k, nearest)])[:k]
        return found

    def close(self) -> None:
        """Close the connection and let other processes in."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- inside ------------------------------------------------------------------------------------------

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with room_for(self._folder):
                yield
        except sqlite3.Error as error:
            raise _unusable(self._folder, error) from error
        except ResponseHandlingException as error:
            raise TransientError(f"The Qdrant server did not answer: {error}.") from error
        except UnexpectedResponse as error:
            status = error.status_code or 0
            if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise TransientError(f"The Qdrant server failed: {error}.") from error
            raise UsageError(f"The Qdrant server refused: {error}.") from error

    def _parts(self, collection: str) -> list[str]:
        """The collections that hold it; none where it was not made."""
        names = (_part(collection, n) for n in count())
        return list(takewhile(self._client.collection_exists, names))

    def _build(self, collection: str, pairs: Iterable[tuple[str, Vectors]]) -> None:
        waiting = iter(pairs)
        most = POINTS_OF_A_LOCAL_COLLECTION if self._folder is not None else None
        for name in (_part(collection, n) for n in count()):
            own = islice(waiting, most)
            while batch := list(islice(own, POINTS_PER_CALL)):
                if not self._client.collection_exists(name):
                    self._create(name, len(batch[0][1]))
                points = [
                    models.PointStruct(id=_point_id(each), vector=vector.tolist(), payload={"id": each})
                    for each, vector in batch
                ]
                self._client.upsert(name, points, wait=True)
            if not self._client.collection_exists(name):
                return

    def _create(self, name: str, size: int) -> None:
        cosine = models.VectorParams(size=size, distance=models.Distance.COSINE)
        self._client.create_collection(name, vectors_config=cosine)
        if self._folder is not None:
            _use_write_ahead_log(self._folder / "collection" / name / "storage.sqlite")

    def _settled(self, collection: str, vector: Vectors, k: int, points: Sequence[models.ScoredPoint]) -> list[Hit]:
        """The first k, after looking far enough to see all that tie with the k-th.

        Qdrant finds the points; it sums in single precision, and a collection that was opened again was normalised
        twice. The cosines are made of the vectors themselves.
        """
        asked, hits = k + 1, _hits(vector, points)
        while len(points) == asked and points[-1].score > hits[k - 1][1] - _MAY_TIE:
            asked *= 2
            points = self._query(collection, vector[np.newaxis, :], asked)[0]
            hits = _hits(vector, points)
        return hits[:k]

    def _query(self, collection: str, vectors: Vectors, limit: int) -> list[list[models.ScoredPoint]]:
        # a server's index is approximate unless told otherwise; the local mode is always exact, and warns if told
        exact = None if self._folder is not None else models.SearchParams(exact=True)
        requests = [
            models.QueryRequest(query=vector.tolist(), limit=limit, with_payload=True, with_vector=True, params=exact)
            for vector in vectors
        ]
        return [answer.points for answer in self._client.query_batch_points(collection, requests)]


def _hits(vector: Vectors, points: Sequence[models.ScoredPoint]) -> list[Hit]:
    if not points:
        return []
    found = cosines(np.array([point.vector for point in points], dtype=np.float32), vector)
    ids = [str((point.payload or {})["id"]) for point in points]
    return _best(zip(ids, found.tolist(), strict=True))


def _best(hits: Iterable[Hit]) -> list[Hit]:
    """All of them, best first, ties by id."""
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


def _part(collection: str, number: int) -> str:
    return f"{collection}-{number}" if number else collection


def _point_id(content_id: str) -> str:
    return str(uuid5(NAMESPACE_OID, content_id))


# --- opening ---------------------------------------------------------------------------------------------


def _local_client(path: Path) -> QdrantClient:
    try:
        with _without_advice(), room_for(path):
            _make_meta(path / "meta.json")
            return QdrantClient(path=str(path))
    except RuntimeError as error:
        if "already accessed" not in str(error):
            raise
        raise RunLocked(
            f"Another process has the vectors in {path} open.", next_step="Wait for it, or stop it, then try again."
        ) from error
    except (OSError, ValueError, KeyError, sqlite3.Error) as error:
        raise _unusable(path, error) from error


def _make_meta(file: Path) -> None:
    """Qdrant would write into it as it goes: on a full disk it would stay empty, and be unreadable ever after."""
    if not file.exists() or not file.stat().st_size:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, json.dumps({"collections": {}, "aliases": {}}))


def _unusable(path: Path | None, error: Exception) -> UsageError:
    return UsageError(
        f"The vectors in {path} cannot be used: {error}.",
        next_step="Delete that folder: it is made again from the embeddings.",
    )


def _server_client(url: str) -> QdrantClient:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
        raise UsageError(
            "The Qdrant URL cannot be read.",
            allowed="http://host:6333 or https://host:6333; the key goes into QDRANT_API_KEY, not into the URL.",
        )
    client = QdrantClient(url=url, api_key=os.environ.get("QDRANT_API_KEY"), check_compatibility=False)
    try:
        client.get_collections()
    except (ResponseHandlingException, UnexpectedResponse) as error:
        client.close()
        raise UsageError(
            f"The Qdrant server at {url} cannot be used: {error}.",
            next_step="Start it, set QDRANT_API_KEY if it wants a key, or leave the URL out.",
        ) from error
    return client


def _use_write_ahead_log(file: Path) -> None:
    """One flush per point instead of several. The file remembers it; without it, things are only slower."""
    if not file.is_file():
        return
    connection = sqlite3.connect(file)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.Error:
        return
    finally:
        connection.close()


@contextmanager
def _without_advice() -> Iterator[None]:
    """Above 20,000 points the local mode warns that a server would be better."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Local mode is not recommended", category=UserWarning)
        yield
