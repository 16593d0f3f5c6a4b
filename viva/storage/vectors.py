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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from http import HTTPStatus
from itertools import count, islice, takewhile
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit
from uuid import NAMESPACE_OID, uuid5
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from viva.core.disk_space import room_for, write_whole
from viva.core.errors import RunLocked, TransientError, UsageError
from viva.metrics.text.cosines import COSINE_DECIMALS, Vectors, cosines, settled_cosines

VECTOR_FOLDER = "vectors"
POINTS_PER_CALL = 200
POINTS_OF_A_LOCAL_COLLECTION = 2**12 - 1
"""The local mode takes ten times a collection's size to open it, copies a list of its points at each new one, and
doubles its array of vectors when that is full, as it is at this size."""
# what Qdrant scores less than so much lower may have the same cosine to four decimals, though either be off by one
_MAY_TIE = 3 * 10.0**-COSINE_DECIMALS

# the vectors of a point on a server: dense, of what its text says, and sparse, of the words that it holds
_MEANING, _WORDS = "meaning", "words"
# the server counts ranks from 0, and a rank's share is 1 / (60 + rank from 1); sums that differ do so by 8e-7 or more
_RRF = models.RrfQuery(rrf=models.Rrf(k=61))
_RRF_DECIMALS = 7

Hit = tuple[str, float]
Weights = Mapping[str, float]
"""What each word of a text weighs."""
_Vector = list[float] | dict[str, Any]
Exact = Callable[[Sequence[str]], NDArray[np.float64]]
"""Gives the cosines of exact vectors of these ids with the exact one that is searched for."""
Alone = Callable[[str], AbstractContextManager[object]]
"""Holds a name while what it names is made."""


