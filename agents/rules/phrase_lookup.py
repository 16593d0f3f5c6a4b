"""Which languages the rules know, and what they know of each."""

from __future__ import annotations

from functools import cache

from viva.agents.rules.phrases import Phrases


@cache
def phrases(language: str) -> Phrases | None:
    """What is known of a language by its ISO 639-1 code; None where it is none of RULE_LANGUAGES."""
    if language == "en":
        from viva.agents.rules.english import ENGLISH

        return ENGLISH
    if language == "de":
        from viva.agents.rules.german import GERMAN

        return GERMAN
    if language == "fr":
        from viva.agents.rules.french import FRENCH

        return FRENCH
    if language == "es":
        from viva.agents.rules.spanish import SPANISH

        return SPANISH
    return None
