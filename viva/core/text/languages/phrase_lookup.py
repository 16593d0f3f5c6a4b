"""Which languages the rules know, and what they know of each."""

from __future__ import annotations

from functools import cache

from viva.core.text.languages.phrases import Phrases


@cache
def phrases(language: str) -> Phrases | None:
    """What is known of a language by its ISO 639-1 code; None where there are no rules for it."""
    from viva.core.text.languages import english, french, german, spanish

    known = {"en": english.ENGLISH, "de": german.GERMAN, "fr": french.FRENCH, "es": spanish.SPANISH}
    return known.get(language)


@cache
def function_words() -> frozenset[str]:
    """Words of all these languages that say nothing of a subject."""
    known = (found for language in ("en", "de", "fr", "es") if (found := phrases(language)))
    return frozenset().union(*(each.function_words | each.articles | each.negators for each in known))
