"""The item reviewer: reads every finished item whole, and has not been told its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from viva.agents.language_model.asks import Asks, passage
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.question_reader import DROP, KINDS, audience_of
from viva.agents.language_model.critics.review_brief import LETTERS, NONE, brief, lettered
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.language_model.replies import LONGEST_QUOTE, reason, says_nothing, unmarked_line
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, ItemKind, Rewording, Trial, Verdict
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_FAITHFULNESS = "faithfulness"
UNFAITHFUL, UNFAITHFUL_HISTORY = "unfaithful", "unfaithful_history"
CONTRIVED, UNWORTHY, GIVEN_AWAY, DISPUTABLE = "contrived", "not_worth_asking", "given_away", "disputable"
COMMON_KNOWLEDGE = "common_knowledge"
_LEAST_HIDDEN = 3
_MOST_ELSEWHERE = 2
"""Passages of other places that it is shown."""
_LEAST_NATURAL, _LEAST_NATURAL_JOINED, _LEAST_WORTH = 4, 3, 3
"""A question that joins two documents' facts goes a roundabout way on purpose."""
_UNPRINTABLE = 2
"""A rating of wording or worth with which a question is never accepted."""
_BEST_HIDDEN, _KNOWN_TO_ALL = 5, 1
_POINT = 0.25
"""What a point that a rating lacks takes from a verdict's score."""
_STRAIGHTER = "Ask as somebody at work would, calling things by their names; or ask something else, or drop it."


