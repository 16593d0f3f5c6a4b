"""The fake model at work: a value of the right type for any output field, made sensible by the field's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import chain, islice

from pydantic import JsonValue

from fake_model import oral, prose
from fake_model.reading import NONE, Reading
from fake_model.requests import Request, RequestField, Schema

_NEGATIVE = re.compile(
    r"unanswerable|not_|leak|ambig|flaw|error|halluc|contradict|refus|revis|mislead|giveaway|duplicat|overlap"
    r"|problem|cannot|correct_too|also_correct|defensible|fail|reject|wrong"
)
_ANSWERABLE = re.compile(r"answerable|can_be_answered|can_answer|found|enough")
_GOOD = re.compile(
    r"yes|pass|true|support|correct|accept|good|entail|answerable|keep|ok|none|high|same|agree", re.IGNORECASE
)
_BAD = re.compile(
    r"^(?:no|not|un|fail|false|incorrect|reject|bad|low|wrong|differ|disagree|contradict)", re.IGNORECASE
)
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SAME = re.compile(r"equiv|same|agree|match")
_KINDS = {
    "number": ("quantity", "number", "date", "numeric"),
    "name": ("name", "entity", "identifier", "person"),
    "word": ("factoid", "definition", "remember"),
}
_HINTS = (
    "Name every thing by its full name.",
    "Give the reason before the verdict.",
    "Say nothing that the passage does not say.",
    "Be brief and exact.",
)


def value_of(field: RequestField, reading: Reading) -> JsonValue:
    """A value of the field's type. Any name, any JSON schema: what is not known is answered in prose."""
    return _value(field.name.lower(), field.schema, f"{field.name} {field.description}".lower(), reading)


def _value(name: str, schema: Schema, told: str, reading: Reading) -> JsonValue:
    if isinstance(choices := schema.get("anyOf"), list):
        return _any_of(name, choices, told, reading)
    if isinstance(values := schema.get("enum", [schema["const"]] if "const" in schema else None), list) and values:
        return _one_of(values, reading)
    kind = schema.get("type")
    match next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind:
        case "boolean":
            return _verdict(name, reading)
        case "integer" | "number":
            return _number(name, schema, told, reading)
        case "array":
            return _list(name, schema, told, reading)
        case "object":
            return _object(name, schema, told, reading)
        case "null":
            return None
        case _:
            return _text(name, reading)


def _any_of(name: str, choices: list[JsonValue], told: str, reading: Reading) -> JsonValue:
    some = [c for c in choices if isinstance(c, dict) and c.get("type") != "null"]
    silent = len(some) < len(choices) and not reading.answerable and re.search("answer|quote|evidence", name)
    return None if silent or not some else _value(name, some[0], told, reading)


def _one_of(values: list[JsonValue], reading: Reading) -> JsonValue:
    wished = next((given for given in reading.request.inputs.values() if given in values), None)
    if wished is not None:
        return wished
    words = [str(value) for value in values]
    if all(re.fullmatch("[A-Za-z]", word) for word in words):
        if "N" in words and reading.lost:
            return "N"
        return values[min(reading.choice, len(values) - 1)]
    if "chance" in words:
        return "cue" if reading.fails else "chance"
    wanted = _KINDS[prose.kind(reading.key)]
    of_kind = [value for value, word in zip(values, words, strict=True) if word.lower() in wanted]
    good = [v for v, w in zip(values, words, strict=True) if _GOOD.search(w) and not _BAD.search(w)]
    bad = [v for v, w in zip(values, words, strict=True) if _BAD.search(w)]
    preferred = (bad if reading.fails else good) if good and bad else of_kind
    return next(iter(preferred or values))


def _verdict(name: str, reading: Reading) -> bool:
    if _NEGATIVE.search(name):
        return not reading.answerable if _ANSWERABLE.search(name) else reading.fails
    if name == "known":
        return not (reading.closed_book or reading.fails)
    if _SAME.search(name):
        return reading.same and not reading.fails
    return reading.answerable if _ANSWERABLE.search(name) else not reading.fails


