"""Word and PDF files with whatever is wanted in them."""

from __future__ import annotations

import zipfile
from io import BytesIO
from itertools import pairwise

import docx

_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_FONT = b"<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font %s>>>>" % _FONT


def docx_with(parts: dict[str, bytes]) -> bytes:
    """A Word document whose parts are exchanged for these."""
    whole, changed = BytesIO(), BytesIO()
    document = docx.Document()
    document.add_paragraph("The gate opens at six.")
    document.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            new.writestr(name, parts.get(name, old.read(name)))
    return changed.getvalue()


def body(content: str, entities: str = "") -> dict[str, bytes]:
    """The main part of a Word document."""
    declared = f"<!DOCTYPE w:document [{entities}]>" if entities else ""
    text = f'{declared}<w:document xmlns:w="{_SPACE}"><w:body>{content}</w:body></w:document>'
    return {"word/document.xml": text.encode()}


def paragraph(text: str) -> str:
    """A paragraph of Word's."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def laughs() -> str:
    """Ten entities, each ten times the one before."""
    names = "abcdefghij"
    return '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)
    )


def pdf_with(stream: bytes, more: bytes = b"", page: bytes = b"") -> bytes:
    """A PDF of one page whose content is the stream; `page` replaces what the page is."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page or _PAGE,
        b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(stream), more, stream),
    ]
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, each in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"xref\n0 5\n0000000000 65535 f \n%strailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )
    return bytes(out)
