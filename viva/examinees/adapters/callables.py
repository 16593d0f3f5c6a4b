"""Somebody's own RAG in Python: a function of any kind, an object with a method, a Runnable, a graph, a tool.

A function gets the question with its options written under it as 'A) ...' lines. Where it has a parameter `options`,
it gets the bare question and the list of options (None: an open question). Where it has a parameter `passages`,
`contexts` or `documents`, it can be handed texts to answer from. Where it has one for `history`, it gets the messages
before the question; where its first is `messages`, it gets all of them. What it may return, `reading.read_answer`
tells; pieces that it yields are joined.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from viva.core.errors import UsageError
from viva.examinees.adapters.base import LONGEST_REPLY, Adapter
from viva.examinees.adapters.inputs import HISTORY, HistoryForm, InputForm, history_form, in_form
from viva.examinees.adapters.loading import METHODS, load_system
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.own_loop import in_thread
from viva.examinees.readers.choosing import Asked
from viva.examinees.readers.reading import first_words, read_answer, read_passages
from viva.examinees.specs.records import CallableSpec, LiveSpec

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel


PASSAGES = ("passages", "contexts", "documents")
"""What a parameter is called that takes texts to answer from."""
MOST_PIECES = 100_000
"""That a system may yield in one answer."""
_HISTORY = (*HISTORY, "messages")
_HANDED = ("answer_from", "generate")
"""Methods that answer from what they are handed."""


class System(Protocol):
    """A Python object that can be asked. On the adapter's own loop, and raising what it likes."""

    takes_passages: bool
    takes_history: bool

    async def answer(self, asked: Asked) -> Answer: ...


class CallableCandidate(Adapter):
    """A user's Python in the chair. Plain functions run in a thread, so that one that hangs can be left behind."""

    def __init__(self, spec: CallableSpec | LiveSpec) -> None:
        super().__init__(spec.examinee)
        self._target, self._is_ours = load_system(spec, self._own_loop)
        self._system = _system(
            self._target, spec.function if isinstance(spec, LiveSpec) else f"{spec.function} in {spec.module}"
        )
        self.takes_passages = self._system.takes_passages
        self.takes_history = self._system.takes_history

    async def _ask(self, asked: Asked) -> Answer:
        return await self._system.answer(asked)

    async def _end(self) -> None:
        closing = getattr(self._target, "aclose", None) or getattr(self._target, "close", None)
        if self._is_ours and callable(closing):
            ended = await in_thread(closing)
            if inspect.isawaitable(ended):
                await ended


def _system(target: Any, name: str) -> System:
    if _is_a(target, "langgraph.pregel", "Pregel"):
        return GraphSystem(target, name)
    if _is_a(target, "langchain_core.tools", "BaseTool"):
        from viva.examinees.adapters.langchain import ToolSystem

        return ToolSystem(target, name)
    if _is_a(target, "langchain_core.runnables", "Runnable"):
        from viva.examinees.adapters.langchain import RunnableSystem

        return RunnableSystem(target, name)
    return FunctionSystem(target, name)


