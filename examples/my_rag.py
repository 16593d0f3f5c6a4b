"""A RAG system in twenty lines, standard library only, to show the seam. In the top folder of viva:

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
    return set(re.findall(r"\w{3,}", text.lower()))


HELD_BY = Counter(word for passage in PASSAGES for word in words(passage))


def nearness(text: str, asked: set[str]) -> float:
    return sum(1 / HELD_BY[word] for word in sorted(words(text) & asked))


def answer(question: str) -> dict[str, object]:
    stem, *options = re.split(r"\n(?=[A-F]\) )", question.rpartition("\n")[0] or question)
    asked = words(stem)
    best = sorted(PASSAGES, key=lambda passage: -nearness(passage, asked))[:3]
    if not options:
        sentences = re.split(r"(?<=[.!?])\s+", " ".join(best))
        told = sorted(sentences, key=lambda sentence: -nearness(sentence, asked))[:4]
        return {"text": " ".join(told), "passages": best}
    found = words(" ".join(best))
    letter = max(options, key=lambda option: len(words(option) & found) / (1 + len(words(option))))[0]
    return {"text": letter, "passages": best}