def _number(name: str, schema: Schema, told: str, reading: Reading) -> int | float:
    whole = schema.get("type") == "integer"
    if re.search("choice|option|index|position", name):
        return reading.choice
    graded = whole and not re.search(r"\b0 (?:or|to) 1\b|\b0[-–/]1\b|answerab", told)
    least, most = schema.get("minimum", 1 if graded else 0), schema.get("maximum", 5 if graded else 1)
    if not isinstance(least, int | float) or not isinstance(most, int | float):
        return 1
    against = not reading.answerable if _ANSWERABLE.search(told) else reading.fails
    # of three texts one is good and not excellent, where the scale tells them apart
    score = (
        least + (most - least) // 4
        if against
        else most - (most - least >= 3 and prose.draw(told, reading.key) % 3 == 0)
    )
    return int(score) if whole else float(score)


def _list(name: str, schema: Schema, told: str, reading: Reading) -> list[JsonValue]:
    items = schema.get("items")
    inner: Schema = items if isinstance(items, dict) else {}
    if {"first_quote", "second_quote"} <= _properties(inner).keys():
        return [{"statement": f"{a} {b}", "first_quote": a, "second_quote": b} for a, b in reading.pairs]
    if {"keyword", "quote"} <= _properties(inner).keys():
        return oral.units(reading)
    if {"point", "quote"} <= _properties(inner).keys():
        return oral.covered(reading)
    if {"pair", "verdict"} <= _properties(inner).keys():
        pairs = re.findall(r"^Pair (\d+)$", reading.request.inputs.get("pairs", ""), re.MULTILINE)
        return [{"pair": int(number), "why": "they ask for two things", "verdict": "none"} for number in pairs]
    if "question" in _properties(inner):
        return _of_questions(_properties(inner), reading)
    texts = _elements(" ".join([name, *_properties(inner)]), schema, told, reading)
    return [_element(name, inner, told, reading, text) for text in texts]


def _of_questions(gives: Mapping[str, Schema], reading: Reading) -> list[JsonValue]:
    """One verdict for each numbered question: it is printed, or one of its options is drawn."""
    shown = reading.request.inputs.get("questions", "")
    said: list[JsonValue] = []
    for number, question in re.findall(r"^Question (\d+): (.*)$", shown, re.MULTILINE):
        drawn = _ALPHABET[prose.draw(question, "blind") % 4]
        known = {"question": int(number), "best_option": drawn, "basis": "chance", "printed": True, "fault": NONE}
        said.append({name: known.get(name, reading.rationale) for name in gives})
    return said


def _elements(parts: str, schema: Schema, told: str, reading: Reading) -> list[str]:
    """What a list of that name is of: options, claims, facts, complaints."""
    least, most = schema.get("minItems"), schema.get("maxItems")
    if re.search(r"also_correct|elsewhere|defensible|\bodd\b|tempting", parts):
        return _right_too(reading) if "also" in parts else []
    if re.search("bloom", parts):
        return ["remember"]
    if re.search("distractor|option|wrong|foil|alternative", parts):
        wanted = least if isinstance(least, int) else _count(told, reading)
        sets_before = max(0, (reading.number("attempt") or 1) - 1)
        like = reading.given("nearby") if "follow_up" in reading.request.inputs else ""
        wrong = prose.wrong_answers(reading.key, reading.passage, like)
        # where no key is given none is right, and what the fact says tempts most
        new = (w for w in (wrong if reading.given_key else chain([reading.key], wrong)) if w not in reading.earlier)
        return reading.options or list(islice(new, sets_before * wanted, (sets_before + 1) * wanted))
    if re.search("claim", parts):
        texts = [prose.one_line(reading.subject or reading.key)]
    elif re.search("question|stem", parts):
        texts = [question for question, _ in islice(prose.questions(reading.subject), 3)]
    elif _NEGATIVE.search(parts) or re.search("issue|missing|fault", parts):
        return [reading.rationale] if reading.fails else []
    elif re.search("fact|unit", parts):
        return reading.facts[: most if isinstance(most, int) else None]
    else:
        texts = reading.facts
    texts = (texts or [reading.key]) * (least if isinstance(least, int) and len(texts) < least else 1)
    return texts[: most if isinstance(most, int) else None]


def _right_too(reading: Reading) -> list[str]:
    """The letter of an option besides the one chosen, from a judge who is against it."""
    count = len(reading.options)
    return [_ALPHABET[(reading.choice + 1) % count % 26]] if reading.fails and count else []


