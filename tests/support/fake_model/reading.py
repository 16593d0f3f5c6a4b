"""What the fake model makes of a request: what there is to read, to ask, to answer, to choose from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from fake_model import prose
from fake_model.requests import Request

FAILING = 24
"""A judge fails one reply in this many for its wording, and one in as many for its fact: with three who judge every
draft (expert, question, options) one in eight each, the first mended by a revision, the second not."""
NONE = "NONE"
"""What is said where there is nothing to say and the field must be a text."""

_ABOUT = re.compile(r"_(?:form|type|level|kind|count)$|previous|feedback|earlier|avoid|refused")
_EARLIER = re.compile(r"previous|feedback|earlier|avoid|refused")
_BEYOND = re.compile(r"question that a user might well ask here, and that the passages? do(?:es)? not answer")
_CONVERSATION = re.compile(r"asked: What is said of (.+)\?\n.*\nThe user asks now: (.*)")
_NOT_SAID = re.compile(r"documents? do(?:es)? not say")
_READ = "passage|chunk|context|excerpt|document|source|text|article"


@dataclass(frozen=True)
class Reading:
    """The request as a role understands it: what there is to read, to ask, to answer, to choose from."""

    request: Request

    def given(self, pattern: str) -> str:
        """The value of the input whose name matches the earliest alternative; "" where there is none."""
        for alternative in pattern.split("|"):
            for name, value in self.request.inputs.items():
                if re.search(alternative, name) and not _ABOUT.search(name):
                    return value
        return ""

    def number(self, pattern: str) -> int | None:
        """The input of that name, where it is a whole number."""
        said = next((v for n, v in self.request.inputs.items() if re.search(pattern, n) and v.isdecimal()), None)
        return None if said is None else min(int(said), 50)

    @cached_property
    def passage(self) -> str:
        return self.given(_READ) or max(self.request.inputs.values(), key=len, default=self.request.text)

    @cached_property
    def statement(self) -> str:
        return self.given("statement|fact|unit|claim")

    @cached_property
    def question(self) -> str:
        """Of a conversation the last message, with what it is about put for "it"."""
        said = self.given("^question$|^stem$|question|stem|query")
        follow_up = _CONVERSATION.search(said)
        return re.sub(r"\b[Ii]t\b", follow_up[1], follow_up[2], count=1) if follow_up else said

    @cached_property
    def earlier(self) -> str:
        return "\n".join(v for n, v in self.request.inputs.items() if _EARLIER.search(n))

    @cached_property
    def options(self) -> list[str]:
        return _listed(self.given("^options$|choices|options|distractors"))

    @cached_property
    def subject(self) -> str:
        """The sentence all is about; "" where the passage says nothing to the question."""
        if self.question:
            told = " ".join(self.grounds) or self.statement
            return told or prose.best_sentence(self.passage, self.question)
        return self.statement or next(iter(self.facts), "")

    @cached_property
    def grounds(self) -> tuple[str, ...]:
        """The sentences that answer the question: one, or of two parts one that describes and one that answers.

        Empty where none say what the question says.
        """
        best = prose.best_sentence(self.passage, self.question)
        if best and prose.answers(best, self.question):
            return (best,)
        found = (pair for pair in prose.joined(prose.parts(self.passage)) if self._unasked(pair))
        fitting = [pair for pair in found if prose.answers(" ".join(pair), self.question)]
        asked = prose.content(self.question)
        return max(fitting, key=lambda pair: len(asked & prose.content(" ".join(pair))), default=())

    @property
    def closed_book(self) -> bool:
        """Whether there is a question and nothing to answer it from: a fake model knows nothing by itself."""
        return bool(self.question) and not self.given(_READ)

    @property
    def lost(self) -> bool:
        """Whether a question is to be answered from a passage that does not answer it."""
        return bool(self.question and self.given(_READ)) and not self.grounds

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Sentences, one of each of two parts, that one question can join; each asked about once."""
        found: dict[str, tuple[str, str]] = {}
        first, *_ = [prose.one_line(part) for part in prose.parts(self.passage)]
        for described, asked in prose.joined(prose.parts(self.passage)):
            if next(prose.joining_questions(described, asked), None):
                found.setdefault(asked, (described, asked) if described in first else (asked, described))
        return list(dict.fromkeys(found.values()))[: self.number("at_most|max") or 6]

    @cached_property
    def facts(self) -> list[str]:
        """Sentences of the passage that can be asked about."""
        whole = (s for s in prose.sentences(self.passage) if s[0].isalnum() and s[-1] in ".!。")
        askable = (s for s in whole if 20 <= len(s) <= 500 and not s[0].islower())
        return list(islice(askable, self.number("at_most|max") or 6))

    @cached_property
    def drafted(self) -> tuple[str, str]:
        """A question about the subject and its key: the wording after the one put before."""
        wordings = list(self._wordings())
        put = [number for number, (question, _) in enumerate(wordings) if question in self.earlier]
        following = wordings[max(put, default=-1) + 1 :]
        return following[0] if following else (NONE, NONE)

    def _wordings(self) -> Iterator[tuple[str, str]]:
        if any(field.name == "first_question" for field in self.request.outputs):
            yield from prose.following(self.subject, self.followed)
            return
        first, second = (self.request.inputs.get(f"{place}_evidence", "") for place in ("first", "second"))
        if first and second:
            for described, asked in ((first, second), (second, first)):
                yield from prose.joining_questions(prose.one_line(described), prose.one_line(asked))
        elif _BEYOND.search(prose.one_line(self.request.text)):
            yield from ((question, NONE) for question in prose.unanswered(self.subject))
        else:
            yield from prose.questions(self.subject)

    @cached_property
    def followed(self) -> str:
        """The name of what a conversation can be about: of it the passage says something else too."""
        return next((name for name in prose.names(prose.one_line(self.subject)) if self.said_of(name)), "")

    def said_of(self, name: str) -> str:
        """What the passage says of it besides the subject's sentence."""
        told = [prose.one_line(s) for s in prose.sentences(self.passage) if name in s and s[-1] in ".!"]
        return next((s for s in told if s not in prose.one_line(self.subject) and len(s) < 300), "")

    @cached_property
    def given_key(self) -> str:
        return self.given("^key$|key|correct|reference|gold")

    @cached_property
    def key(self) -> str:
        told = self.grounds or (self.subject,)
        return self.given_key or next(iter(self._unasked(told) or prose.spans(told[-1])), "nothing")

    def _unasked(self, told: tuple[str, ...]) -> list[str]:
        """What the last of these sentences says, and neither the question nor the others."""
        said = " ".join([self.question, *told[:-1]]).lower()
        return [span for span in prose.spans(told[-1]) if span.lower() not in said]

    @cached_property
    def fails(self) -> bool:
        """Whether a judge is against it: by wording, or by fact whatever the wording."""
        role = [*(field.name for field in self.request.outputs), *self.request.inputs]
        return any(prose.draw(*drawn) % FAILING == 0 for drawn in ([self.request.text], [*role, self.subject]))

    @cached_property
    def same(self) -> bool:
        """Whether the answers that were handed in say the same."""
        answers = [v for n, v in self.request.inputs.items() if "answer" in n and not _ABOUT.search(n)]
        words = [prose.content(answer) or {answer} for answer in answers]
        return all(one <= other or other <= one for one in words for other in words)

    @cached_property
    def answerable(self) -> bool:
        return bool(self.subject) and not (self.lost or self.fails)

    @cached_property
    def choice(self) -> int:
        """The option that the passage speaks for; without one, any: a fake model knows nothing by itself."""
        if not self.given(_READ):
            return prose.draw(self.request.text) % max(1, len(self.options))
        says_so = next((n for n, option in enumerate(self.options) if _NOT_SAID.search(option)), None)
        if self.lost and says_so is not None:
            return says_so
        said = prose.one_line(self.subject or self.passage).lower()
        votes = [
            (
                option.lower() == self.key.lower(),
                option.lower() in said,
                len(prose.content(option) & prose.content(said)),
            )
            for option in self.options
        ]
        return votes.index(max(votes)) if votes else 0

    @cached_property
    def rationale(self) -> str:
        if not self.subject or self.lost:
            return "The passage says nothing about it."
        if self.fails:
            return f"The wording leaves open what is meant; name it as the passage does: “{self._snippet}”."
        return f"The passage says: “{self._snippet}”."

    @property
    def _snippet(self) -> str:
        return prose.one_line(self.subject)[:160]


def _listed(text: str) -> list[str]:
    """Options shown as a JSON list or one to a line, with or without letters."""
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, list):
        return [str(option) for option in parsed]
    lines = (re.sub(r"^\s*(?:[-*•]|\(?[A-Za-z0-9][).:\]]|\[\d+\])\s*", "", line) for line in text.splitlines())
    return [line.strip(" «»") for line in lines if line.strip()]
