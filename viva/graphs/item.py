"""The item graph: one knowledge unit walks to an accepted item or a rejection.

write -> screen -> answer -> criticise -> distract -> check -> correct -> accept
  ^_________|__________________revise|       ^__________|redo
  ^                  ^_______________|___________________|key disputed    (and from each: reject)
  |__________________________________________|no options_|contrived

The screen is rules, which cost nothing, then a reader who has neither documents nor answer: it rates the question,
says whether it knows the answer, and guesses. A question that fails goes back before an answer is sought; where
nothing but its wording is at fault, the reader's own takes its place. The whole item is reviewed, whatever was said
before, with the wrong options to spare, of which the best that the review leaves are kept. What the reviewer would
edit is edited, and stands if a proofreader lets it. Wrong options are the distractor writer's fault, a wording that
no edit mends the question writer's; where the key itself, or nothing but the answer's wording, is doubted the expert
is asked again, once.

A role that cannot do its work (RoleFailed) says so in the verdict, from wherever it stands: the unit goes to
`reject`, and is counted as failed, not as rejected by a judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from viva.agents.roles import Cast, OptionCritic, Source, Worded
from viva.agents.rules.critics import best_set
from viva.agents.rules.edits import edited
from viva.core.records import Draft, ExpertAnswer, Rejection, Verdict
from viva.graphs.authoring.accept import accepted
from viva.graphs.authoring.critic_panels import ask_panels, joined
from viva.graphs.authoring.state import Committee, ItemRecord, ItemState
from viva.graphs.authoring.tracing import answered, options, reason, recalled, spoken, stem, traced, worded

DISPUTES = 1
"""How often the expert is asked again about a key that was doubted."""
_UNEDITED = 0.75
"""Score of the wording of an item that an editor would change, and that stays as it is: a point of five less."""


@traced(
    "question writer",
    lambda s: s["unit"].statement,
    lambda s: worded(s) or "no (other) way to ask about it",
)
async def write(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Word a question, or word it again with the critic's reason in hand."""
    draft = await runtime.context.cast.writer.write(
        state["unit"], state["source"], state.get("draft"), state.get("verdict")
    )
    if draft is not None:
        fresh: ItemState = {"verdict": None, "read": (), "round": (), "expert_answer": None}
        return {**fresh, "draft": draft, "distractors": None, "option_round": None, "borne": None, "redos": 0}
    failed = state.get("verdict")
    if failed is None:
        failed = Verdict(critic="question writer", passed=False, reason="No question suits it.", code="no_question")
    return {"verdict": failed}


