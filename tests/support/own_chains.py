"""Systems of people's own made with LangChain and LangGraph: each says B where it was shown options, else C."""

import asyncio
import time
from typing import Any, NotRequired, TypedDict

from langchain_core.callbacks import CallbackManagerForLLMRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel

DOCUMENTS = [
    Document("The tank holds 30 litres.", metadata={"id": "t-1"}),
    Document("Red.", metadata={"id": "t-2"}),
]


def letter(text: str) -> str:
    return "B" if "B) " in text else "C"


class Model(BaseChatModel):
    """Reads the last message."""

    @property
    def _llm_type(self) -> str:
        return "by hand"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **more: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(letter(str(messages[-1].content))))])


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return DOCUMENTS


class CountedModel(Model):
    """Says what it used, as the clients of vendors do."""

    def _generate(self, messages: list[BaseMessage], *given: Any, **more: Any) -> ChatResult:
        used = UsageMetadata(input_tokens=40, output_tokens=3, total_tokens=43)
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(letter(messages[-1].text), usage_metadata=used))]
        )


class Fused(BaseRetriever):
    """Asks another retriever, and keeps the last document of its list alone."""

    inner: BaseRetriever

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self.inner.invoke(query, {"callbacks": run_manager.get_child()})[1:]


class Query(BaseModel):
    query: str


class Hands(TypedDict):
    question: str
    documents: NotRequired[list[str]]


class State(TypedDict):
    question: str
    documents: list[Any]
    generation: str


def keyed(field: str) -> Any:
    return ChatPromptTemplate.from_template("{context}\n\n{" + field + "}") | Model() | StrOutputParser()


# --- chains ----------------------------------------------------------------------------------------------

retriever, chat_model = Retriever(), Model()
text_chain = {"context": retriever, "question": RunnablePassthrough()} | keyed("question")
question_chain = RunnablePassthrough.assign(context=(lambda x: x["question"]) | retriever) | keyed("question")
counted_reader = ChatPromptTemplate.from_template("{context}\n\n{question}") | CountedModel() | StrOutputParser()


def joined(documents: list[Document]) -> str:
    return "\n\n".join(document.page_content for document in documents)


tutorial_chain = {"context": retriever | joined, "question": RunnablePassthrough()} | counted_reader
reranked_chain = {
    "context": retriever | (lambda found: found[::-1]) | joined,
    "question": RunnablePassthrough(),
} | counted_reader
fused_chain = {"context": Fused(inner=retriever) | joined, "question": RunnablePassthrough()} | counted_reader
lambda_chain = {
    "context": RunnableLambda(lambda text: DOCUMENTS) | joined,
    "question": RunnableLambda(lambda text: text) | CountedModel() | StrOutputParser(),
} | counted_reader
query_chain = RunnableLambda(lambda x: letter(x["query"]))
get_chain = RunnableLambda(lambda x: letter(x.get("input", "")))
assign_chain = RunnablePassthrough.assign(answer=lambda x: letter(x["question"]))
strict_chain = RunnableLambda(lambda x: letter(x["query"]) + str(x["nothing"]))
retrieval_chain = RunnablePassthrough.assign(context=(lambda x: x["input"]) | retriever).assign(answer=keyed("input"))
sources_chain = RunnableLambda(lambda text: {"result": letter(text), "source_documents": DOCUMENTS})
single_field = ChatPromptTemplate.from_template("{topic}") | Model()
with_history = ChatPromptTemplate.from_messages([MessagesPlaceholder("chat_history"), ("user", "{input}")]) | Model()
needs_context = keyed("question")
odd_fields = ChatPromptTemplate.from_template("{height} {width}") | Model()
counting = RunnableLambda(lambda text: len(text))


def as_it_comes(text: Any) -> Any:
    return letter(text)


def with_model(asked: Query) -> str:
    return letter(asked.query)


def read(asked: Hands) -> str:
    return f"read: {asked['documents'][0]}" if asked.get("documents") else letter(asked["question"])


def fail(text: str) -> str:
    raise ValueError("no index")


async def hang(text: str) -> str:
    await asyncio.sleep(3600)
    return "B"


def block(text: str) -> str:
    time.sleep(3600)
    return "B"


untyped, pydantic_input = RunnableLambda(as_it_comes), RunnableLambda(with_model)
handed_chain = RunnableLambda(read)
raising_chain, hanging_chain, blocking_chain = RunnableLambda(fail), RunnableLambda(hang), RunnableLambda(block)

# --- graphs ----------------------------------------------------------------------------------------------


def graph(state: Any, *nodes: Any, saver: Any = None, **more: Any) -> Any:
    made = StateGraph(state, **more)
    made.add_sequence([(f"step {n}", node) for n, node in enumerate(nodes)])
    made.add_edge(START, "step 0")
    made.add_edge(f"step {len(nodes) - 1}", END)
    return made.compile(checkpointer=saver)


async def reply(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await Model().ainvoke(state["messages"])]}


def count(state: MessagesState) -> dict[str, Any]:
    said = letter(str(state["messages"][-1].content))
    return {"messages": [AIMessage(said if len(state["messages"]) == 1 else "I know you")]}


def use_tools(state: MessagesState) -> dict[str, Any]:
    first = AIMessage("", usage_metadata=UsageMetadata(input_tokens=10, output_tokens=5, total_tokens=15))
    found = ToolMessage("found", tool_call_id="1", artifact=DOCUMENTS)
    last = AIMessage(
        [{"type": "text", "text": letter(str(state["messages"][0].content))}],
        usage_metadata=UsageMetadata(input_tokens=20, output_tokens=2, total_tokens=22),
    )
    return {"messages": [first, found, last]}


def answer(state: State) -> dict[str, Any]:
    handed = [each for each in state.get("documents", []) if isinstance(each, str)]
    return {"generation": f"read: {handed[0]}" if handed else letter(state["question"])}


messages_graph, agent_graph = graph(MessagesState, reply), graph(MessagesState, use_tools)
remembering_graph = graph(MessagesState, count, saver=InMemorySaver())
question_graph = graph(State, lambda state: {"documents": DOCUMENTS}, answer)
handed_graph = graph(State, answer, input_schema=Hands)
silent_graph = graph(MessagesState, lambda state: {})
interrupted_graph = graph(State, lambda state: {"generation": interrupt("may I?")}, saver=InMemorySaver())
raising_graph = graph(State, fail)
uncompiled = StateGraph(State)


@entrypoint()
def entrypoint_graph(question: str) -> str:
    return letter(question)


# --- tools -----------------------------------------------------------------------------------------------


@tool
async def plain_tool(question: str, k: int = 3) -> str:
    """Answers a question."""
    return letter(question)


@tool
def query_tool(query: str) -> str:
    """Answers a question."""
    return letter(query)


@tool(response_format="content_and_artifact")
def artifact_tool(question: str) -> tuple[str, list[Document]]:
    """Answers a question from documents."""
    return letter(question), DOCUMENTS


@tool
def blocking_tool(input: str) -> str:  # noqa: A002
    """Answers a question, taking its time."""
    time.sleep(0.01)
    return letter(input)


@tool
def raising_tool(question: str) -> str:
    """Fails."""
    raise ValueError("no index")


@tool
def failing_tool(question: str) -> str:
    """Fails, and says so."""
    raise ToolException("no index")


failing_tool.handle_tool_error = True
