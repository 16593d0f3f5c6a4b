"""Where a Runnable, a graph or a tool wants the question and the conversation before it, by its input schema."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from viva.core.errors import UsageError
from viva.examinees.readers.choosing import Asked

QUESTION = ("question", "input", "query", "user_input", "prompt", "text")
PASSAGES = ("passages", "contexts", "context", "documents")
HISTORY = ("chat_history", "history", "message_history")
_ANSWER = ("answer", "generation", "result", "output", "response")
_TAKEN = (*PASSAGES, *HISTORY, *_ANSWER, "options")
HistoryForm = Literal["dicts", "langchain", "llama_index", "pairs", "texts", "text"]
_LISTED = re.compile(r"\b(?:list|sequence|iterable|tuple)\b\W*str\b", re.IGNORECASE)


@dataclass(frozen=True)
class InputForm:
    """The fields of an input; none at all: it is a plain text."""

    question: str = ""
    messages: bool = False
    options: bool = False
    passages: str = ""
    joined: bool = False
    """whether the passages are one text"""
    history: Mapping[str, HistoryForm] = field(default_factory=dict)
    """fields for the conversation before the question"""
    needed: frozenset[str] = frozenset()
    """those of them that are never left out"""

    @property
    def takes_history(self) -> bool:
        """Whether there is a place for the conversation before the question."""
        return self.messages or bool(self.history)

    @classmethod
    def of(cls, schema: Mapping[str, Any], name: str) -> InputForm:
        """The form of a JSON schema. UsageError for one without a place for the question, or that needs more."""
        fields: Mapping[str, Any] = schema.get("properties") or {}
        return cls.with_fields(fields, schema.get("required") or (), name) if fields else cls()

    @classmethod
    def with_fields(cls, fields: Mapping[str, Any], required: Collection[str], name: str) -> InputForm:
        """The form of an input with these fields, each with its JSON schema."""
        history = _history_fields(fields)
        question = next((key for key in QUESTION if key in fields), "")
        if not question and "messages" not in fields:
            candidates = [key for key in (required or fields) if key not in (*_TAKEN, *history)]
            if len(candidates) != 1:
                raise UsageError(
                    f"{name} has no field for the question in its input; it has {', '.join(fields)}.",
                    allowed=f"One of {', '.join((*QUESTION, 'messages'))}, or a single field of any name.",
                )
            question = candidates[0]
        passages = next((key for key in PASSAGES if key in fields and key != question), "")
        needed = [key for key in required if key not in {question, "messages", "options", *history}]
        if needed:
            raise UsageError(
                f"{name} needs {', '.join(needed)} in its input, besides the question.",
                next_step="Plug in the whole system, which retrieves for itself.",
            )
        return cls(
            question=question,
            messages="messages" in fields,
            options="options" in fields,
            passages=passages,
            joined=bool(passages) and fields[passages].get("type") == "string",
            history=history,
            needed=frozenset(history).intersection(required),
        )

    def filled(self, asked: Asked) -> str | dict[str, Any]:
        """The input for one question."""
        text = asked.stem if self.options else asked.question
        if not self.question and not self.messages:
            return text
        filled: dict[str, Any] = {self.question: text} if self.question else {}
        if self.messages:
            filled["messages"] = in_form(asked.messages, "langchain")
        if self.options:
            filled["options"] = list(asked.options) if asked.options else None
        if self.passages and asked.passages is not None:
            filled[self.passages] = "\n\n".join(asked.passages) if self.joined else list(asked.passages)
        given = {key: form for key, form in self.history.items() if asked.history or key in self.needed}
        return {**filled, **{key: in_form(asked.earlier, form) for key, form in given.items()}}


def _history_fields(fields: Mapping[str, Any]) -> dict[str, HistoryForm]:
    """The fields for a conversation: by their names, else the first of LangChain's messages."""
    named = [key for key in HISTORY if key in fields]
    holding = [key for key, schema in fields.items() if key != "messages" and "AIMessage" in str(schema.get("items"))]
    return {key: _form_of_schema(fields[key]) for key in named or holding[:1]}


def _form_of_schema(schema: Mapping[str, Any]) -> HistoryForm:
    kind, inner = schema.get("type"), (schema.get("items") or {}).get("type")
    if kind == "string":
        return "text"
    inner_forms: dict[object, HistoryForm] = {"string": "texts", "array": "pairs", "object": "dicts"}
    return history_form(schema.get("annotation"), inner_forms.get(inner, "langchain"))


# --- a conversation as a system wants it --------------------------------------------------------------------


def history_form(annotation: object, usual: HistoryForm) -> HistoryForm:
    """How a parameter of this annotation takes messages; `usual` where the annotation does not say."""
    said = str(annotation or "")
    if "llama_index" in said or "ChatMessage" in said:
        return "llama_index"
    if "langchain" in said or "Message" in said:
        return "langchain"
    if "dict" in said.casefold():
        return "dicts"
    if re.search(r"\[\W*(?:typing\.)?(?:tuple|list)\b", said, re.IGNORECASE):
        return "pairs"
    if _LISTED.search(said):
        return "texts"
    return "text" if re.search(r"\bstr\b", said) else usual


def in_form(messages: Sequence[Mapping[str, str]], form: HistoryForm) -> Any:
    """Messages, each with role and content, as a system takes them; pairs are of a question and its answer."""
    match form:
        case "dicts":
            return [dict(each) for each in messages]
        case "langchain":
            from langchain_core.messages import AIMessage, HumanMessage

            kinds = {"user": HumanMessage, "assistant": AIMessage}
            return [kinds[each["role"]](each["content"]) for each in messages]
        case "llama_index":
            kind = import_module("llama_index.core.llms").ChatMessage
            return [kind(role=each["role"], content=each["content"]) for each in messages]
        case "texts":
            return [each["content"] for each in messages]
        case "text" if len(messages) == 1 and messages[0]["role"] == "user":
            return messages[0]["content"]
        case "text":
            return "\n".join(f"{each['role'].capitalize()}: {each['content']}" for each in messages)
    paired: list[tuple[str, str]] = []
    for each in messages:
        if each["role"] == "user":
            paired.append((each["content"], ""))
        else:
            asked, said = paired.pop() if paired else ("", "")
            paired.append((asked, f"{said}\n{each['content']}".strip()))
    return paired
