"""A stem that breaks a rule is told which; one that only holds the rule's words as its subject is not."""

from __future__ import annotations

import pytest

from viva.metrics.item_writing.not_stated import NOT_STATED
from viva.metrics.item_writing.wording import LONGEST_STEM, key_defect, stem_defect, stem_defects, unchecked


def code(stem: str, language: str = "en") -> str:
    defect = stem_defect(stem, language)
    return defect.code if defect else ""


@pytest.mark.parametrize(
    ("language", "stem", "expected"),
    [
        ("en", "What does it return?", "pronoun_without_antecedent"),
        ("en", "What is its purpose?", "pronoun_without_antecedent"),
        ("en", "Why is this important?", "pronoun_without_antecedent"),
        ("en", "When was it built?", "pronoun_without_antecedent"),
        ("en", "In which year did they meet?", "pronoun_without_antecedent"),
        ("en", "How many seats does it have?", "pronoun_without_antecedent"),
        ("en", "What happens if it fails?", "pronoun_without_antecedent"),
        ("en", "What does this mean?", "pronoun_without_antecedent"),
        ("en", "Is it safe?", "pronoun_without_antecedent"),
        ("en", "Why are they used?", "pronoun_without_antecedent"),
        ("en", "What does a function return when it is called?", ""),
        ("en", "How long does it take to close the gate?", ""),
        ("en", "Why is it important to grease the gate?", ""),
        ("en", "What is it called when a gate jams?", ""),
        ("en", "What does it mean to yield a value?", ""),
        ("en", "What happens when it rains on an open gate?", ""),
        ("en", "Why is the gate closed before it floods?", ""),
        ("en", "Why would Apple do it?", ""),
        ("en", "What does this function return?", ""),
        ("en", "What is a gate and why does it close?", "asks_two_things"),
        ("en", "When and where was the gate built?", "asks_two_things"),
        ("en", "Which pump is faster, and why?", "asks_two_things"),
        ("en", "What is a sluice? Who opens it?", "asks_two_things"),
        ("en", "Who must sign above £5,000, and what does a skipper see then?", "asks_two_things"),
        ("en", "What is the difference between a gate and a sluice?", ""),
        ("en", "Which model describes what a user does and why?", ""),
        ("en", "Which rule says what a pilot must do and how it is logged?", ""),
        ("en", "Who wrote “What is a gate? Why does it close?”?", ""),
        ("en", "What do the harbour master and the pilot sign?", ""),
        ("en", "Which pages explain how and when to grease a gate?", ""),
        ("en", "What does Section 508 require?", ""),
        ("en", "What should the PEP author do before posting a draft?", ""),
        ("en", "What does a context switch save?", ""),
        ("en", "Which tag holds the author field of a page?", ""),
        ("en", "What does the author field of a commit hold?", ""),
        ("en", "How does the page cache keep a document?", ""),
        ("en", "According to Section 508, what must a page have?", ""),
        ("en", "According to the author, what is a gate?", "speaks_of_document"),
        ("en", "What does the author say about gates?", "speaks_of_document"),
        ("en", "Which gate is described in this chapter?", "speaks_of_document"),
        ("en", "What does the passage state about gates?", "speaks_of_document"),
        ("en", "How does the article define a gate?", "speaks_of_document"),
        ("en", "What does the text suggest about gates?", "speaks_of_document"),
        ("en", "Which statement is true?", "leans_on_options"),
        ("en", "What is the the gate made of?", "broken_wording"),
        ("en", "Which pump (number 3 runs at night?", "broken_wording"),
        ("en", "What does [insert topic] mean?", "broken_wording"),
        ("en", "What does `a[0` raise?", ""),
        ("en", "What does a smiley :) mean?", ""),
        ("en", 'What does "had had" mean?', ""),
        ("en", "Why had the master had had enough?", ""),
        ("en", "What lies in Bora Bora?", ""),
        ("en", "Gate?", "too_short"),
        ("de", "Laut dem Text, wann schließt das Tor?", "speaks_of_document"),
        ("de", "Wann schließt das Tor laut diesem Abschnitt?", "speaks_of_document"),
        ("de", "Was empfiehlt der Autor gegen Rost?", "speaks_of_document"),
        ("de", "Welche Pumpe wird im obigen Abschnitt genannt?", "speaks_of_document"),
        ("de", "Wie viele Liter nennt der Text für die Pumpe?", "speaks_of_document"),
        ("de", "Was wird im Text als Ursache genannt?", "speaks_of_document"),
        ("de", "Welche der folgenden Pumpen läuft nachts?", "leans_on_options"),
        ("de", "Welche Aussage ist richtig?", "leans_on_options"),
        ("de", "Welches Tor schließt NICHT vor Niedrigwasser?", "asks_negatively"),
        ("de", "Was macht es?", "pronoun_without_antecedent"),
        ("de", "Wann wurde sie gebaut?", "pronoun_without_antecedent"),
        ("de", "Wozu dient er?", "pronoun_without_antecedent"),
        ("de", "Warum ist das wichtig?", "pronoun_without_antecedent"),
        ("de", "Was ist seine Aufgabe?", "pronoun_without_antecedent"),
        ("de", "Wie lange dauert sie?", "pronoun_without_antecedent"),
        ("de", "Was ist ein Tor und warum ist es aus Stahl?", "asks_two_things"),
        ("de", "Wann und wo wurde das Tor gebaut?", "asks_two_things"),
        ("de", "Was ist ein Tor? Warum ist es aus Stahl?", "asks_two_things"),
        ("de", "Was wird an der der Schleuse geprüft?", ""),
        ("de", "Was wird mit mit Öl geschmiert?", "broken_wording"),
        ("de", "Was müssen Sie nach dem Schließen tun?", ""),
        ("de", "Wie viele Tore gibt es in Quillon?", ""),
        ("de", "Wie funktioniert das Tor?", ""),
        ("de", "Warum ist es wichtig, die Pumpe zu prüfen?", ""),
        ("de", "Was bewirkt der Kontextwechsel im Betriebssystem?", ""),
        ("de", "Was verlangt Artikel 5 des Grundgesetzes?", ""),
        ("de", "Laut Artikel 5 wird was geschützt?", ""),
        ("de", "Was schreibt die Funktion in das Autorenfeld?", ""),
        ("de", "Was ist der Unterschied zwischen Schleuse und Wehr?", ""),
        ("de", "Welche Norm beschreibt, was ein Tor ist und wie es wirkt?", ""),
        ("de", "Welche Schriftart hat der Text im Suchfeld?", ""),
        ("de", "Wie lange dauert es, bis das Tor schließt?", ""),
        ("de", "Was passiert, wenn die Pumpe ausfällt und sie nicht anläuft?", ""),
        ("fr", "D'après le passage, quand la porte ferme-t-elle ?", "speaks_of_document"),
        ("fr", "Selon l'auteur, pourquoi la porte ferme-t-elle ?", "speaks_of_document"),
        ("fr", "Que dit le texte de la pompe ?", "speaks_of_document"),
        ("fr", "Quelle pompe est mentionnée dans cet article ?", "speaks_of_document"),
        ("fr", "Quelle cause est citée dans le texte ?", "speaks_of_document"),
        ("fr", "Laquelle des affirmations suivantes est vraie ?", "leans_on_options"),
        ("fr", "Lequel des éléments suivants ferme la nuit ?", "leans_on_options"),
        ("fr", "Quelle affirmation est correcte ?", "leans_on_options"),
        ("fr", "Quelle porte ne ferme PAS la nuit ?", "asks_negatively"),
        ("fr", "Que fait-il ?", "too_short"),
        ("fr", "Quand a-t-elle été construite ?", "pronoun_without_antecedent"),
        ("fr", "À quoi sert-il ?", "pronoun_without_antecedent"),
        ("fr", "Combien de sièges a-t-il ?", "pronoun_without_antecedent"),
        ("fr", "Comment cela fonctionne-t-il ?", "pronoun_without_antecedent"),
        ("fr", "Quelle est sa fonction ?", "pronoun_without_antecedent"),
        ("fr", "Qu'est-ce qu'il renvoie ?", "pronoun_without_antecedent"),
        ("fr", "Qu'est-ce qu'une porte et pourquoi est-elle en acier ?", "asks_two_things"),
        ("fr", "Quand et où la porte a-t-elle été construite ?", "asks_two_things"),
        ("fr", "Qu'est-ce qu'une porte ? Pourquoi est-elle en acier ?", "asks_two_things"),
        ("fr", "Quelle pompe tourne dans dans la nuit ?", "broken_wording"),
        ("fr", "Que faut-il vérifier avant la marée ?", ""),
        ("fr", "Combien de portes y a-t-il à Quillon ?", ""),
        ("fr", "Pourquoi est-il important de vérifier la pompe ?", ""),
        ("fr", "Que prévoit l'article 5 de la loi ?", ""),
        ("fr", "Selon l'article 5, que doit faire l'employeur ?", ""),
        ("fr", "Quelle est la différence entre une porte et un barrage ?", ""),
        ("fr", "Que contient le champ auteur du formulaire ?", ""),
        ("fr", "Pourquoi nous nous lavons les mains ?", ""),
        ("fr", "Quel document décrit ce que fait la pompe et pourquoi elle tourne ?", ""),
        ("fr", "Que se passe-t-il quand la pompe tombe en panne ?", ""),
        ("fr", "Qu'est-ce que l'IRM ?", ""),
        ("fr", "Quand le conseil se réunit-il ?", ""),
        ("fr", "Que renvoie une fonction selon le contexte ?", ""),
        ("es", "Según el texto, ¿cuándo se cierra la compuerta?", "speaks_of_document"),
        ("es", "¿Qué menciona el autor sobre la bomba?", "speaks_of_document"),
        ("es", "¿Qué bomba se describe en esta sección?", "speaks_of_document"),
        ("es", "¿Qué causa se menciona en el texto?", "speaks_of_document"),
        ("es", "¿Cuál de las siguientes bombas funciona de noche?", "leans_on_options"),
        ("es", "¿Qué afirmación es correcta?", "leans_on_options"),
        ("es", "¿Qué compuerta NO se cierra de noche?", "asks_negatively"),
        ("es", "¿Qué significa esto?", "pronoun_without_antecedent"),
        ("es", "¿Cuál es su función?", "pronoun_without_antecedent"),
        ("es", "¿Cuándo fue construido?", "pronoun_without_antecedent"),
        ("es", "¿Para qué sirve?", "pronoun_without_antecedent"),
        ("es", "¿Qué es una compuerta y por qué es de acero?", "asks_two_things"),
        ("es", "¿Cuándo y dónde se construyó la compuerta?", "asks_two_things"),
        ("es", "¿Qué es una compuerta? ¿Por qué es de acero?", "asks_two_things"),
        ("es", "¿Qué bomba funciona en en la noche?", "broken_wording"),
        ("es", "¿Cuál es la diferencia entre una compuerta y una presa?", ""),
        ("es", "¿Qué dispone el artículo 5 de la ley?", ""),
        ("es", "Según el artículo 5, ¿qué debe hacer la empresa?", ""),
        ("es", "¿Qué contiene el campo autor del formulario?", ""),
        ("es", "¿Qué norma describe qué hace la bomba y por qué gira?", ""),
        ("es", "¿Cuántas compuertas hay en Quillon?", ""),
        ("es", "¿Qué devuelve la función según el contexto?", ""),
        ("es", "¿Quién fundó Roma?", ""),
    ],
)
def test_the_first_rule_that_a_stem_breaks(language: str, stem: str, expected: str) -> None:
    assert code(stem, language) == expected


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("", "no_stem"),
        (" \n ", "no_stem"),
        ("The lock gate closes before low water.", "not_a_question"),
        ("How long? " * 60 + "Or not?", "too_long"),
        ("What is AWS?", ""),
        ("What's AWS?", ""),
        ("When does the gate close in the given context?", "speaks_of_document"),
        ("What time for the gate is mentioned?", "speaks_of_document"),
        ("How many litres does the document give for the pump?", "speaks_of_document"),
        ("How many litres does the table above give?", "speaks_of_document"),
        ("How long does the gate stay shut, as described in the manual?", "speaks_of_document"),
        ("What happens in the page cache when the document root moves?", ""),
        ("How long does the passage of the canal take?", ""),
        ("Which gate does NOT close before low water?", "asks_negatively"),
        ("Which gates close at night, except on Sundays?", ""),
        ("All gates close early except which one?", "asks_negatively"),
        ("What does a NOT NULL constraint enforce?", ""),
        ("Which of the options of tar keeps the file modes?", ""),
        ("Which of the following closes before low water?", "leans_on_options"),
        ("Which statement is false?", "leans_on_options"),
        ("Which claim about locks is false?", "asks_negatively"),
        ("What does the context manager of a file close?", ""),
        ("Which values lie in the interval [0, 1)?", ""),
        ("What did the Normans take part in in the 10th century?", ""),
        ('Which pump is called "Old Bess?', "broken_wording"),
    ],
)
def test_english_stems(stem: str, expected: str) -> None:
    assert code(stem) == expected


