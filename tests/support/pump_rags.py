"""RAG systems with one fault each, on a corpus of pumps: what a diagnosis must find is known.

Questions are about "pump N", which moves 7 N + 3 litres. PUMP_LOG names the file that a line per question goes to.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

Answered = dict[str, object]


def fact(number: int) -> str:
    return f"Pump {number} moves {7 * number + 3} litres of water per minute."


def log(name: str) -> None:
    if "PUMP_LOG" in os.environ:
        with Path(os.environ["PUMP_LOG"]).open("a") as file:
            file.write(f"{name}\n")


def read(options: Sequence[str], passages: Sequence[str]) -> int | None:
    """The option that the passages name, else the first that is wrong everywhere."""
    return next((n for n, option in enumerate(options) if any(option in text for text in passages)), None)


def pump(question: str) -> int:
    return int(re.findall(r"pump (\d+)", question)[0])


def wrong(question: str, options: Sequence[str]) -> int:
    right = f"{7 * pump(question) + 3} litres"
    return next(n for n, option in enumerate(options) if option != right)


def answered(question: str, options: Sequence[str], passages: Sequence[str], choice: int | None) -> Answered:
    return {"choice": wrong(question, options) if choice is None else choice, "passages": passages}


def finds_nothing(question: str, options: Sequence[str] = (), passages: Sequence[str] | None = None) -> Answered:
    """Retrieval: the right passage is never found; handed, it is read."""
    log("finds_nothing")
    texts = [fact(pump(question) + 40)] if passages is None else passages
    return answered(question, options, texts, read(options, texts))


def reads_nothing(question: str, options: Sequence[str] = (), passages: Sequence[str] | None = None) -> Answered:
    """Reading: the right passage is there and of no use."""
    log("reads_nothing")
    texts = [fact(pump(question)), fact(41)] if passages is None else passages
    return answered(question, options, texts, None)


def drowns(question: str, options: Sequence[str] = (), passages: Sequence[str] | None = None) -> Answered:
    """Distraction: the right passage is read alone, and not beside others."""
    log("drowns")
    texts = [fact(41), fact(pump(question)), fact(42)] if passages is None else passages
    return answered(question, options, texts, read(options, texts) if len(texts) == 1 else None)


def is_misled(question: str, options: Sequence[str] = (), passages: Sequence[str] | None = None) -> Answered:
    """Knowledge: it knows every pump, and believes whatever stands in its passages instead."""
    log("is_misled")
    texts = ["Pumps are blue."] if passages is None else passages
    known = options.index(f"{7 * pump(question) + 3} litres")
    return answered(question, options, texts, read(options, texts) if texts else known)


def guesses_b(question: str, options: Sequence[str] = (), passages: Sequence[str] | None = None) -> Answered:
    """Retrieval again: without passages it takes B, which is no knowledge where B happens to be right."""
    log("guesses_b")
    texts = [fact(pump(question) + 40)] if passages is None else passages
    return answered(question, options, texts, read(options, texts) if texts else 1)


def finds(question: str, options: Sequence[str] = ()) -> Answered:
    """It finds and reads the right passage, of all pumps but each tenth."""
    texts = [fact(pump(question)), fact(41)]
    used = {"input_tokens": 400 + pump(question), "output_tokens": 5, "cost": 0.002}
    return {**answered(question, options, texts, read(options, texts[pump(question) % 10 == 0 :])), "usage": used}


def finds_less(question: str, options: Sequence[str] = ()) -> Answered:
    """The same reader with a worse retriever, which misses each third pump; the seventh it fails to read."""
    texts = [fact(pump(question) + 40 if pump(question) % 3 == 0 else pump(question)), fact(41)]
    seen = texts if pump(question) not in {7, 10, 20} else []
    return {**answered(question, options, texts, read(options, seen)), "usage": {"input_tokens": 90}}


def reworded(question: str, options: Sequence[str] = ()) -> Answered:
    """As `finds`, in other words; pump 10 it reads by chance, and pump 11 not."""
    found = finds(question, options)
    right = options.index(f"{7 * pump(question) + 3} litres")
    choice = {10: right, 11: wrong(question, options)}.get(pump(question), found["choice"])
    return {**found, "choice": choice, "text": "If I may say so, it is this one."}


def retrieves(question: str, options: Sequence[str] = ()) -> list[dict[str, object]]:
    """A retriever by itself: the right passage is the first, of each fifth pump the second."""
    texts = [fact(pump(question)), fact(41)]
    return [{"text": text, "score": 1.0} for text in (texts if pump(question) % 5 else texts[::-1])]


class Retriever:
    """A worse one, which misses each third pump, finds nothing of the eighth, and fails on the ninth."""

    def retrieve(self, question: str) -> list[dict[str, object]]:
        if "A)" in question or pump(question) == 9:
            raise ValueError("only the question, please")
        missed = pump(question) % 3 == 0
        found = [] if pump(question) == 8 else [fact(41), fact(pump(question) + 40 if missed else pump(question))]
        return [{"text": text, "score": 0.5} for text in found]


worse_retriever = Retriever()
_asked: dict[int, int] = {}


def wavers(question: str, options: Sequence[str] = (), passages: Sequence[str] | None = None) -> Answered:
    """Chance: right at every second time."""
    log("wavers")
    texts = [fact(pump(question))] if passages is None else passages
    if passages is None:
        _asked[pump(question)] = _asked.get(pump(question), 0) + 1
    return answered(question, options, texts, read(options, texts) if _asked[pump(question)] % 2 == 0 else None)


def takes_none(question: str) -> Answered:
    """As `finds_nothing`, of a system that cannot be handed passages."""
    log("takes_none")
    options = re.findall(r"^[A-D]\) (.+)$", question, re.MULTILINE)
    return answered(question, options, [fact(pump(question) + 40)], None)


def overlooks(question: str) -> Answered:
    """It finds the right passage and does not read it; it cannot be handed any."""
    log("overlooks")
    options = re.findall(r"^[A-D]\) (.+)$", question, re.MULTILINE)
    return answered(question, options, [fact(pump(question))], None)


def invents(question: str) -> Answered:
    """It takes a wrong option, and gives a number as its reason that nobody has told it."""
    log("invents")
    options = re.findall(r"^[A-D]\) (.+)$", question, re.MULTILINE)
    taken = wrong(question, options)
    return {
        "text": f"{'ABCD'[taken]}) {options[taken]}, as measured in 1987",
        "choice": taken,
        "passages": [fact(pump(question))],
    }


def breaks(question: str, options: Sequence[str] = (), passages: Sequence[str] | None = None) -> Answered:
    """It answers from its own passages, and raises where it is handed any."""
    log("breaks")
    if passages is not None:
        raise ValueError("no passages, please")
    return answered(question, options, [fact(41)], None)


def fails(question: str) -> Answered:
    """It raises, whatever it is asked."""
    raise ValueError("out of order")


def mumbles(question: str) -> Answered:
    """No answer of it means an option."""
    log("mumbles")
    return {"text": "it depends", "passages": [fact(pump(question))]}


def says_nothing_of_passages(question: str) -> str:
    log("says_nothing_of_passages")
    return "A"
