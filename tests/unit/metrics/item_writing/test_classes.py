"""What a stem asks with, and which levels of the taxonomy it asks for."""

from __future__ import annotations

import pytest

from viva.metrics.item_writing.classes import bloom_levels, question_word


@pytest.mark.parametrize(
    ("language", "stem", "word"),
    [
        ("en", "What is a sluice?", "what"),
        ("en", "In which year was the gate built?", "which"),
        ("en", "To whom does the gate belong?", "who"),
        ("en", "Whose gate is it?", "who"),
        ("en", "How many gates are there?", "how"),
        ("en", "When a lock is full, what opens?", "what"),
        ("en", "When did John W. Weeks build the gate?", "when"),
        ("en", "When, if ever, does the gate close?", "when"),
        ("en", "A nurse finds a gate open. Where should she go?", "where"),
        ("en", "Where did St. Paul land?", "where"),
        ("en", "The gate is opened by whom?", "who"),
        ("en", "Is the man who opens the gate a pilot?", "other"),
        ("en", "Name the gate.", "other"),
        ("de", "Wie viele Tore gibt es?", "how"),
        ("de", "In welchem Jahr wurde das Tor gebaut?", "which"),
        ("de", "Wozu dient das Tor?", "what"),
        ("de", "Wem gehört das Tor?", "who"),
        ("de", "Ist das Tor offen?", "other"),
        ("fr", "Combien de portes y a-t-il ?", "how"),
        ("fr", "Quelle est la capitale ?", "what"),
        ("fr", "Quelle porte ferme la nuit ?", "which"),
        ("fr", "Quand la pompe tombe en panne, que doit faire le gardien ?", "what"),
        ("fr", "Est-ce que la porte ferme ?", "other"),
        ("es", "¿Cuántas compuertas hay?", "how"),
        ("es", "¿Cuál es la capital?", "what"),
        ("es", "¿Cuál de las bombas gira?", "which"),
        ("es", "¿Por qué se cierra la compuerta?", "why"),
        ("es", "Según el artículo 5, ¿qué debe hacer la empresa?", "what"),
        ("pt", "Quem abre a comporta?", "other"),
    ],
)
def test_the_word_a_stem_asks_with(language: str, stem: str, word: str) -> None:
    assert question_word(stem, language) == word


@pytest.mark.parametrize(
    ("language", "stem", "levels"),
    [
        ("en", "Who opens the gate?", "remember"),
        ("en", "How many gates are there?", "remember"),
        ("en", "What author is best known for a book on gates?", "remember"),
        ("en", "Why does the gate close?", "understand"),
        ("en", "How does the gate close?", "understand"),
        ("en", "What is the difference between a gate and a sluice?", "understand analyze"),
        ("en", "What should a pilot do when the gate jams?", "apply"),
        ("en", "How would you open a jammed gate?", "apply"),
        ("en", "Why is the gate made of steel rather than of wood?", "understand analyze"),
        ("en", "Which grease is most suitable for the gate?", "evaluate"),
        ("en", "Design a gate for a small lock.", "create"),
        ("en", "Which tool generates reports?", "remember"),
        ("de", "Warum schließt das Tor?", "understand"),
        ("de", "Was muss der Wärter nach dem Sturm tun?", "apply"),
        ("de", "Was ist der Unterschied zwischen Tor und Wehr?", "understand analyze"),
        ("fr", "Pourquoi la porte ferme-t-elle ?", "understand"),
        ("fr", "Que doit faire le gardien après la tempête ?", "apply"),
        ("es", "¿Cómo funciona la compuerta?", "understand"),
        ("es", "¿Quién abre la compuerta?", "remember"),
        ("pt", "Por que fecha a comporta?", "remember"),
    ],
)
def test_the_levels_a_stem_asks_for(language: str, stem: str, levels: str) -> None:
    assert " ".join(bloom_levels(stem, language)) == levels
