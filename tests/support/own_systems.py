"""Systems of people's own, as a test examines them: good ones and bad ones."""

import asyncio
import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


def slow(question: str) -> str:
    """Answers B, taking its time."""
    time.sleep(0.02)
    return "B"


def held(question: str) -> str:
    """Answers B once somebody has put a file where VIVA_TEST_RELEASE says; puts one named begun beside it."""
    release = Path(os.environ["VIVA_TEST_RELEASE"])
    release.with_name("begun").touch()
    while not release.exists():
        time.sleep(0.01)
    return "B"


def raises(question: str) -> str:
    raise ValueError("the index is not there")


def hangs(question: str) -> str:
    time.sleep(3600)
    return "A"


def none(question: str) -> None:
    return None


def number(question: str) -> int:
    return 7


def truth(question: str) -> bool:
    return True


def leaves(question: str) -> str:
    sys.exit(3)


def noisy(question: str) -> str:
    print("noise on standard output")  # noqa: T201
    print("noise on standard error", file=sys.stderr)  # noqa: T201
    logging.getLogger("noisy").warning("noise in the log")
    subprocess.run(["echo", "noise of a child"], check=True)
    os.write(1, b"noise past Python\n")
    return "C"


async def waits(question: str) -> str:
    await asyncio.sleep(0.001)
    return "A"


_lock = asyncio.Lock()


async def shares_a_lock(question: str) -> str:
    """As a client does that is made once: it belongs to the event loop that used it first."""
    async with _lock:
        await asyncio.sleep(0)
        return "A"


async def blocks(question: str) -> str:
    """Asynchronous by name only."""
    time.sleep(3600)  # noqa: ASYNC251 - that is its fault
    return "A"


async def leaves_later(question: str) -> str:
    sys.exit(3)


def cancels(question: str) -> str:
    raise asyncio.CancelledError


def times_out_itself(question: str) -> str:
    raise TimeoutError("the server took too long")


def passages(question: str) -> Mapping[str, object]:
    return {"text": "D", "passages": ["The Ness lighthouse flashes white every 12 seconds.", {"text": "another"}]}


def one_passage(question: str) -> Mapping[str, object]:
    return {"text": "D", "passages": "The Ness lighthouse flashes white every 12 seconds."}


def bad_passages(question: str) -> Mapping[str, object]:
    return {"text": "D", "passages": 5}


def none_passage(question: str) -> Mapping[str, object]:
    return {"text": "D", "passages": [None]}


@dataclass
class Found:
    page_content: str


@dataclass
class Said:
    answer: str = "A"
    sources: list[Found] = field(default_factory=lambda: [Found("Pilots keep watch on radio channel 71.")])


def as_object(question: str) -> Said:
    return Said()


def surrogates(question: str) -> str:
    return "B) \ud800 \x00 \x1b[31m"


def raises_surrogates(question: str) -> str:
    raise ValueError("\udcff\x1b[31m")


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def unspeakable(question: str) -> str:
    raise UnspeakableError


def two_arguments(question: str, index: str) -> str:
    return "A"


class System:
    def __call__(self, question: str) -> str:
        return "A" if re.search("metres", question) else "B"


system = System()
