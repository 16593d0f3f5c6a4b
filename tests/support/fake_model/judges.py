"""The fake model as a judge: it counts words and figures in common, and gives the reason before the score."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from fake_model import prose
from fake_model.requests import Request

Inputs = Mapping[str, str]
Said = dict[str, JsonValue]

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_PASSAGE = re.compile(r"^\[\d+\] ", re.MULTILINE)
_DENIAL = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|they|this|that|these|those|above|below|passage|section|table|author)\b", re.IGNORECASE)
_SUPPORTED = 0.8
"""Share of a claim's words that a sentence of a passage must hold to support it."""
_ANSWERED = 0.8
"""Share of a question's words that a sentence must hold to answer it."""


def judged(request: Request) -> Said | None:
    """What a judge says of a case; None where the request is of no judge of cases."""
    play = _ROLES.get((frozenset(request.inputs), frozenset(field.name for field in request.outputs)))
    return None if play is None else play(request.inputs)


def agreement(answer: str, reference: str) -> float:
    """Share of the reference's words that the answer has; little of it where a figure or a denial differs."""
    wanted = prose.content(reference)
    share = len(wanted & prose.content(answer)) / len(wanted) if wanted else 0.0
    figures = set(_NUMBER.findall(reference)) <= set(_NUMBER.findall(answer))
    same = figures and bool(_DENIAL.search(answer)) == bool(_DENIAL.search(reference))
    return round(share if same else share / 5, 2)


def _correctness(given: Inputs) -> Said:
    score = agreement(given["answer"], given["reference"])
    return {"rationale": f"The answer says {score:.0%} of what the reference says.", "score": score}


def _rubric(given: Inputs) -> Said:
    score = agreement(given["answer"], given["reference"])
    return {"feedback": f"The answer says {score:.0%} of what the reference says.", "score": _step(score)}


def _answerability(given: Inputs) -> Said:
    share, nearest = _nearest(given)
    return {"rationale": f"Nearest comes: “{nearest}”", "answerable": share >= _ANSWERED}


def _groundedness(given: Inputs) -> Said:
    share, nearest = _nearest(given)
    return {"rationale": f"Nearest comes: “{nearest}”", "rating": _step(share)}


def _faithfulness(given: Inputs) -> Said:
    said = [one for line in given["answer"].splitlines() for one in prose.sentences(line)] or [given["answer"]]
    return {"claims": [_held(prose.one_line(claim), given["passages"]) for claim in said]}


def _held(claim: str, passages: str) -> Said:
    told = [(agreement(sentence, claim), sentence) for sentence in _sentences(passages)]
    share, sentence = max(told, default=(0.0, ""), key=lambda pair: pair[0])
    supported = share >= _SUPPORTED
    return {"claim": claim, "quote": sentence if supported else "NONE", "supported": supported}


def _relevance(given: Inputs) -> Said:
    asked = prose.content(given["question"])
    said = prose.content(given["answer"]) - asked
    shared = len(asked & prose.content(given["answer"])) / max(1, len(asked))
    relevance = round(min(1.0, 2 * shared), 2) if said else 0.0
    return {"rationale": f"It takes up {shared:.0%} of the question's words.", "relevance": relevance}


def _usefulness(given: Inputs) -> Said:
    asked = prose.content(given["question"])
    rating = 1 + min(3, len(asked) // 2) if "?" in given["question"] else 1
    return {"rationale": f"It asks {given['audience']} about {len(asked)} things.", "rating": rating}


def _stand_alone(given: Inputs) -> Said:
    open_words = _POINTS.findall(given["question"])
    told = f"These point elsewhere: {', '.join(open_words)}." if open_words else "It names all that it is about."
    return {"rationale": told, "rating": max(1, 5 - 2 * len(open_words))}


def _preference(given: Inputs) -> Said:
    # without a reference, what takes up more of the question is preferred
    against = given["question"] if given["reference"] == "NONE" else given["reference"]
    first, second = (agreement(given[f"{place}_answer"], against) for place in ("first", "second"))
    better = "neither" if first == second else "first" if first > second else "second"
    return {"rationale": f"The first says {first:.0%} of it, the second {second:.0%}.", "better": better}


def _nearest(given: Inputs) -> tuple[float, str]:
    """The share of the question's words, and of its figures and names all, that one sentence holds."""
    asked = prose.content(given["question"])
    named = [*_NUMBER.findall(given["question"]), *prose.names(given["question"])]
    told = [(len(asked & prose.content(s)) / max(1, len(asked)), s) for s in _sentences(given["passages"])]
    share, sentence = max(told, default=(0.0, ""), key=lambda pair: pair[0])
    held = all(name.lower() in sentence.lower() for name in named)
    return (share if held else share / 2), prose.one_line(sentence)[:160]


def _sentences(passages: str) -> list[str]:
    return [sentence for passage in _PASSAGE.split(passages) for sentence in prose.sentences(passage)]


def _step(share: float) -> int:
    return 1 + round(4 * share)


def _asked(reads: str, gives: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(reads.split()), frozenset(gives.split())


_ROLES: dict[tuple[frozenset[str], frozenset[str]], Callable[[Inputs], Said]] = {
    _asked("question reference answer", "rationale score"): _correctness,
    _asked("question reference answer", "feedback score"): _rubric,
    _asked("question passages", "rationale answerable"): _answerability,
    _asked("question passages answer", "claims"): _faithfulness,
    _asked("question answer", "rationale relevance"): _relevance,
    _asked("question passages", "rationale rating"): _groundedness,
    _asked("question audience", "rationale rating"): _usefulness,
    _asked("question", "rationale rating"): _stand_alone,
    _asked("question reference first_answer second_answer", "rationale better"): _preference,
}
"""A judge is known by what it reads and gives."""
