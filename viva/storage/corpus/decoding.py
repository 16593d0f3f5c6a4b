"""From bytes to text: what is no text, what is text in another encoding, and where it breaks."""

from __future__ import annotations

import codecs

from viva.core.records import ExclusionReason
from viva.storage.corpus.source import Excluded

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