@traced("question reader", stem, lambda s: "\n".join(filter(None, [recalled(s), spoken(s.get("read", ()))])))
async def screen(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Hold the question against the rules; then let it be read without documents."""
    cast, draft = runtime.context.cast, _draft(state)
    spoken, ended = await ask_panels(cast.screen, draft, None, state["source"])
    if ended is not None or cast.question_reader is None:
        return {"read": spoken, "verdict": ended}
    recall, read = await cast.question_reader.read(draft)
    draft = draft.model_copy(update={"recall": recall})
    reworded = await _reworded(cast, draft, read, state["source"])
    if reworded is not None:
        draft, read = reworded
    return {"draft": draft, "read": (*spoken, *read), "verdict": joined(read)}


async def _reworded(
    cast: Cast, draft: Draft, read: Sequence[Verdict], source: Source
) -> tuple[Draft, tuple[Verdict, ...]] | None:
    """Take the reader's words where nothing but the wording is at fault and these break no rule; else None."""
    said = next((verdict for verdict in read if verdict.edits), None)
    if said is None or said.final or any(not verdict.passed for verdict in read if verdict is not said):
        return None
    made = edited(draft, (), said.edits)
    if made is None or (await ask_panels(cast.screen, made[0], None, source))[1] is not None:
        return None
    # the rating is of the words that went
    taken = {"passed": True, "code": "", "score": None, "reason": f"{said.reason} Reworded: “{made[0].stem}”"}
    return made[0], tuple(verdict.model_copy(update=taken) if verdict is said else verdict for verdict in read)


@traced("expert answerer", stem, lambda s: answered(s) or "no answer")
async def answer(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Answer from the source alone, without having seen the key; asked again, knowing why the key was doubted."""
    draft, dispute = _draft(state), state.get("verdict")
    dispute = dispute if dispute is not None and not dispute.passed else None
    found = await runtime.context.cast.expert.answer(draft.shown, draft.answer_form, state["source"], dispute)
    disputes = state.get("disputes", 0) + (dispute is not None)
    if dispute is not None and (found is None or _says_the_same(found, state)):
        # two who read the source disagree, and neither can be believed
        return {"expert_answer": found, "disputes": disputes}
    update: ItemState = {"expert_answer": found, "verdict": None, "disputes": disputes}
    update["draft"] = draft.answered(found) if found else draft
    # what was said of the key that was taken back is not said of this one
    return {**update, "round": (), "borne": None} if dispute else update


def _says_the_same(found: ExpertAnswer, state: ItemState) -> bool:
    """Whether the expert stands by the answer: critics of a draft read its sentences, those of options the key."""
    draft, before = _draft(state), state.get("expert_answer")
    again = draft.answered(found)
    reworded = state.get("distractors") is None and again.reference_answer != draft.reference_answer
    same = again.key == draft.key or (before is not None and found.text == before.text)
    return same and not reworded


@traced("critics", lambda s: f"{stem(s)}\nexpert: {answered(s)}", lambda s: spoken(s.get("round", ())))
async def criticise(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Ask the critics of question and answer."""
    spoken, ended = await ask_panels(
        runtime.context.cast.draft_critics, _draft(state), state.get("expert_answer"), state["source"]
    )
    return {"verdict": ended or (spoken[-1] if spoken else None), "round": spoken}


@traced("distractor writer", lambda s: f"{stem(s)}\nkey: {_draft(s).key}", lambda s: options(s) or reason(s))
async def distract(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Write the wrong options; again, with what was wrong with the last ones."""
    last = state.get("verdict")
    again = state.get("option_round") is not None
    feedback = last if again and last is not None and not last.passed else None
    attempt = state.get("redos", 0) + again
    refused = (state.get("distractors") or ()) if feedback else ()
    distractors = await runtime.context.cast.distractors.write(
        _draft(state), state["source"], attempt, feedback, refused
    )
    update: ItemState = {"distractors": distractors, "redos": attempt, "option_round": ()}
    if feedback is not None and feedback.slight:
        # as good as can be had, unless the next ones are better
        update["borne"] = (tuple(refused), state.get("option_round") or ())
    if distractors is not None:
        return update
    if feedback is not None:
        reason = f"{feedback.reason} There are no other wrong options."
        return {**update, "verdict": feedback.model_copy(update={"reason": reason})}
    too_few = "There are too few plausible wrong options of the key's form."
    lacking = Verdict(critic="distractor writer", passed=False, reason=too_few, code="too_few_distractors")
    return {**update, "verdict": lacking}


@traced("option critics", options, lambda s: spoken(s.get("option_round") or ()))
async def check(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Review the whole item, and choose its options among those that were written.

    Rules are held against the best set before the review is paid for, and against the one that the review leaves.
    """
    cast, wanted, draft = runtime.context.cast, runtime.context.options - 1, _draft(state)
    written = state.get("distractors") or ()
    chosen = best_set(written, draft, wanted)
    update = await _in_turn(cast.option_critics, {**state, "distractors": chosen})
    if cast.reviewer is None or not _passed(update):
        return {**update, "distractors": chosen}
    read = await cast.reviewer.review(draft, written, state["source"])
    unfit, tempting = read[-1].unfit, {text: n for n, text in enumerate(read[-1].tempting)}
    fit = [each for each in written if each.text not in unfit]
    fit.sort(key=lambda each: tempting.get(each.text, len(tempting)))
    left = best_set(fit, draft, wanted)
    named = tuple(fit[:wanted])
    if read[-1].edits and named != left and len(tempting.keys() & {each.text for each in named}) == wanted:
        # edits are of the options that the reviewer would print
        allowed = await _in_turn(cast.option_critics, {**state, "distractors": named})
        left = named if _passed(allowed) else left
    said = (*(update["option_round"] or ()), *read)
    verdict = next((each for each in read if not each.passed), read[-1])
    if left != chosen and (verdict.passed or verdict.slight):
        again = await _in_turn(cast.option_critics, {**state, "distractors": left})
        if not _passed(again):
            said = (*said, *(again["option_round"] or ()))
            # a set that breaks a rule is not borne
            return {
                "distractors": left,
                "verdict": again["verdict"] if verdict.passed else verdict.model_copy(update={"slight": False}),
                "option_round": said,
            }
    return {"distractors": left, "verdict": verdict, "option_round": said}


@traced("proofreader", lambda s: f"{worded(s)}\n{options(s)}", lambda s: spoken((s.get("option_round") or ())[-1:]))
async def correct(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Make the reviewer's edits, if they break no rule and the proofreader lets them stand; else it costs a point."""
    draft, wrong, reviewed = _draft(state), state.get("distractors") or (), state["verdict"]
    edits = reviewed.edits if reviewed else ()
    told = "; ".join(f"“{edit.old}” to “{edit.new}”" for edit in edits)
    made = edited(draft, wrong, edits)
    said = await _proofread(runtime.context.cast, made, (draft, wrong), state) if made else None
    if made is not None and said is not None and said.passed:
        fine = said.model_copy(update={"reason": f"Edited: {told}. {said.reason}"})
        return {"draft": made[0], "distractors": made[1], "option_round": (*(state.get("option_round") or ()), fine)}
    why = said.reason if said else "a rule would be broken, or a name or figure would change."
    kept = Verdict(critic="proofreading", passed=True, score=_UNEDITED, reason=f"Not edited, {told}: {why}")
    return {"option_round": (*(state.get("option_round") or ()), kept)}


async def _proofread(cast: Cast, made: Worded, before: Worded, state: ItemState) -> Verdict | None:
    """Let the proofreader judge what no rule refuses; None where one does, or where the cast has no proofreader."""
    draft, distractors = made
    _, broken = await ask_panels(cast.screen, draft, None, state["source"])
    by_rule = await _in_turn(cast.option_critics, {**state, "draft": draft, "distractors": distractors})
    if cast.proofreader is None or broken is not None or not _passed(by_rule):
        return None
    return await cast.proofreader.read(made, before, state["source"])


@traced("chair", stem, lambda _: "accepted")
async def accept(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """The draft becomes an item."""
    distractors, said = state.get("distractors") or (), state.get("option_round") or ()
    verdict = state.get("verdict")
    if not distractors or (verdict is not None and not verdict.passed and not verdict.slight):
        # those that were to be mended, where mending found no better
        distractors, said = state.get("borne") or (distractors, said)
    verdicts = (*state.get("read", ()), *state.get("round", ()), *said)
    topic, cast = state["source"].document.topic, runtime.context.cast.name
    item = accepted(_draft(state), distractors, verdicts, topic=topic, cast=cast)
    return {"items": [item]}


@traced("chair", stem, lambda s: f"rejected: {reason(s)}")
async def reject(state: ItemState, runtime: Runtime[Committee]) -> ItemState:  # noqa: ARG001
    """The unit is given up, with the verdict that ended it."""
    verdict = state["verdict"]
    if verdict is None:
        raise AssertionError("a unit is rejected by a verdict")
    return {"rejections": [Rejection.of(state["unit"], state.get("draft"), verdict)]}


async def _in_turn(critics: Sequence[OptionCritic], state: ItemState) -> ItemState:
    """The first critic that fails the item ends the round."""
    spoken = list(state.get("option_round") or ())
    for critic in critics:
        spoken.append(await critic.judge(_draft(state), state.get("distractors") or (), state["source"]))
        if not spoken[-1].passed:
            break
    return {"verdict": spoken[-1] if spoken else None, "option_round": tuple(spoken)}


def after_writing(state: ItemState) -> Literal["screen", "accept", "reject"]:
    """Is there a draft to judge? Where nobody words a finished item better, its slight fault is borne."""
    verdict = state.get("verdict")
    if verdict is None:
        return "screen"
    return "accept" if verdict.slight and state.get("distractors") else "reject"


def after_screen(state: ItemState, runtime: Runtime[Committee]) -> Literal["answer", "write", "reject"]:
    """Passed: to the expert. Failed: revise while revisions are left."""
    return "answer" if _passed(state) else _revise(state, runtime)


def after_answer(state: ItemState, runtime: Runtime[Committee]) -> Literal["criticise", "write", "reject"]:
    """Is there a key that can be judged? An answer that critics doubt and the expert keeps needs another question."""
    if _passed(state):
        return "criticise"
    return _revise(state, runtime) if state.get("distractors") is None else "reject"


def after_critics(state: ItemState, runtime: Runtime[Committee]) -> Literal["distract", "answer", "write", "reject"]:
    """Passed: go on. Failed: back to whoever is to blame, while anything is left to try."""
    if _passed(state):
        return "distract"
    return "answer" if _can_answer_again(state) else _revise(state, runtime)


def after_distractors(state: ItemState, runtime: Runtime[Committee]) -> Literal["check", "accept", "write", "reject"]:
    """Are there options to judge? Where a slight fault has no better set, the one there was is borne.

    A key that has no wrong options of its kind is another question's.
    """
    if _could_not_work(state):
        return "reject"
    if state.get("distractors") is not None:
        return "check"
    verdict = state.get("verdict")
    if verdict is not None and verdict.blames == "question":
        return _revise(state, runtime)
    return _borne_or_rejected(state)


def after_check(
    state: ItemState, runtime: Runtime[Committee]
) -> Literal["correct", "accept", "distract", "answer", "write", "reject"]:
    """Passed: make the edits that were asked for, or accept. Failed: back to the role to blame."""
    if not _passed(state):
        return _after_fault(state, runtime)
    verdict = state.get("verdict")
    return "correct" if verdict is not None and verdict.edits else "accept"


def _after_fault(
    state: ItemState, runtime: Runtime[Committee]
) -> Literal["accept", "distract", "answer", "write", "reject"]:
    """Back to whoever is to blame for the finished item's fault; a slight one that mending left is borne."""
    verdict = state["verdict"]
    if verdict is None:
        raise AssertionError("a fault is a verdict's")
    if verdict.blames == "question":
        again = _revise(state, runtime)
        return "accept" if verdict.slight and again == "reject" else again
    borne = verdict.slight and state.get("redos", 0) >= min(1, runtime.context.redos)
    return "accept" if borne else _mend(state, runtime)


def _revise(state: ItemState, runtime: Runtime[Committee]) -> Literal["write", "reject"]:
    verdict = state.get("verdict")
    final = verdict is not None and (verdict.failed or verdict.final)
    return "write" if not final and _draft(state).attempt < runtime.context.revisions else "reject"


def _borne_or_rejected(state: ItemState) -> Literal["accept", "reject"]:
    """Where options cannot be mended: is there a set that had but a slight fault?"""
    return "accept" if state.get("borne") else "reject"


def _mend(state: ItemState, runtime: Runtime[Committee]) -> Literal["accept", "distract", "answer", "reject"]:
    verdict = state["verdict"]
    if verdict is None or verdict.failed:
        return "reject"
    if verdict.blames == "key":
        return "answer" if _can_answer_again(state) else "reject"
    return "distract" if state.get("redos", 0) < runtime.context.redos else _borne_or_rejected(state)


def _can_answer_again(state: ItemState) -> bool:
    """Whether the key is doubted, and the expert's to take back: the writer's own is not."""
    verdict = state.get("verdict")
    doubted = verdict is not None and verdict.blames == "key" and not (verdict.failed or verdict.final)
    return doubted and _draft(state).key_from == "expert" and state.get("disputes", 0) < DISPUTES


def _passed(state: ItemState) -> bool:
    verdict = state.get("verdict")
    return verdict is None or verdict.passed


def _could_not_work(state: ItemState) -> bool:
    verdict = state.get("verdict")
    return verdict is not None and verdict.failed


def _draft(state: ItemState) -> Draft:
    draft = state.get("draft")
    if draft is None:
        raise AssertionError("there is a draft wherever a critic or the distractor writer is asked")
    return draft


def build_item_graph() -> CompiledStateGraph[ItemState, Committee, ItemState, ItemRecord]:
    """The graph, compiled without a checkpointer: a chunk is recorded whole or not at all."""
    graph = StateGraph(ItemState, context_schema=Committee, output_schema=ItemRecord)
    graph.add_node("write", write)
    graph.add_node("screen", screen)
    graph.add_node("answer", answer)
    graph.add_node("criticise", criticise)
    graph.add_node("distract", distract)
    graph.add_node("check", check)
    graph.add_node("correct", correct)
    graph.add_node("accept", accept)
    graph.add_node("reject", reject)

    graph.add_edge(START, "write")
    graph.add_conditional_edges("write", after_writing)
    graph.add_conditional_edges("screen", after_screen)
    graph.add_conditional_edges("answer", after_answer)
    graph.add_conditional_edges("criticise", after_critics)
    graph.add_conditional_edges("distract", after_distractors)
    graph.add_conditional_edges("check", after_check)
    graph.add_edge("correct", "accept")
    graph.add_edge("accept", END)
    graph.add_edge("reject", END)
    return graph.compile(checkpointer=False)


graph = build_item_graph()
