"""LangChain's Runnables and tools in the chair, and any system as a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, is_typeddict

from langchain_core.callbacks import BaseCallbackHandler

from viva.core.records import AnswerUsage
from viva.examinees.adapters.base import Adapter
from viva.examinees.adapters.inputs import InputForm, in_form
from viva.examinees.answering import Answer, BadAnswerError, Candidate
from viva.examinees.readers.choosing import Asked
from viva.examinees.readers.reading import (
    first_words,
    holds_passages,
    passages_of,
    read_answer,
    read_passages,
    usage_of,
    usage_sum,
    with_reading,
)

if TYPE_CHECKING:
    from uuid import UUID

    from langchain_core.messages import ToolMessage
    from langchain_core.outputs import LLMResult
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from pydantic import BaseModel

_USUAL = ("question", "input", "query")
# how Python and LangChain complain of a text where a mapping was expected
_WANTS_FIELDS = re.compile(r"indices must be integers|'str' object has no attribute|must be a dict")


class Observed(BaseCallbackHandler):
    """What LangChain reports while a system answers one question: the documents it found, the tokens it used.

    A step that gives a list of known documents has ranked or filtered them: its list takes their place.
    """

    run_inline = True
    """in the order of events; the other way is a thread for each"""

    def __init__(self) -> None:
        self._documents: dict[str, Any] = {}
        self._used: list[AnswerUsage | None] = []
        self._parents: dict[UUID, UUID | None] = {}
        self._retrievers: set[UUID] = set()

    def added_to(self, answer: Answer) -> Answer:
        """The answer with what was observed, where it does not say so itself."""
        found = answer.passages or passages_of(list(self._documents.values()))
        own, used = answer.usage, usage_sum(self._used)
        whole = used is not None and None not in (used.input_tokens, used.output_tokens)
        # a last message counts its own call alone, and not those before it
        keeps_own = own is not None and (own.cost is not None or not whole)
        return replace(answer, passages=found, usage=own if keeps_own else used)

    def on_chain_start(self, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **__: Any) -> None:
        """Keep what the step is a part of."""
        self._parents[run_id] = parent_run_id

    def on_retriever_start(self, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **__: Any) -> None:
        """The same of a retriever."""
        self._parents[run_id] = parent_run_id
        self._retrievers.add(run_id)

    def on_retriever_end(self, documents: Sequence[Any], *, run_id: UUID, **_: Any) -> None:
        """Keep the documents, unless another retriever makes its own list of them."""
        self._found(documents, run_id)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """Keep documents that a step of any other kind gives."""
        if isinstance(outputs, list) and outputs and all(hasattr(each, "page_content") for each in outputs):
            self._found(outputs, run_id)

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Count the tokens of one call to a model."""
        message = getattr(response.generations[0][0], "message", None) if any(response.generations) else None
        self._used.append(usage_of(message) or usage_of({"usage": (response.llm_output or {}).get("token_usage")}))

    def _found(self, documents: Sequence[Any], run_id: UUID) -> None:
        if self._within_retriever(run_id):
            return
        given = {each.page_content: each for each in documents if isinstance(each.page_content, str)}
        self._documents = given if given.keys() <= self._documents.keys() else {**self._documents, **given}

    def _within_retriever(self, run_id: UUID) -> bool:
        above = self._parents.get(run_id)
        while above is not None and above not in self._retrievers:
            above = self._parents.get(above)
        return above is not None


class RunnableSystem:
    """A chain, a chat model, a retriever alone or with a model. Its input schema says where the question goes.

    Where the schema says nothing, as of many a lambda, it is given a text; and a mapping, should it complain of that.
    """

    def __init__(self, runnable: Runnable[Any, Any], name: str) -> None:
        from langchain_core.language_models import BaseChatModel
        from langchain_core.retrievers import BaseRetriever

        self._runnable = runnable
        self._retrieves = isinstance(runnable, BaseRetriever)
        self._model = _input_model(runnable)
        form = _form(runnable, name)
        self._untold = form is None
        self._form = form or InputForm()
        self._chats = isinstance(runnable, BaseChatModel)
        self.takes_passages = bool(self._form.passages)
        self.takes_history = self._chats or self._form.takes_history

    async def answer(self, asked: Asked) -> Answer:
        """Invoke it. Raises what it raises, BadAnswerError for an output without a text."""
        observed = Observed()
        try:
            output = await self._runnable.ainvoke(self._input(asked), {"callbacks": [observed]})
        except (AttributeError, TypeError, ValueError) as error:
            if not self._untold or not _WANTS_FIELDS.search(str(error)):
                raise
            observed = Observed()
            output = await self._runnable.ainvoke(dict.fromkeys(_USUAL, asked.question), {"callbacks": [observed]})
        if self._retrieves:
            return read_passages(output)
        return observed.added_to(read_answer(output, asked.options))

    def _input(self, asked: Asked) -> Any:
        if self._retrieves:
            return asked.stem
        if self._chats and asked.history:
            return in_form(asked.messages, "langchain")
        filled = self._form.filled(asked)
        return self._model(**filled) if self._model and isinstance(filled, dict) else filled