@pytest.mark.parametrize(
    ("language", "stem", "expected"),
    [
        ("ja", "低潮の何分前に閉まるか？", ""),
        ("ja", "何？", "too_short"),
        ("ar", "متى تغلق البوابة قبل الجزر؟", ""),
        ("el", "Πότε κλείνει η πύλη;", ""),
        ("en", "When does the gate close;", "not_a_question"),
        ("tr", "Linux nedir?", ""),
        ("en", "Linux what?", "too_short"),
        ("nl", "Wanneer sluit de de deur?", "broken_wording"),
        ("id", "Mengapa anak anak bermain?", ""),
        ("und", "What does it return?", ""),
        ("pt", "A comporta fecha antes da baixa-mar.", "not_a_question"),
    ],
)
def test_what_holds_in_every_language_is_checked_in_every_language(language: str, stem: str, expected: str) -> None:
    assert code(stem, language) == expected


def test_a_language_without_rules_says_which_rules_did_not_run() -> None:
    missing = unchecked("pt")
    assert {"speaks_of_document", "pronoun_without_antecedent", "asks_two_things", "absolute_giveaway"} <= set(
        missing
    )
    assert not {"too_long", "not_a_question", "key_in_stem"} & set(missing)
    assert [unchecked(language) for language in NOT_STATED] == [()] * len(NOT_STATED)


