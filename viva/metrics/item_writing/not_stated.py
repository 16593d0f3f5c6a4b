"""The right answer to a question that nothing in the documents answers."""

from __future__ import annotations

NOT_STATED: dict[str, str] = {
    "en": "The documents do not say.",
    "de": "Das sagen die Dokumente nicht.",
    "fr": "Les documents ne le disent pas.",
    "es": "Los documentos no lo dicen.",
}
"""The right answer to an unanswerable question, by ISO 639-1."""


def not_stated(language: str) -> str:
    """The sentence in this language; in English where it is not known in it."""
    return NOT_STATED.get(language, NOT_STATED["en"])