def _is_a(value: Any, module: str, name: str) -> bool:
    """Whether it is an instance of a class that is imported only where somebody uses it."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


# --- functions and methods -------------------------------------------------------------------------------


class FunctionSystem:
    """A function, or an object with one of METHODS."""

    def __init__(self, target: Any, name: str) -> None:
        method = next(m for m in METHODS if callable(getattr(target, m, None)))
        asking = _Asking.of(target if method == "__call__" else getattr(target, method), name, chats=method == "chat")
        self._plain = replace(asking, retrieves=method == "retrieve")
        handed = (
            m for h in _HANDED if inspect.ismethod(m := getattr(target, h, None)) and _parameter_for_passages(m)
        )
        self._handed = next((_Asking.of(m, name) for m in handed), self._plain)
        self.takes_passages = bool(self._handed.passages)
        self.takes_history = self._plain.takes_history

    async def answer(self, asked: Asked) -> Answer:
        asking = self._plain if asked.passages is None else self._handed
        # reading is part of answering: pieces and passages may come from generators that take their time
        if asking.retrieves:
            return await in_thread(lambda: read_passages(asking(asked)))
        value = await in_thread(lambda: _read_here(asking(asked), asked))
        if isinstance(value, Answer):
            return value
        if inspect.isawaitable(value):
            value = await value
        if isinstance(value, AsyncIterator):
            return await _gathered(value, asked)
        return _read(value, asked)


@dataclass(frozen=True)
class _Asking:
    """A function, and what it can be given besides the question."""

    function: Callable[..., Any]
    options: bool
    passages: str
    """the name of its parameter; "" for none"""
    history: Mapping[str, HistoryForm] = field(default_factory=dict)
    """parameters that it is given a conversation in"""
    needed: frozenset[str] = frozenset()
    """those of them that are given always"""
    whole: HistoryForm | None = None
    """how its first parameter takes all messages; None: it takes the question alone"""
    retrieves: bool = False
    """whether it finds passages and answers nothing: the options are not for it"""

    @classmethod
    def of(cls, function: Callable[..., Any], name: str, *, chats: bool = False) -> _Asking:
        try:
            signature = _signature(function)
        except (TypeError, ValueError):  # built in: it shows none
            return cls(function, options=False, passages="")
        options, passages = "options" in _others(signature), _parameter_for_passages(function)
        kinds = {name: parameter.annotation for name, parameter in signature.parameters.items()}
        history = {each: history_form(kinds[each], "dicts") for each in _others(signature) if each in _HISTORY}
        needed = frozenset(each for each in history if chats or _is_required(signature, each))
        whole = history_form(kinds["messages"], "dicts") if next(iter(kinds), "") == "messages" else None
        more: dict[str, Any] = {**({"options": None} if options else {}), **({passages: []} if passages else {})}
        try:
            signature.bind("", **more, **{each: [] for each in needed})
        except TypeError as error:
            raise UsageError(
                f"{name} takes no question: its parameters are {signature}.",
                allowed="It is called with one text: def answer(question). It may have options, passages, history.",
            ) from error
        return cls(function, options, passages, history, needed, whole)

    @property
    def takes_history(self) -> bool:
        return self.whole is not None or bool(self.history)

    def __call__(self, asked: Asked) -> Any:
        given = {each: form for each, form in self.history.items() if asked.history or each in self.needed}
        more: dict[str, Any] = {each: in_form(asked.earlier, form) for each, form in given.items()}
        if self.options:
            more["options"] = list(asked.options) if asked.options else None
        if self.passages and asked.passages is not None:
            more[self.passages] = list(asked.passages)
        text = asked.stem if self.options or self.retrieves else asked.question
        if self.whole is None:
            return self.function(text, **more)
        return self.function(in_form([*asked.earlier, {"role": "user", "content": text}], self.whole), **more)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """Its signature, annotations in quotes evaluated where that can be done."""
    try:
        return inspect.signature(function, eval_str=True)
    except Exception:  # noqa: BLE001 - an annotation may be any expression
        return inspect.signature(function)


def _is_required(signature: inspect.Signature, name: str) -> bool:
    return signature.parameters[name].default is inspect.Parameter.empty


def _parameter_for_passages(function: Callable[..., Any]) -> str:
    try:
        others = _others(inspect.signature(function))
    except (TypeError, ValueError):
        return ""
    return next((name for name in PASSAGES if name in others), "")


def _others(signature: inspect.Signature) -> list[str]:
    """The parameters behind the first that can be given by name."""
    by_name = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return [name for name, parameter in list(signature.parameters.items())[1:] if parameter.kind in by_name]


# --- what they return ------------------------------------------------------------------------------------


def _read_here(value: Any, asked: Asked) -> Any:
    """The answer; or what must be awaited first."""
    return value if inspect.isawaitable(value) or isinstance(value, AsyncIterator) else _read(value, asked)


def _read(value: Any, asked: Asked) -> Answer:
    if not isinstance(value, Iterator):
        return read_answer(value, asked.options)
    pieces = _Pieces()
    for piece in value:
        if not pieces.take(piece):
            break
    with suppress(AttributeError):
        value.close()  # type: ignore[attr-defined]
    return pieces.read(asked)


async def _gathered(value: AsyncIterator[Any], asked: Asked) -> Answer:
    pieces = _Pieces()
    async for piece in value:
        if not pieces.take(piece):
            break
        if not pieces.count % 100:
            await asyncio.sleep(0)  # one that yields without ever waiting could not be left behind
    with suppress(AttributeError):
        await value.aclose()  # type: ignore[attr-defined]
    return pieces.read(asked)


class _Pieces:
    """What a system yields: pieces of text are joined, and the last thing that is none may tell the rest."""

    def __init__(self) -> None:
        self.count = 0
        self._texts: list[str] = []
        self._length = 0
        self._last: Any = None

    def take(self, piece: Any) -> bool:
        """Keep it. False when it is enough."""
        self.count += 1
        text = piece if isinstance(piece, str) else self._chunk(piece)
        if text is None:
            self._last = piece
        else:
            self._texts.append(text)
            self._length += len(text)
        return self.count < MOST_PIECES and self._length < LONGEST_REPLY

    def read(self, asked: Asked) -> Answer:
        """All of it as an answer; a whole text in the last piece goes before the pieces."""
        if not self.count:
            raise NoAnswerError("It yielded nothing; pieces of text were expected.")
        said = "".join(self._texts)
        if self._last is None:
            return read_answer(said, asked.options)
        return read_answer(self._last, asked.options, said=said)

    @staticmethod
    def _chunk(piece: Any) -> str | None:
        """The text of a piece of a message, as LangChain's models stream them."""
        if piece is None or isinstance(piece, bytes):
            raise BadAnswerError(f"It yielded a {type(piece).__name__}; expected pieces of text.")
        is_chunk = type(piece).__name__.endswith("MessageChunk")
        return str(piece.text) if is_chunk else None