def test_the_reason_quotes_the_words_that_must_go() -> None:
    defect = stem_defect("What is a gate and why does it close?", "en")
    assert defect is not None
    assert "“and why does it close”" in defect.reason


def test_every_broken_rule_is_found_and_not_only_the_first() -> None:
    found = [
        defect.code
        for defect in stem_defects("According to the passage, which of the following is the the key", "en")
    ]
    assert found == ["not_a_question", "broken_wording", "speaks_of_document", "leans_on_options"]


def test_a_stem_made_to_keep_the_rules_busy_is_not_read() -> None:
    assert [defect.code for defect in stem_defects("what and why " * 100_000 + "?", "en")] == ["too_long"]
    assert code("w" * (LONGEST_STEM - 10) + " is what?") == ""


@pytest.mark.parametrize(
    ("language", "key", "stem", "expected"),
    [
        ("en", "", "What is a sluice?", "no_key"),
        ("en", "All of the above", "What is a sluice?", "catch_all_key"),
        ("de", "Alle der genannten", "Was ist ein Wehr?", "catch_all_key"),
        ("fr", "Toutes les réponses ci-dessus", "Qu'est-ce qu'une porte ?", "catch_all_key"),
        ("es", "Todas las anteriores", "¿Qué es una compuerta?", "catch_all_key"),
        ("en", "x" * 161, "What is a sluice?", "key_too_long"),
        ("en", "*", "Which operator repeats a list?", ""),
        ("en", "35 minutes", "Why do 35 minutes pass before low water?", "key_in_stem"),
        ("en", "the lock gate", "What closes the Lock Gate?", "key_in_stem"),
        ("en", "gate of the locks", "Which gates does a lock have?", "key_words_in_stem"),
        ("en", "gate of steel", "Which gates does a lock have?", ""),
        ("en", "minutes", "How long is a minute?", ""),
        ("de", "die Tore der Schleusen", "Welches Tor hat eine Schleuse?", "key_words_in_stem"),
        ("de", "Stahl", "Woraus ist das Stahltor?", ""),
        ("pt", "35 minutos", "Por que passam 35 minutos?", "key_in_stem"),
    ],
)
def test_the_first_rule_that_a_key_breaks(language: str, key: str, stem: str, expected: str) -> None:
    defect = key_defect(key, stem, language)
    assert (defect.code if defect else "") == expected
