"""A RAG system in thirty lines, standard library only, to show the seam. In the top folder of viva:

    viva run examples/handbook --examinee panel --examinee examples/my_rag.py:answer

or, if the run is there already: viva sit RUN --examinee examples/my_rag.py:answer, then viva score RUN.
The question comes with its options as lines 'A) ...', an open one without. The answer may be a letter or words;
`passages` are optional.
Texts are read from examples/handbook, or from the folder in MY_RAG_DOCS.
"""

import os
import re
from collections import Counter
from pathlib import Path

DOCS = Path(os.environ.get("MY_RAG_DOCS", Path(__file__).parent / "handbook"))
FILES = [path.read_text("utf-8") for kind in ("md", "rst", "txt") for path in sorted(DOCS.rglob(f"*.{kind}"))]
PASSAGES = [passage for text in FILES for passage in re.split(r"\n\s*\n", text)]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


HELD_BY = Counter(word for passage in PASSAGES for word in words(passage))


def nearness(text: str, asked: set[str]) -> float:
    return sum(1 / HELD_BY[word] for word in sorted(words(text) & asked))


def answer(question: str) -> dict[str, object]:
    stem, *options = re.split(r"\n(?=[A-F]\) )", question.rpartition("\n")[0] or question)
    asked = words(stem)
    best = sorted(PASSAGES, key=lambda passage: -nearness(passage, asked))[:3]
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(best))
    if not options:
        told = sorted(sentences, key=lambda sentence: -nearness(sentence, asked))[:4]
        return {"text": " ".join(told), "passages": best}

    def support(option: str) -> float:
        held = words(option[3:])
        return max(
            nearness(sentence, asked) * len(held & words(sentence)) / max(1, len(held)) for sentence in sentences
        )

    return {"text": max(options, key=support)[0], "passages": best}