class VectorStore:
    """Collections of vectors, each named by the content hash of what it holds. Scores are cosines.

    Raises RunLocked if another process has the folder open, UsageError for a folder or server that cannot be used,
    TransientError when a server does not answer.
    """

    def __init__(
        self, client: QdrantClient, folder: Path | None, alone: Alone = nullcontext, owner: str = ""
    ) -> None:
        """Use `VectorStore.open`. `folder` is None for a server."""
        self.owner = owner
        self._client = client
        self._folder = folder
        self._alone = alone

    @classmethod
    def open(cls, folder: Path, url: str | None = None, alone: Alone = nullcontext, owner: str = "") -> Self:
        """The run folder's vectors, or a server's. The key to a server is read from QDRANT_API_KEY only.

        While a collection is made `alone` holds its name, where several processes of one `owner`, a run that is kept
        in a database, share a server. Runs, and folders without an owner, share no collection: none makes another's
        anew.
        """
        if url is None:
            path = folder / VECTOR_FOLDER
            return cls(_local_client(path), path, alone)
        return cls(_server_client(url), None, alone, owner or str(folder.resolve()))

    @property
    def holds_words(self) -> bool:
        """Whether texts are found by their words here too: the local mode would go through all of them in Python."""
        return self._folder is None

    def ensure(
        self, collection: str, ids: Sequence[str], vectors: Iterable[Vectors], words: Iterable[Weights] = ()
    ) -> None:
        """Make the collection of these vectors, one of shape (d,) for each id, unless it stands there whole.

        They are taken one after the other, and not at all where nothing is to be made; so are `words`, the weights of
        each text's, where the store holds words: a server multiplies them with how rare a word is (BM25).
        """
        with self._translated(), _without_advice():
            if self._is_whole(collection, len(ids)):
                return
            with self._alone(collection):
                # another process may have made it meanwhile
                if not self._is_whole(collection, len(ids)):
                    self._make(collection, ids, vectors, words)
                    if ids and not self._is_whole(collection, len(ids)):
                        raise TransientError("The vectors were taken away while they were kept.")

    def _is_whole(self, collection: str, size: int) -> bool:
        parts = self._parts(collection)
        return bool(parts) and sum(self._client.count(part, exact=True).count for part in parts) == size

    def _make(
        self, collection: str, ids: Sequence[str], vectors: Iterable[Vectors], words: Iterable[Weights]
    ) -> None:
        for part in self._parts(collection):
            # a killed process left it half made
            self._client.delete_collection(part)
        if self.holds_words:
            named = zip(vectors, words, strict=True)
            kept: Iterator[_Vector] = ({_MEANING: v.tolist(), _WORDS: _sparse(w)} for v, w in named)
        else:
            kept = (vector.tolist() for vector in vectors)
        self._build(collection, zip(ids, kept, strict=True))

    def search(
        self, collection: str, vector: Vectors, k: int, exact: Exact | None = None, *, ranks_only: bool = False
    ) -> list[Hit]:
        """The k nearest: (id, cosine to four decimals), best first, ties by id. None where there is no collection.

        Where vectors are of single precision, `exact` gives the cosines that the result depends on; with `ranks_only`
        the last decimal of the others may be off by one.
        """
        found: list[Hit] = []
        with self._translated():
            parts = self._parts(collection) if k > 0 else []
            # a rank among several parts depends on cosines that are not compared here
            hits_of = partial(_hits, vector, exact=exact, ranks_only=ranks_only and len(parts) == 1)
            for part in parts:
                found = _best([*found, *self._settled(part, vector, k, hits_of)])[:k]
        return found

    def search_words(self, collection: str, words: Weights, k: int) -> list[Hit]:
        """The k that score highest for these words, by BM25 where `ensure` was given its weights; ties by id."""
        asked, query = k + 1, {"query": _sparse(words), "using": _WORDS}
        hits = self._asked(collection, asked, **query) if words and k > 0 else []
        # all that tie with the k-th must be seen, for the server parts them as it likes
        while len(hits) == asked and hits[-1][1] == hits[k - 1][1]:
            asked *= 2
            hits = self._asked(collection, asked, **query)
        return _best(hits)[:k]

    def search_both(self, collection: str, vector: Vectors, words: Weights, k: int, *, looked_at: int) -> list[Hit]:
        """Fused by the server from so many of either search: the sum over both of 1 / (60 + rank)."""
        exact = models.SearchParams(exact=True)
        searches = [models.Prefetch(query=vector.tolist(), using=_MEANING, limit=looked_at, params=exact)]
        if words:
            searches.append(models.Prefetch(query=_sparse(words), using=_WORDS, limit=looked_at))
        # all of them: those that tie are parted by id
        hits = self._asked(collection, 2 * looked_at, prefetch=searches, query=_RRF)
        return _best((id_, round(score, _RRF_DECIMALS)) for id_, score in hits)[:k]

    def close(self) -> None:
        """Close the connection and let other processes in."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        numbers = count() if self._folder is not None else range(1)
        return list(takewhile(self._client.collection_exists, (_part(collection, n) for n in numbers)))

    def _build(self, collection: str, pairs: Iterator[tuple[str, _Vector]]) -> None:
        waiting = iter(pairs)
        most = POINTS_OF_A_LOCAL_COLLECTION if self._folder is not None else None
        for name in (_part(collection, n) for n in count()):
            own = islice(waiting, most)
            while batch := list(islice(own, POINTS_PER_CALL)):
                if not self._client.collection_exists(name):
                    self._create(name, batch[0][1])
                points = [models.PointStruct(id=_point_id(i), vector=v, payload={"id": i}) for i, v in batch]
                self._client.upsert(name, points, wait=True)
            if not self._client.collection_exists(name):
                return

    def _create(self, name: str, first: _Vector) -> None:
        dense = first[_MEANING] if isinstance(first, dict) else first
        cosine = models.VectorParams(size=len(dense), distance=models.Distance.COSINE)
        rare = {_WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)}
        self._client.create_collection(
            name,
            vectors_config={_MEANING: cosine} if self.holds_words else cosine,
            sparse_vectors_config=rare if self.holds_words else None,
        )
        if self._folder is not None:
            _use_write_ahead_log(self._folder / "collection" / name / "storage.sqlite")

    def _settled(
        self, collection: str, vector: Vectors, k: int, hits_of: Callable[[Sequence[models.ScoredPoint]], list[Hit]]
    ) -> list[Hit]:
        """The first k, after looking far enough to see all that tie with the k-th.

        Qdrant finds the points; it sums in single precision, and a collection that was opened again was normalised
        twice. The cosines are made of the vectors themselves.
        """
        asked = k + 1
        while True:
            points = self._query(collection, vector, asked)
            hits = hits_of(points)
            if len(points) < asked or points[-1].score <= hits[k - 1][1] - _MAY_TIE:
                return hits[:k]
            asked *= 2

    def _query(self, collection: str, vector: Vectors, limit: int) -> list[models.ScoredPoint]:
        # a server's index is approximate unless told otherwise; the local mode is always exact, and warns if told
        how: dict[str, Any] = {"limit": limit, "with_payload": True, "with_vector": True}
        if self.holds_words:
            how |= {"params": models.SearchParams(exact=True), "using": _MEANING, "with_vector": [_MEANING]}
        request = models.QueryRequest(query=vector.tolist(), **how)
        return self._client.query_batch_points(collection, [request])[0].points

    def _asked(self, collection: str, limit: int, **query: Any) -> list[Hit]:
        with self._translated():
            if limit < 1 or not self._client.collection_exists(collection):
                return []
            found = self._client.query_points(collection, limit=limit, with_payload=True, **query)
            return [(_content_id(point), point.score) for point in found.points]


def _hits(
    vector: Vectors, points: Sequence[models.ScoredPoint], exact: Exact | None, *, ranks_only: bool
) -> list[Hit]:
    if not points:
        return []
    ids = [_content_id(point) for point in points]
    rows = [point.vector[_MEANING] if isinstance(point.vector, dict) else point.vector for point in points]
    held = np.array(rows, dtype=np.float32)
    if exact is None:
        found = cosines(held, vector)
    else:
        found = settled_cosines(held, vector, lambda places: exact([ids[n] for n in places]), ranks_only=ranks_only)
    return _best(zip(ids, found.tolist(), strict=True))


def _best(hits: Iterable[Hit]) -> list[Hit]:
    """All of them, best first, ties by id."""
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


def _part(collection: str, number: int) -> str:
    return f"{collection}-{number}" if number else collection


def _sparse(words: Weights) -> models.SparseVector:
    """Words by a number of theirs, of four billion: two that share one are taken for one word."""
    weights: dict[int, float] = {}
    for word, weight in words.items():
        number = crc32(word.encode())
        weights[number] = weights.get(number, 0.0) + weight
    return models.SparseVector(indices=list(weights), values=list(weights.values()))


def _content_id(point: models.ScoredPoint) -> str:
    return str((point.payload or {})["id"])


def _point_id(content_id: str) -> str:
    return str(uuid5(NAMESPACE_OID, content_id))


# --- opening ---------------------------------------------------------------------------------------------


def _local_client(path: Path) -> QdrantClient:
    try:
        with _without_advice(), room_for(path):
            _make_meta(path / "meta.json")
            # one thread makes and searches them, another closes them
            return QdrantClient(path=str(path), force_disable_check_same_thread=True)
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
