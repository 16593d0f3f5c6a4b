"""Where the documents of a command come from: a folder on this machine, an address, or a loader."""

from __future__ import annotations

from pathlib import Path

from viva.cli.run.options import DocumentsOptions
from viva.core.errors import UsageError
from viva.graphs.resources.document_loader import LoaderSource
from viva.storage.corpus import DocumentSource, documents_at


def documents_of(given: DocumentsOptions) -> Path | DocumentSource:
    """The documents that DOCS or --loader names. UsageError for both, for neither, and for a wrong name."""
    if given.docs is not None and given.loader is None:
        return documents_at(given.docs)
    if given.loader is not None and given.docs is None:
        return LoaderSource.of(given.loader)
    raise UsageError(
        "No documents are named." if given.docs is None else "Both DOCS and --loader are given.",
        allowed="DOCS is a folder, a file or an address; --loader names a LangChain document loader.",
        next_step="Give one of the two.",
    )