class ToolSystem:
    """A tool, called as a tool node calls it; documents in its artifact are its passages."""

    def __init__(self, tool: BaseTool, name: str) -> None:
        self._tool = tool
        self._form = InputForm.of(_arguments_of(tool), name)
        self.takes_passages = bool(self._form.passages)
        self.takes_history = self._form.takes_history

    async def answer(self, asked: Asked) -> Answer:
        """Call it. Raises what it raises, BadAnswerError where its message says that it failed."""
        filled = self._form.filled(asked)
        call = {"type": "tool_call", "id": "question", "name": self._tool.name, "args": filled}
        observed = Observed()
        message: ToolMessage = await self._tool.ainvoke(call, {"callbacks": [observed]})
        if getattr(message, "status", "") == "error":
            raise BadAnswerError(f"The tool says that it failed: {first_words(str(message.content), 200)}.")
        return observed.added_to(_of_message(message, asked))


def _of_message(message: ToolMessage, asked: Asked) -> Answer:
    artifact = getattr(message, "artifact", None)
    if isinstance(artifact, Answer):
        return with_reading(artifact, asked.options)
    told = {"text": getattr(message, "content", None)}
    if isinstance(artifact, Mapping):
        return read_answer({**artifact, **told}, asked.options)
    return read_answer({**told, "passages": artifact if holds_passages(artifact) else None}, asked.options)


def _arguments_of(tool: BaseTool) -> Mapping[str, Any]:
    """The JSON schema of what a model may give it: without what a graph would inject."""
    from pydantic import BaseModel

    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return schema
    return schema.model_json_schema() if issubclass(schema, BaseModel) else schema.schema()


def _form(runnable: Runnable[Any, Any], name: str) -> InputForm | None:
    """Where its input takes the question; None where that cannot be told."""
    wanted = _input_type(runnable)
    if is_typeddict(wanted):  # by name alone: before Python 3.12 there is no JSON schema of a typing.TypedDict
        fields = {key: {"annotation": hint} for key, hint in wanted.__annotations__.items()}
        return InputForm.with_fields(fields, wanted.__required_keys__, name)
    try:
        schema = runnable.get_input_jsonschema()
    except Exception:  # noqa: BLE001 - of a type that has none
        return None
    told = set(schema.get("properties") or {}) - {"root"}  # what is left where nothing was found
    return (
        InputForm.of(schema, name) if told or schema.get("type", "object") != "object" or "anyOf" in schema else None
    )


def _input_model(runnable: Runnable[Any, Any]) -> type[BaseModel] | None:
    """The class of its input, where that is a pydantic model."""
    from pydantic import BaseModel

    wanted = _input_type(runnable)
    return wanted if isinstance(wanted, type) and issubclass(wanted, BaseModel) else None


def _input_type(runnable: Runnable[Any, Any]) -> Any:
    try:
        return runnable.InputType
    except TypeError:  # it cannot be told
        return None


def as_tool(candidate: Candidate) -> BaseTool:
    """The system as a tool, for a tool node: its text is the message, its whole Answer the artifact.

    A call raises what the system raises. Without a loop (`invoke`) only an Adapter can be asked: it has its own.
    """
    from langchain_core.tools import StructuredTool

    async def ask(question: str, options: list[str] | None = None) -> tuple[str, Answer]:
        answer = await candidate.answer(question, options)
        return answer.text, answer

    ask_now = None
    if isinstance(candidate, Adapter):
        own = candidate

        def ask_now(question: str, options: list[str] | None = None) -> tuple[str, Answer]:
            answer = own.answer_now(question, options)
            return answer.text, answer

    name = re.sub(r"[^A-Za-z0-9_-]+", "_", candidate.examinee.name).strip("_")[:64]
    return StructuredTool.from_function(
        func=ask_now,
        coroutine=ask,
        name=name or "examinee",
        description="Asks the system under examination one question; with options, which of them is right.",
        response_format="content_and_artifact",
    )
