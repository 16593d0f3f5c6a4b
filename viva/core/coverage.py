"""What of a corpus an exam covers: chunks, the sources that were read, and questions, by topic and by cluster."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from viva.core.records import Record


class Coverage(Record):
    """One topic, or one cluster of chunks that use the same words. A multi-hop question counts to both its chunks."""

    by: Literal["topic", "cluster"]
    name: str = Field(description="of a cluster, the words that stand out in it; '' where there is no name")
    chunks: int = Field(description="chunks of the corpus")
    walked: int = Field(description="of these, chunks that the committee has read")
    in_exam: int = Field(description="questions of the exam")