class ModelItemReviewer:
    """One review of the whole item, of every item: is its key, and nothing but its key, right; by the passage, by
    what the corpus says besides, and by what is known of the subject in general? Does the passage say all that the
    key says? Does an option, or the question, lead to it? Would an editor print it, and would anybody ask it?

    The key is not marked: whoever solves the item finds a wrong key, which whoever is told the key explains away.
    All else that is said refers to the option that was picked, and is read only where that is the key. It is shown
    what a search finds that may answer the question otherwise, what readers without documents guessed, and what one
    gave from memory: whether that is the key is judged by its meaning (Verdict.known).

    A wrong pick blames the key, with the passage's own words as the reason: the expert, who is to answer again, must
    learn neither options nor key. Faithfulness is judged of the option that was picked, and of an assistant's earlier
    answer in the conversation. What is not natural or not worth asking no option mends: it goes back to the writer.

    Options that are right too, can be defended or are odd give way to spare ones, and those that tempt most are
    printed. Where too few are left, options are mended once: then an odd one is borne, and marks the item as
    guessable, and one that can be defended marks it as disputable. A key that shows marks it as guessable at once:
    other options changed that in 7 of 20 items. The key of an unanswerable item is an option of every question of its
    kind, and hides nowhere; a value that finds support shows that its question is answered.
    """

    name = "item review"

    def __init__(self, asks: Asks, settings: Settings, corpus: CorpusSearch, titles: Sequence[str] = ()) -> None:
        self._asks = asks
        self._seed = settings.seed
        self._wanted = settings.options - 1
        self._corpus = corpus
        self._audience = audience_of(settings, titles)

    async def review(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> tuple[Verdict, ...]:
        """Judge faithfulness, where there is a key to be supported, then the whole item.

        Options are shown in an order drawn for the draft, so that their place tells nothing. RoleFailed where the
        model leaves a scale.
        """
        absent = draft.kind is ItemKind.UNANSWERABLE
        read = await self._corpus.apart(lambda: self._corpus.around(draft.stem, source)) if absent else source
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "review", draft.id)
        shown = lettered(options)
        material = {"audience": self._audience, **passage(read), "question": draft.shown, "options": shown}
        elsewhere = await self._elsewhere(draft, distractors, read)
        if elsewhere:
            material["elsewhere"] = "\n\n".join(elsewhere)
        recall = draft.recall if draft.recall and not absent else None
        if recall and recall.guesses:
            material["guesses"] = "\n".join(f"- {guess}" for guess in recall.guesses)
        if recall and recall.known:
            material["recalled"] = recall.answer
        kind = KINDS.get(draft.kind)
        asked = brief(
            len(options),
            elsewhere=bool(elsewhere),
            absent=absent,
            kind=kind is not None,
            follows=bool(draft.history),
            guessed="guesses" in material,
            recalled="recalled" in material,
        )
        ours: dict[str, str | int] = {"how_many": self._wanted, **({"kind": kind} if kind else {})}
        said = await asked.ask(self._asks, material, **ours)
        rated = {name: getattr(said, name) for name in ("hidden", "natural", "worth") if hasattr(said, name)}
        if not all(1 <= rating <= 5 for rating in rated.values()):
            told = ", ".join(f"{name} {rating}" for name, rating in rated.items())
            raise RoleFailed("rating_off_scale", f"The item reviewer left a scale: {told}.")
        key = LETTERS[options.index(draft.key)]
        wrong = {letter: text for letter, text in zip(LETTERS, options, strict=False) if letter != key}
        if said.best_option != key:
            return (self._disputed(said, read, "no_key" if said.best_option == NONE else "key_disputed"),)
        faithful = () if absent else (_faithfulness(said),)
        fits = _Fitness.of(said, wrong, self._wanted)
        doubt = self._second_key(said, read, fits, absent=absent) or self._answered_elsewhere(said, elsewhere)
        verdict = doubt or self._of_rest(draft, said, fits)
        tempting = tuple(wrong[letter] for letter in getattr(said, "tempting", ()) if letter in wrong)
        edits = _edits(said, [draft.stem, *options]) if verdict.passed else ()
        chosen = {"unfit": fits.unfit, "tempting": tempting, "edits": edits}
        return (*faithful, verdict.model_copy(update=chosen))

    async def _elsewhere(self, draft: Draft, distractors: Sequence[Distractor], read: Source) -> list[str]:
        """Find passages that may answer the question otherwise, then those that may support a wrong option."""
        has_key = draft.kind is not ItemKind.UNANSWERABLE
        queries = (f"{draft.asked} {draft.answer_form}", f"{draft.key} {draft.asked}") if has_key else ()

        def find() -> list[str]:
            rivals = self._corpus.rivals(draft.asked, queries, read, draft.language, _MOST_ELSEWHERE)
            return [*rivals, *self._corpus.elsewhere(draft.asked, [d.text for d in distractors], read)]

        return list(dict.fromkeys(await self._corpus.apart(find, queries)))[:_MOST_ELSEWHERE]

    def _answered_elsewhere(self, said: Any, elsewhere: Sequence[str]) -> Verdict | None:
        """Give the verdict on a question that another place answers otherwise; None where its words are not there."""
        quoted = one_line(getattr(said, "other_answer", ""), LONGEST_QUOTE)
        if says_nothing(quoted) or not any(quoted in one_line(text, len(text)) for text in elsewhere):
            return None
        told = (
            f"Another place of the documents answers it otherwise: “{quoted}” Name the condition that parts the two,"
            " or ask for something else."
        )
        return self._verdict(told, "contradicted", blames="question")

    def _second_key(self, said: Any, read: Source, fits: _Fitness, *, absent: bool) -> Verdict | None:
        """Give the verdict on options that are right too; None where enough others are left."""
        right_too = _named([*fits.right, *fits.elsewhere])
        if right_too and absent:
            return self._disputed(said, read, "key_disputed")
        if right_too and not fits.enough:
            code = "second_key" if fits.right else "supported_elsewhere"
            return self._verdict(f"Right too: {right_too}. {reason(said.rationale)} {_change(said)}", code)
        return None

    def _of_rest(self, draft: Draft, said: Any, fits: _Fitness) -> Verdict:
        """Give the verdict on an item with one right option."""
        odd, defensible = fits.odd, fits.defensible
        hidden = getattr(said, "hidden", _BEST_HIDDEN)
        led = hidden < _LEAST_HIDDEN or bool(odd)
        told, score = reason(said.rationale), _score(hidden, said.natural, said.worth)
        known = bool(getattr(said, "same_answer", False))
        marks: dict[str, Any] = {
            "guessable": led,
            "disputable": bool(defensible),
            "score": score,
            "known": known,
        }
        if hidden == _KNOWN_TO_ALL and DROP.match(said.change):
            return self._verdict(f"Everybody knows it. {told}", COMMON_KNOWLEDGE, blames="question", final=True)
        least = _LEAST_NATURAL_JOINED if draft.kind is ItemKind.MULTI_HOP else _LEAST_NATURAL
        low = {
            CONTRIVED: ("how natural it is", said.natural, least),
            UNWORTHY: ("how much it is worth asking", said.worth, _LEAST_WORTH),
        }
        for code, (name, rating, wanted) in low.items():
            if rating < wanted:
                change = _change(said) or f"{told} {_STRAIGHTER}"
                told = f"Rated {rating} of 5 for {name}, {wanted} is wanted. {change}"
                borne = min(said.natural, said.worth) > _UNPRINTABLE
                final = bool(DROP.match(said.change))
                return self._verdict(told, code, blames="question", slight=borne and not final, final=final, **marks)
        if not (odd or defensible):
            fine = f"{hidden} of 5 hidden, {said.natural} natural, {said.worth} worth asking. {told}"
            return self._verdict(fine, **marks)
        faults = [
            f"Nobody would choose {_named(odd)}." if odd else "",
            f"Besides “{draft.key}” {_named(defensible)} can be defended." if defensible else "",
            told,
            _change(said),
        ]
        told = " ".join(fault for fault in faults if fault)
        return self._verdict(told, GIVEN_AWAY if odd else DISPUTABLE, slight=True, **marks)

    def _disputed(self, said: Any, source: Source, code: str) -> Verdict:
        span = EvidenceFinder(source).find(one_line(said.quote, LONGEST_QUOTE))
        goes_by = f"and went by: “{span.quote}”" if span else "and found no words that settle the question."
        told = f"A reader with the passage before them did not arrive at this answer, {goes_by}"
        return self._verdict(told, code, blames="key", picked=False)

    def _verdict(
        self,
        told: str,
        code: str = "",
        *,
        blames: Literal["question", "key", "options"] = "options",
        picked: bool = True,
        **more: Any,
    ) -> Verdict:
        trial = Trial(reader="language model", with_evidence=True, picked=int(picked), tried=1)
        return Verdict(
            critic=self.name, passed=not code, reason=told, code=code, blames=blames, trials=(trial,), **more
        )


