"""The language of a text is told from its prose, and not told where there is too little of it."""

from __future__ import annotations

import pytest

from viva.core.text.language_detection import detect_language, first_known, main_language
from viva.core.text.languages.phrase_lookup import phrases
from viva.metrics.item_writing.not_stated import NOT_STATED


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who opens the lock gate at Quillon Ness?", "en"),
        ("Wann wurde die Brücke gebaut?", "de"),
        ("Der Server antwortet mit dem Statuscode 404, wenn die Seite fehlt.", "de"),
        ("Quand le pont a-t-il été construit ?", "fr"),
        ("Le pare-feu bloque tous les ports sauf 443.", "fr"),
        ("¿Quién dirige el departamento de aguas?", "es"),
        ("El servidor responde con el código 404 si falta la página.", "es"),
        ("Chi dirige il reparto delle acque?", "it"),
        ("Wie leidt de afdeling waterbeheer?", "nl"),
        ("Quem dirige o departamento de águas?", "pt"),
        ("ポンプは毎朝点検されます。", "ja"),
        ("", "und"),
        ("404", "und"),
        ("OK?", "und"),
        ("https://example.org/the/gate/closes/at/noon", "und"),
        ("```\nfor boat in boats: print(boat)\n```", "und"),
        ("os.path.join(first, second) == third_party.module", "und"),
        (
            "```\nreturn the_first_of(all_the_boats)  # when they are in the lock\n```\nDie Pumpe läuft jede Nacht.",
            "de",
        ),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_rules_exist_for_every_language_that_is_said_to_have_them() -> None:
    assert all(phrases(language) for language in NOT_STATED)
    assert phrases("und") is None


def test_the_first_text_that_shows_a_language_tells_it() -> None:
    assert first_known("404", "OK?", "Wann wurde die Brücke gebaut?", "Who opens the lock gate?") == "de"
    assert first_known("404") == ""


def test_a_corpus_is_in_the_language_of_most_of_its_texts() -> None:
    assert main_language(["404", "Wann wurde die Brücke gebaut?", "Who opens the lock?", "The gate is shut."]) == "en"
    assert main_language(["404"]) == "und"
