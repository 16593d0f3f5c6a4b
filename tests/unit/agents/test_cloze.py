"""What can be asked of a sentence whose grammar nobody reads: the value that was left out."""

from __future__ import annotations

import pytest

from viva.agents.offline.cloze import cloze


@pytest.mark.parametrize(
    ("language", "sentence", "stem", "key", "form"),
    [
        (
            "de",
            "Das Tor in Quillon Ness schließt 35 Minuten vor Niedrigwasser.",
            "Welche Angabe ergänzt diese Aussage: „Das Tor in Quillon Ness schließt ____ vor Niedrigwasser.“?",
            "35 Minuten",
            "quantity:minuten",
        ),
        (
            "fr",
            "La coopérative a été fondée en 1987 par dix familles.",
            "Quelle donnée complète cette affirmation : « La coopérative a été fondée en ____ par dix familles. » ?",
            "1987",
            "date:year",
        ),
        (
            "es",
            "El depósito del Morven Tern pierde 4 % de contenido cada mes.",
            "¿Qué dato completa esta afirmación: «El depósito del Morven Tern pierde ____ de contenido cada mes.»?",
            "4 %",
            "quantity:%",
        ),
    ],
)
def test_a_value_is_asked_for_in_the_sentences_own_language(
    language: str, sentence: str, stem: str, key: str, form: str
) -> None:
    (asked,) = cloze(sentence, language)
    assert (asked.stem, asked.key, asked.form) == (stem, key, form)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Dieses Tor schließt immer genau 35 Minuten vor dem Niedrigwasser im Hafen."),
        ("de", "Das Tor schließt nach 35 Minuten und öffnet nach 40 Minuten wieder für alle Boote."),
        ("de", "Das Tor schließt laut Abschnitt 3.2 der Ordnung immer vor dem Niedrigwasser."),
        ("de", "Tor schließt 35 Minuten."),
        ("fr", "Elle ferme toujours exactement 35 minutes avant la basse mer du port."),
        ("es", "35 minutos antes de la bajamar se cierra la compuerta del puerto viejo."),
        ("fr", "La porte (voir figure 3) ferme toujours 35 minutes avant la basse mer."),
    ],
)
def test_what_leans_on_its_neighbours_or_has_two_values_is_not_asked(language: str, sentence: str) -> None:
    assert cloze(sentence, language) == []