# --- LangGraph ----------------------------------------------------------------------------------------------


class GraphSystem:
    """A graph over messages, or over a state with a question and an answer. Each question is a thread of its own."""

    def __init__(self, graph: Pregel[Any, Any, Any, Any], name: str) -> None:
        self._graph = graph
        self._form, self.takes_passages = _form(graph, name)
        self.takes_history = self._form.takes_history

    async def answer(self, asked: Asked) -> Answer:
        """Run it to its end. Raises what it raises, BadAnswerError for a last state without an answer."""
        from viva.examinees.adapters.langchain import Observed

        observed = Observed()
        config: RunnableConfig = {"configurable": {"thread_id": str(uuid.uuid4())}, "callbacks": [observed]}
        state = await self._graph.ainvoke(self._form.filled(asked), config)
        waiting = state.get("__interrupt__") if isinstance(state, Mapping) else None
        if waiting:
            raise BadAnswerError(f"The graph waits for a person: {first_words(str(waiting[0]), 200)}.")
        return observed.added_to(read_answer(state, asked.options))


def _form(graph: Pregel[Any, Any, Any, Any], name: str) -> tuple[InputForm, bool]:
    """Where the question goes; and whether passages that are handed in take the place of those it retrieves.

    They do only where the graph's input is declared apart from its state: in the state they would be overwritten.
    """
    builder = getattr(graph, "builder", None)
    if builder is None:  # an entrypoint function
        form = InputForm.of(graph.get_input_jsonschema(), name)
        return form, bool(form.passages)
    # by name alone: before Python 3.12 there is no JSON schema of a typing.TypedDict
    hints = getattr(builder.input_schema, "__annotations__", {})
    fields = {key: {"annotation": hints.get(key)} for key in builder.schemas[builder.input_schema]}
    form = InputForm.with_fields(fields, (), name)
    return form, bool(form.passages) and builder.input_schema is not builder.state_schema
