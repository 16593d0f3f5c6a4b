"""Exams as hypothesis draws them: any text, any order, open questions among the others."""

from __future__ import annotations

from hypothesis import strategies as st

from viva.core.records import (
    BloomLevel,
    Difficulty,
    Distractor,
    Exam,
    ExamItem,
    Item,
    ItemKind,
    Provenance,
    QuestionType,
    QuestionWord,
    Span,
    Trial,
    WorkedExample,
)

# what other tools' formats give a meaning to, beside any other text
_AWKWARD = [
    "=1+1", "+49 30", "-5", "@sum", "'quoted'", "'=x", "\\", "\\n", "a\\", "#", "{", "}", "{}", ":", "//",
    "TRUE", "*", "|", ";", ",", '"', '""', "\t", "\n", "\n\n", "\r\n", "\r", "x\ny",
    "\u2028", "\x85", "\ufeff", "é", "e\u0301", "日本", "😀", "<script>alert(1)</script>",
    "{{7*7}}", "{% raw %}", "!!python/object", "*ref", "&anchor", "- x", "null", "NaN", "['a', 'b']",
    "def f(x):\n    return {x: [1]}",
]  # fmt: skip
_NO_TEXT = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.one_of(
    st.text(_NO_TEXT, min_size=1, max_size=12),
    st.lists(st.one_of(st.sampled_from(_AWKWARD), st.text(_NO_TEXT, max_size=5)), min_size=1, max_size=4).map(
        "".join
    ),
).filter(lambda text: bool(text.strip()))


@st.composite
def items(draw: st.DrawFn, *, may_be_open: bool = True) -> ExamItem:
    """An item with any texts; spans need not be of a corpus."""
    texts = draw(st.lists(TEXTS, min_size=1 if may_be_open else 2, max_size=5, unique=True))
    key, wrong = texts[0], texts[1:]
    told = draw(st.booleans())
    distractors = tuple(
        Distractor(text=text, reason=draw(TEXTS) if told else "", mistake="off by one" if told else "")
        for text in wrong
    )
    evidence = tuple(
        Span(document_id="0123456789abcdef", start=7, end=7 + len(quote), quote=quote)
        for quote in draw(st.lists(TEXTS, max_size=2))
    )
    item = Item(
        id=Item.id_of(stem := draw(TEXTS), key, wrong, evidence),
        stem=stem,
        key=key,
        distractors=distractors,
        reference_answer=draw(st.one_of(st.just(key), TEXTS)),
        evidence=evidence,
        kind=draw(st.sampled_from(ItemKind)),
        question_type=draw(st.sampled_from(QuestionType)),
        question_word=QuestionWord.WHY,
        bloom=(BloomLevel.APPLY,) if told else (),
        topic=draw(st.one_of(st.just(""), st.just("top"), TEXTS)),
        language="de",
        difficulty=Difficulty.HARD if told else None,
        trials=(Trial(reader="bm25", with_evidence=False, picked=1, tried=3),) if told else (),
        provenance=Provenance(cast="offline", chunk_id="c", unit_id="u", pattern="p", attempts=2),
    )
    options = draw(st.permutations(texts))
    return ExamItem(item=item, options=tuple(options), key_position=options.index(key))


@st.composite
def exams(draw: st.DrawFn, *, may_be_open: bool = True) -> Exam:
    """An exam of one to four different items, with or without a worked example."""
    drawn = draw(st.lists(items(may_be_open=may_be_open), min_size=1, max_size=4, unique_by=lambda s: s.item.id))
    example = WorkedExample(stem="Which?", options=("this", "that"), key_position=1, context="That.")
    return Exam.of(drawn, (example,) if draw(st.booleans()) else ())


_SIGNS = """
    , " { } [ ] : = ~ # \\ - &a *a {{ }} 0 1e999 !!set null stem key distractor_1 viva "input" "user_input"
    "reference" "choices" "answer" doc_to_text doc_to_choice doc_to_target dataset_kwargs choices.label
""".split()
FILE_TEXTS = st.lists(st.sampled_from([*_SIGNS, " ", "\n", "\n\n"]) | st.text(_NO_TEXT, max_size=3), max_size=40).map(
    "".join
)
"""texts made of what formats are made of"""

_FIELDS = """
    user_input question reference reference_contexts synthesizer_name input expected_output context choices answer
    additional_metadata viva
""".split()
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "label", "viva"]), inner),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.sampled_from(_FIELDS), _JSON)
"""records with the fields of other tools and anything in them"""