def _count(told: str, reading: Reading) -> int:
    """How many options are wanted: said by an input, or in the field's description."""
    said = re.search(r"\b([2-9])\b", told)
    return reading.number("count|number|how_many") or (int(said[1]) if said else 3)


def _properties(schema: Schema) -> dict[str, Schema]:
    properties = schema.get("properties")
    return {n: p for n, p in properties.items() if isinstance(p, dict)} if isinstance(properties, dict) else {}


def _element(name: str, schema: Schema, told: str, reading: Reading, text: str) -> JsonValue:
    """One member of a list: its words are `text`, its reasons and verdicts what they would be outside a list."""
    properties = _properties(schema)
    if isinstance(choices := schema.get("enum"), list) and text in choices:
        return text
    if properties:
        return {n: _element(n, p, n, reading, text) for n, p in properties.items()}
    if schema.get("type", "string") != "string" or "enum" in schema or _REASON.search(name):
        return _value(name, schema, told, reading)
    return text if re.search("quote|evidence", name) else prose.one_line(text)


def _object(name: str, schema: Schema, told: str, reading: Reading) -> dict[str, JsonValue]:
    properties = _properties(schema)
    if not properties and isinstance(extra := schema.get("additionalProperties"), dict):
        return {"first": _value(name, extra, told, reading)}
    return {n: _value(n.lower(), p, n.lower(), reading) for n, p in properties.items()}


_REASON = re.compile(
    r"rationale|mistake|reason|why|feedback|explan|comment|critique|thought|assessment|advice|suggest"
)
_WORDS: tuple[tuple[str, Callable[[Reading], str]], ...] = (
    (r"instruction|prompt", lambda r: better_instruction(r.request)),
    (r"prefix", lambda _: "Answer:"),
    (_REASON.pattern, lambda r: r.rationale),
    # what is against it is said of an option, where there is any
    (r"^other_answer$", lambda _: NONE),
    (r"^cue$", lambda r: r.rationale if r.fails else NONE),
    (r"_form$|format", lambda r: f"a {prose.kind(r.drafted[1])}"),
    (r"^subject$", lambda r: r.followed),
    (r"^first_question$", lambda r: f"What is said of {r.followed}?" if r.followed else NONE),
    (r"^first_answer$", lambda r: r.said_of(r.followed) if r.followed else NONE),
    (r"question|stem|query", lambda r: oral.question(r) if "points" in r.request.inputs else r.drafted[0]),
    (r"^second_quote$", lambda r: r.grounds[0] if r.answerable and len(r.grounds) > 1 else NONE),
    (r"quote|evidence|excerpt|span|support", lambda r: _quoted(r) if r.answerable else NONE),
    (r"reference", lambda r: _reference(r)),
    (r"full|statement|fact|claim|sentence", lambda r: prose.one_line(r.subject)),
    (r"letter|choice|option|pick", lambda r: _ALPHABET[r.choice % 26]),
    (r"answer|reply|response|solution|key", lambda r: _answer(r)),
    (r"title|topic|heading", lambda r: r.given("title|topic|heading") or prose.one_line(r.subject)[:60]),
)


def _text(name: str, reading: Reading) -> str:
    said = next((word(reading) for pattern, word in _WORDS if re.search(pattern, name)), None)
    return (prose.one_line(reading.subject or reading.passage)[:400] if said is None else said) or NONE


def _quoted(reading: Reading) -> str:
    return reading.grounds[-1] if reading.question and reading.grounds else reading.subject


def _reference(reading: Reading) -> str:
    """The sentence that answers; of six one in words of its own, as models will."""
    said = prose.one_line(reading.subject)
    own = reading.question and prose.draw("own words", said) % 6 == 0
    return f"It is {reading.key}, for {said}" if said and own else said


def _answer(reading: Reading) -> str:
    if not reading.question:
        return reading.drafted[1]
    return reading.key if reading.answerable and not reading.closed_book else NONE


def better_instruction(request: Request) -> str:
    """The instruction that is to be improved, with a hint more: what an optimizer asks for."""
    shown = re.search(r"```\w*\n(.*?)\n```", request.text, re.DOTALL)
    told = [value for name, value in request.inputs.items() if "instruction" in name]
    base = told[0] if told else shown[1] if shown else "Read the passage and answer from it alone."
    return f"{base.rstrip()}\n{_HINTS[prose.draw(request.text) % len(_HINTS)]}"
