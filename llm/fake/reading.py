"""What the fake model makes of a request: what there is to read, to ask, to answer, to choose from."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from viva.llm.fake import prose
from viva.llm.fake.requests import Request

FAILING = 56
"""A judge fails one reply in this many for its wording, and one in as many for its fact: with seven judges one
draft in eight each, the first mended by a revision, the second not."""
NONE = "NONE"
"""What is said where there is nothing to say and the field must be a text."""

_ABOUT = re.compile(r"_(?:form|type|level|kind|count)$|previous|feedback|earlier|avoid|refused")
_EARLIER = re.compile(r"previous|feedback|earlier|avoid|refused")


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
        named = self.given("passage|chunk|context|excerpt|document|source|text|article")
        return named or max(self.request.inputs.values(), key=len, default=self.request.text)

    @cached_property
    def statement(self) -> str:
        return self.given("statement|fact|unit|claim")

    @cached_property
    def question(self) -> str:
        return self.given("^question$|^stem$|question|stem|query")

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
            return prose.best_sentence(self.passage, self.question) or self.statement
        return self.statement or next(iter(self.facts), "")

    @cached_property
    def facts(self) -> list[str]:
        """Sentences of the passage that can be asked about."""
        whole = (s for s in prose.sentences(self.passage) if s[0].isalnum() and s[-1] in ".!。")
        askable = (s for s in whole if 20 <= len(s) <= 500 and not s[0].islower())
        return list(islice(askable, self.number("at_most|max") or 6))

    @cached_property
    def drafted(self) -> tuple[str, str]:
        """A question about the subject and its key: the wording after the one put before."""
        wordings = list(prose.questions(self.subject))
        put = [number for number, (question, _) in enumerate(wordings) if question in self.earlier]
        following = wordings[max(put, default=-1) + 1 :]
        return following[0] if following else (NONE, NONE)

    @cached_property
    def key(self) -> str:
        given = self.given("^key$|key|correct|reference|gold")
        if given:
            return given
        unasked = [s for s in prose.spans(self.subject) if s.lower() not in self.question.lower()]
        return next(iter(unasked or prose.spans(self.subject)), "nothing")

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
        return bool(self.subject) and not self.fails

    @cached_property
    def choice(self) -> int:
        """The option that the passage speaks for."""
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
        if not self.subject:
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