@dataclass(frozen=True)
class _Fitness:
    """Which wrong options the reviewer found fault with; `odd` and `defensible` ones only where they must be used."""

    right: tuple[str, ...]
    elsewhere: tuple[str, ...]
    defensible: tuple[str, ...]
    odd: tuple[str, ...]
    enough: bool
    """whether enough are left that are not right"""
    unfit: tuple[str, ...]

    @classmethod
    def of(cls, said: Any, wrong: Mapping[str, str], wanted: int) -> _Fitness:
        """Sort the wrong options, by letter, of which so many are wanted."""
        named = {
            name: tuple(text for letter, text in wrong.items() if letter in getattr(said, name, ()))
            for name in ("also_correct", "supported_elsewhere", "defensible", "odd")
        }
        right, elsewhere, defensible, odd = named.values()
        never = {*right, *elsewhere}
        doubted = {*never, *defensible, *odd}
        spared = len(wrong) - len(doubted) >= wanted
        left_out = doubted if spared else never
        unfit = tuple(text for text in wrong.values() if text in left_out)
        enough = len(wrong) - len(never) >= wanted
        return cls(right, elsewhere, () if spared else defensible, () if spared else odd, enough, unfit)


def _faithfulness(said: Any) -> Verdict:
    """Give the verdict on what the passage does not say of the option that was picked, or of the earlier answer."""
    if not getattr(said, "conversation_stated", True):
        told = f"The passage does not say all of the first answer: keep to its words. {reason(said.rationale)}"
        return Verdict(critic=_FAITHFULNESS, passed=False, reason=told, code=UNFAITHFUL_HISTORY, score=0.0)
    if not said.stated:
        quoted = one_line(said.quote, LONGEST_QUOTE)
        told = f"The passage does not say all of the answer, or says it under a condition. It says: “{quoted}”"
        return Verdict(critic=_FAITHFULNESS, passed=False, reason=told, code=UNFAITHFUL, blames="key", score=0.0)
    return Verdict(critic=_FAITHFULNESS, passed=True, reason="The passage says all that the key says.", score=1.0)


def _score(*ratings: int) -> float:
    """Take a quarter from 1 for each point that the ratings lack together; 0 at least.

    Of 98 items that a review let pass, strict readers refused 13: by the sum good ones rank above these with AUC .81,
    by the least rating with .70 (benchmarks/review).
    """
    return max(0.0, 1 - _POINT * sum(5 - rating for rating in ratings))


def _edits(said: Any, texts: Sequence[str]) -> tuple[Rewording, ...]:
    """List the edits that the reviewer asks for of words that stand in the texts."""
    found = []
    for each in getattr(said, "edits", ()):
        old, new = one_line(each.old, LONGEST_QUOTE), unmarked_line(one_line(each.new, LONGEST_QUOTE))
        new = "" if says_nothing(new) else new
        if old and old != new and any(old in text for text in texts):
            found.append(Rewording(old=old, new=new))
    return tuple(found)


def _change(said: Any) -> str:
    return "" if says_nothing(said.change) else reason(said.change)


def _named(options: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in options)
