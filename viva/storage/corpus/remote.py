"""A folder elsewhere: s3://, gs://, az://, an HTTP server's listing, and whatever else fsspec opens."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit

from viva.core.errors import UsageError, how_to_install
from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.listing import check_patterns, entry_path, ignored
from viva.storage.corpus.source import Excluded, TooSlow, in_time, one_line, refuse_size, storable

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from fsspec import AbstractFileSystem

ATTEMPTS = 3
MAX_DEPTH = 64
"""Folders in folders; a server may make up more without end."""
MAX_ENTRIES = 100_000
"""Files and folders together, for the same reason."""
MAX_LISTING = 64 * 2**20
"""Bytes of the page with which an HTTP server lists a folder."""
FILE_S, LISTING_S = 600, 600
"""Seconds that a file, and the list of all files, may take."""
SILENCE_S = 60
"""Seconds that an HTTP server may send nothing."""
SLOW_AFTER_S, SLOWEST = 30, 1_000
"""Seconds after which a file of an HTTP server must have come with so many bytes a second."""
_PASSING = (408, 429, 500, 502, 503, 504)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*(?:://|::)", re.IGNORECASE)
_HERE = re.compile(r"(?:file|local)://", re.IGNORECASE)
_PIECE = 2**20
_NO_FILES = ("mailto", "javascript", "tel", "data")
_T = TypeVar("_T")


def documents_at(text: str) -> Path | RemoteFolder:
    """The folder or file that is named by a path or an address. UsageError for an address that may not be used."""
    here = _HERE.match(text)
    if here:
        return Path(unquote(text[here.end() :]))
    return RemoteFolder.at(text) if _ADDRESS.match(text) and not Path(text).exists() else Path(text)


@dataclass(frozen=True)
class RemoteFolder:
    """Documents at an address: a folder with all that is in it, or one file. Credentials are the environment's."""

    url: str

    @classmethod
    def at(cls, url: str) -> RemoteFolder:
        """UsageError for an address with a password or a query in it: no part of it is repeated there."""
        if any(_holds_password(link) for link in url.split("::")):
            raise UsageError(
                "The address of the documents holds a user or a password.",
                allowed="Credentials are read from the environment (docs/sources.md).",
                next_step="Leave out what stands before the @.",
            )
        if re.search(r"[?#\s\\\x00-\x1f\x7f]", url):
            raise UsageError(
                "The address of the documents holds a ?, a #, a backslash or white space.",
                allowed="An address such as s3://bucket/folder or https://host/folder/; signed links are none.",
            )
        return cls(url)

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The last part of the address."""
        return unquote(self.url.rstrip("/").rpartition("/")[2])

    def entries(self, ignore: Sequence[str], max_bytes: int) -> list[RemoteFile | Exclusion]:  # noqa: ARG002
        """Files and what cannot be listed, sorted by relative path. UsageError where the folder itself cannot be."""
        check_patterns(ignore)
        try:
            listing = _Listing(self, *_opened(self.url), tuple(ignore))
            single = listing.single_file()
            return [single] if single else sorted(listing.entries(), key=entry_path)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - each store has errors of its own
            raise UsageError(
                f"{self.url} cannot be listed: {_in_words(error)}.",
                allowed="A folder of documents, or one document.",
                next_step="Check the address, and the credentials in the environment (docs/sources.md).",
            ) from None


@dataclass(frozen=True)
class RemoteFile:
    """A file at an address: what its store calls it, its path relative to the folder, its bytes if they are told."""

    folder: RemoteFolder
    address: str
    relative: str
    size: int | None

    def read(self, max_bytes: int) -> bytes:
        """Raises Excluded for what cannot be had, is empty, or larger."""
        if self.size is not None:
            refuse_size(self.size, max_bytes)
        try:
            files, _ = _opened(self.folder.url)
            data = _again(lambda: _bytes(files, self.address, max_bytes + 1))
        except TooSlow as error:
            raise Excluded(ExclusionReason.TOO_SLOW, f"The file cannot be downloaded: {error}.") from error
        except Exception as error:
            raise Excluded(
                ExclusionReason.UNREADABLE, f"The file cannot be downloaded: {_in_words(error)}."
            ) from error
        if len(data) > max_bytes:
            detail = f"The file has over {max_bytes / 1e6:g} MB, the limit; raise max_file_mb or split it."
            raise Excluded(ExclusionReason.OVERSIZED, detail)
        refuse_size(len(data), max_bytes)
        return data


class _SentElsewhere(OSError):
    """The server sends on to another one, which nobody named."""


# --- listing ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Listed:
    """An entry as its store names it."""

    address: str
    relative: str
    is_folder: bool
    size: int | None


class _Listing:
    def __init__(self, folder: RemoteFolder, files: AbstractFileSystem, root: str, ignore: tuple[str, ...]) -> None:
        self.folder = folder
        self.files = files
        self.over_http = _is_http(folder.url)
        self.root = root.rstrip("/")
        self.ignore = ignore

    def single_file(self) -> RemoteFile | None:
        """The file at the address, where it is no folder. Over HTTP a name with a suffix is one."""
        if self.over_http:
            path = urlsplit(self.folder.url).path
            size, is_file = None, not path.endswith("/") and bool(PurePosixPath(path).suffix)
        else:
            told = _again(lambda: in_time(lambda: self.files.info(self.root), FILE_S))
            size, is_file = told.get("size"), told["type"] == "file"
        return RemoteFile(self.folder, self.root, storable(self.folder.name), size) if is_file else None

    def entries(self) -> Iterator[RemoteFile | Exclusion]:
        waiting: list[str] = [""]
        seen: set[tuple[str, bool]] = set()
        until = time.monotonic() + LISTING_S
        while waiting:
            if time.monotonic() > until:
                raise TooSlow(f"its folders take over {LISTING_S:g} seconds to list")
            folder = waiting.pop()
            for entry in self._list(folder):
                if isinstance(entry, Exclusion):
                    yield entry
                    continue
                path = PurePosixPath(entry.relative)
                place = (entry.relative, entry.is_folder)
                if place in seen or ignored(path, self.ignore, is_folder=entry.is_folder):
                    continue
                seen.add(place)
                if len(seen) > MAX_ENTRIES:
                    raise _too_many(self.folder.url)
                if not entry.is_folder:
                    yield RemoteFile(self.folder, entry.address, storable(entry.relative), entry.size)
                elif len(path.parts) <= MAX_DEPTH:
                    waiting.append(entry.relative)
                else:
                    yield _left_out(entry.relative, f"It lies more than {MAX_DEPTH} folders deep.")

    def _list(self, folder: str) -> list[_Listed | Exclusion]:
        try:
            listed = _again(partial(self._links if self.over_http else self._names, folder))
        except Exception as error:
            if not folder:
                raise
            return [_left_out(folder, f"The folder cannot be listed: {_in_words(error)}.")]
        return [self._inside(*entry) for entry in listed]

    def _names(self, folder: str) -> list[tuple[str, str, bool, int | None]]:
        """(name, path from the root, whether it is a folder, bytes) of each entry; object stores mark folders too."""
        at = "/".join(part for part in (self.root, folder) if part)
        prefix = f"{self.root}/".lstrip("/")
        found = []
        for told in in_time(lambda: self.files.ls(at, detail=True), FILE_S):
            is_folder, name = told["type"] == "directory", told["name"].lstrip("/")
            if name.rstrip("/") != at.strip("/"):
                found.append((told["name"], name.removeprefix(prefix), is_folder, told.get("size")))
            elif is_folder:
                # two slashes in a row: what has such a name has no path
                found.append((told["name"], f"{folder}//", is_folder, None))
        # it would be kept in memory, and be taken for what is there the next time
        self.files.invalidate_cache(at)
        return found

    def _links(self, folder: str) -> list[tuple[str, str, bool, int | None]]:
        """The same of the page that lists a folder, without its links to itself and to the folders above."""
        from bs4.filter import SoupStrainer

        from viva.storage.corpus.page_tree import tree_of

        root = f"{self.root}/"
        at = urljoin(root, "".join(f"{quote(part)}/" for part in folder.split("/") if part))
        page = tree_of(_bytes(self.files, at, MAX_LISTING), SoupStrainer("a"))
        targets = dict.fromkeys(
            target.partition("#")[0].partition("?")[0]
            for link in page.find_all("a", href=True)
            if urlsplit(target := urljoin(at, str(link["href"]).strip())).scheme not in _NO_FILES
        )
        return [
            (target, _from_root(target, root), target.endswith("/"), None)
            for target in targets
            if not unquote(at).startswith(f"{unquote(target).rstrip('/')}/")
        ]

    def _inside(self, address: str, relative: str, is_folder: bool, size: int | None) -> _Listed | Exclusion:
        relative = relative.removesuffix("/") if is_folder else relative
        if any(part in {"", ".", ".."} for part in relative.split("/")):
            detail = "The listing names what lies outside the folder, or on another host: it is not fetched."
            return Exclusion(path=one_line(storable(relative)), reason=ExclusionReason.OUTSIDE_FOLDER, detail=detail)
        return _Listed(address, relative, is_folder, size)


def _from_root(target: str, root: str) -> str:
    """The path from the root; an address elsewhere as it is, which is none for its double slash."""
    path, start = unquote(target), unquote(root)
    return path[len(start) :] if path.startswith(start) else target


def _too_many(url: str) -> UsageError:
    return UsageError(
        f"{url} has over {MAX_ENTRIES:,} files and folders.",
        allowed=f"Up to {MAX_ENTRIES:,} are listed.",
        next_step="Name a folder in it, or leave folders out with --ignore.",
    )


def _left_out(relative: str, detail: str) -> Exclusion:
    return Exclusion(path=storable(relative), reason=ExclusionReason.UNREADABLE, detail=detail)


# --- the store -------------------------------------------------------------------------------------------


def _opened(url: str) -> tuple[AbstractFileSystem, str]:
    """The file system and the root in it. fsspec keeps one of each kind open. UsageError for a kind not known."""
    from fsspec.core import url_to_fs

    stays = {"get_client": _client_that_stays}
    # of an address within another, as zip://::https://host/a.zip, each kind is told for itself
    options = stays if _is_http(url) else {kind: stays for kind in ("http", "https") if f"::{kind}://" in url.lower()}
    try:
        files, root = in_time(lambda: url_to_fs(url, **options), FILE_S)
    except ImportError as error:
        raise UsageError(
            f"{url} needs a package that is not installed: {error}.",
            next_step=f"s3, gs, az: {how_to_install('cloud')}",
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{url} cannot be opened: {str(error).rstrip('.')}.",
            allowed="An address begins with s3://, gs://, az://, abfs://, https://, or as fsspec knows others.",
        ) from None
    return files, root


async def _client_that_stays(**options: Any) -> ClientSession:
    """A client that is sent on to no other server."""
    import aiohttp

    async def check(_session: Any, _context: Any, told: aiohttp.TraceRequestRedirectParams) -> None:
        target = urljoin(str(told.url), told.response.headers.get("Location", ""))
        here, there = urlsplit(str(told.url)), urlsplit(target)
        is_upgrade = (here.scheme, there.scheme, here.port, there.port) == ("http", "https", None, None)
        if here.hostname != there.hostname or not (here[:2] == there[:2] or is_upgrade):
            raise _SentElsewhere(f"the server sends on to another one, {there.hostname}, which is not followed")

    watch = aiohttp.TraceConfig()
    watch.on_request_redirect.append(check)
    waits = aiohttp.ClientTimeout(total=FILE_S, sock_connect=SILENCE_S, sock_read=SILENCE_S)
    # netrc and proxies are the environment's
    return aiohttp.ClientSession(trace_configs=[watch], trust_env=True, **{"timeout": waits, **options})


def _bytes(files: AbstractFileSystem, address: str, most: int) -> bytes:
    """The first `most` bytes. Raises TooSlow."""
    if not _is_http(address):
        part: bytes = in_time(lambda: files.cat_file(address, start=0, end=most), FILE_S)
        return part
    found = bytearray()
    begun = time.monotonic()
    # as a stream, of a server that need know no ranges; a size is given so that none is asked for before
    with files.open(address, "rb", block_size=0, size=1) as file:
        while len(found) < most and (piece := file.read(min(_PIECE, most - len(found)))):
            found += piece
            seconds = time.monotonic() - begun
            if seconds > SLOW_AFTER_S and len(found) < seconds * SLOWEST:
                raise TooSlow(f"it comes with under {SLOWEST:,} bytes a second")
            if seconds > FILE_S:
                raise TooSlow(f"it takes over {FILE_S:g} seconds")
    return bytes(found)


def _again(act: Callable[[], _T]) -> _T:
    """What the act gives, tried again where the failure may pass."""
    from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

    tried = Retrying(
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_exponential(multiplier=0.25),
        retry=retry_if_exception(_may_pass),
        reraise=True,
    )
    return tried(act)


def _may_pass(error: BaseException) -> bool:
    if not isinstance(error, Exception) or isinstance(
        error, FileNotFoundError | PermissionError | ValueError | TooSlow | _SentElsewhere
    ):
        return False
    status = getattr(error, "status", None)
    return status is None or status in _PASSING


def _in_words(error: Exception) -> str:
    """What failed. What the error itself says is not repeated: it may hold an address with a key."""
    if isinstance(error, _SentElsewhere | TooSlow):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return "it is not there"
    if isinstance(error, ValueError):
        return "what came cannot be read"
    if isinstance(error, PermissionError):
        return "access is refused"
    if isinstance(error, TimeoutError):
        return "no answer came in time"
    if isinstance(error, OSError) and error.errno and error.errno > 0:
        return os.strerror(error.errno)
    status = getattr(error, "status", None)
    return f"the server answers {status}" if isinstance(status, int) else type(error).__name__


def _is_http(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _holds_password(link: str) -> bool:
    """Whether there is a user with a password; over HTTP any user. A container@account of Azure is none."""
    authority, _, path = link.partition("://")[2].partition("/")
    user, at, _ = authority.rpartition("@")
    if at:
        return ":" in user or _is_http(link)
    port = authority.partition(":")[2]
    # the rest of a password with a bare '/' would stand in the path
    return "@" in path and bool(port) and not port.isdigit()
