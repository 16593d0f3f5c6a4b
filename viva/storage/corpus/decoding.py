"""From bytes to text: what is no text, what is text in another encoding, and where it breaks."""

from __future__ import annotations

import codecs
import re

from viva.core.records import ExclusionReason
from viva.storage.corpus.source import Excluded, SourceFile

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
)

# UTF-32 first: its little-endian mark begins with that of UTF-16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# what pages mean by these names, as browsers read them (WHATWG's Encoding Standard)
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_WITH_GAPS = ("cp125", "cp874")
"""Windows' encodings of one byte, in which some bytes mean nothing: browsers show the page all the same."""


_GUESSED = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2", "iso8859_5", "iso8859_7",
    "koi8_r", "cp932", "euc_jp", "gb18030", "big5", "cp949",
)  # fmt: skip
_MESS = 0.02
"""Share of letters that belong to no word, above which bytes are no text."""
_PROBED = 100_000
"""Bytes by which an encoding is guessed."""
_WESTERN = re.compile(
    r"(?:[\x00-\x7f]|[ÄÖÜäöüßÀÂÇÈÉÊËÎÏÔŒÙÛŸàâçèéêëîïôœùûÿÁÍÑÓÚáíñóú¡¿ÅÆØåæøÃÕãõìòÌÒ§°²³µ€£©®«»„“”‚‘’–—…·•½¼¾×\xa0])*"
)
"""Signs of the languages that are written in Windows-1252."""


def text_of(source: SourceFile, *, declared: str | None = None) -> str:
    """The text of a file, as `decode` gives it; in an encoding that is guessed if need be, which is noted."""
    data = source.data
    if not data.startswith(tuple(mark for mark, _ in _MARKS)) and (encoding := _wide(data)):
        source.note(ExclusionReason.ENCODING_ASSUMED, f"It is read as {encoding.upper()}, though it has no mark.")
        return decode({name: mark for mark, name in _MARKS}[encoding] + data)
    try:
        return decode(data, declared=declared)
    except Excluded as excluded:
        is_open = excluded.reason is ExclusionReason.BAD_ENCODING and declared is None
        guessed = _guessed(data) if is_open else ""
        if not guessed:
            raise
        text = decode(data, declared=guessed)
    detail = f"It is no UTF-8 and is read as {_NAMES.get(guessed, guessed)}. Save it as UTF-8 if letters are wrong."
    source.note(ExclusionReason.ENCODING_ASSUMED, detail)
    return text


_NAMES = {"cp1252": "Windows-1252"}
_WIDE_SHARE = 0.4


def _wide(data: bytes) -> str:
    """UTF-16 without a mark: of Latin text every other byte is 0."""
    probe = data[:_PROBED]
    if len(data) % 2 or len(data) < 4 or probe.count(0) < _WIDE_SHARE * len(probe):
        return ""
    for encoding, zeros, others in (("utf-16-le", probe[1::2], probe[::2]), ("utf-16-be", probe[::2], probe[1::2])):
        if others.count(0) == 0 and zeros.count(0) > 2 * _WIDE_SHARE * len(zeros):
            return encoding
    return ""


def _guessed(data: bytes) -> str:
    """The encoding of bytes that are no UTF-8, "" where it cannot be told or they are damaged UTF-8."""
    probe = data[:_PROBED]
    read = probe.decode("utf-8", "ignore")
    if any(character > "\x7f" for character in read):
        # words of letters in UTF-8, and a byte that is none
        return ""
    try:
        western = data.decode("cp1252")
    except UnicodeDecodeError:
        western = ""
    if western and _WESTERN.fullmatch(western):
        return "cp1252"
    import charset_normalizer

    found = charset_normalizer.from_bytes(probe, cp_isolation=list(_GUESSED)).best()
    if found is None or found.chaos > _MESS or _CONTROLS.search(str(found)):
        return ""
    return "cp1254" if found.language == "Turkish" else found.encoding


_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")


def decode(data: bytes, *, declared: str | None = None) -> str:
    """The text with '\\n' line ends and without byte-order mark.

    UTF-8 unless a byte-order mark says otherwise; `declared` (an encoding the format itself names) is tried
    when the bytes are no UTF-8. Raises `Excluded` for what is no text.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    if not mark:
        _refuse_binary(data)
    text = _decoded(data, len(mark), encoding, declared)
    if "\0" in text:
        raise Excluded(ExclusionReason.BINARY, "The file holds NUL characters: it is not text.")
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


def _refuse_binary(data: bytes) -> None:
    for magic, what in _MAGIC:
        if data.startswith(magic):
            raise Excluded(ExclusionReason.BINARY, f"The file is {what}, whatever its name says.")
    position = data.find(b"\0")
    if position >= 0:
        raise Excluded(
            ExclusionReason.BINARY,
            f"The file holds a NUL byte at offset {position}: it is not text "
            "(UTF-16 is read when it begins with a byte-order mark).",
        )


def _decoded(data: bytes, skip: int, encoding: str, declared: str | None) -> str:
    try:
        return data[skip:].decode(encoding)
    except UnicodeDecodeError as error:
        if declared and not skip:
            return _decoded_as_declared(data, declared)
        position = error.start + skip
        raise Excluded(
            ExclusionReason.BAD_ENCODING,
            f"Not valid {encoding.upper()}: byte 0x{data[position]:02x} at byte offset {position}. "
            "Save the file as UTF-8.",
        ) from error


def _decoded_as_declared(data: bytes, declared: str) -> str:
    try:
        name = codecs.lookup(declared.removeprefix("x-").replace("windows-", "cp")).name
        encoding = _MEANT.get(name, name)
        return data.decode(encoding, "replace" if encoding.startswith(_WITH_GAPS) else "strict")
    except (LookupError, UnicodeError) as error:
        raise Excluded(
            ExclusionReason.BAD_ENCODING, f"Neither valid UTF-8 nor valid {declared}, which the file declares."
        ) from error
