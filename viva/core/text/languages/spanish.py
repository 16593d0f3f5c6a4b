"""Spanish."""

from __future__ import annotations

from viva.core.records import BloomLevel, QuestionWord
from viva.core.text.languages.phrases import Phrases, number_words, pattern, words

_TEXT = (
    r"(?:texto|pasaje|documento|fragmento|extracto|artículo|autora?|autores|sección|párrafo|capítulo|tabla|figura"
    r"|página)"
)
_NUMBERED = r"(?! ?\d| [IVX]+\b)"
_SAYS = r"(?:menciona|dice|describe|indica|explica|afirma|señala|recomienda|define|cita|sugiere|sostiene|presenta)n?"
_SAID = r"(?:mencionad|descrit|citad|indicad|señalad|presentad|explicad|definid)[oa]s?"
_WH = r"(?:qué|quién|quiénes|cuál|cuáles|cuándo|dónde|cómo|cuánt[oa]s?|por qué|para qué)"
_PREPOSITION = r"(?:(?:a|de|en|por|para|con|desde|hasta|sobre|bajo) )?"
_MAIN = (
    r"(?:es|son|era|eran|fue|fueron|está|están|hace|hacen|sirve|sirven|significa|debe|deben|puede|pueden|tiene|tienen"
    r"|ocurre|se|hay|funciona|funcionan)"
)

SPANISH = Phrases(
    document=pattern(
        rf"\b(?:según|de acuerdo con|conforme a) (?:el|la|los|las|este|esta|dicho|dicha) {_TEXT}\b{_NUMBERED}",
        rf"\b(?:en|de|por) (?:este|esta|el presente|la presente) {_TEXT}\b{_NUMBERED}",
        rf"\ben (?:el|la) {_TEXT} (?:anterior|dad[oa]|proporcionad[oa]|siguiente|de arriba)\b",
        r"\ben el (?:texto|pasaje|fragmento|extracto)(?= ?[?,])|\ben el (?:documento|artículo)(?= ?\?)",
        rf"\b(?:el|este) (?:texto|autor|pasaje|fragmento|extracto) (?:se )?{_SAYS}\b|\bla autora {_SAYS}\b",
        rf"\b{_SAYS} (?:el|la|los) (?:texto|autora?|autores|pasaje|fragmento|extracto)\b(?! de\b)",
        rf"\b(?:{_SAID}|se {_SAYS}) (?:en|por) (?:el|la|este|esta) {_TEXT}\b{_NUMBERED}",
    ),
    options=pattern(
        r"\b(?:cuál|cuáles|qué|quién) de (?:los|las) siguientes\b|\bde (?:los|las) siguientes\?$",
        r"\b(?:cuál|cuáles) de (?:est[ao]s|las|los) (?:opciones|respuestas|afirmaciones|alternativas|enunciados)\b",
        r"\bqué (?:opción|afirmación|respuesta|alternativa) es (?:la )?(?:correcta|verdadera|falsa|cierta)\b",
    ),
    negative=pattern(
        r"(?<!^¿)\bNO\b(?! [A-Z]{2})|\bEXCEPTO\b|\bes (?:falsa|falso|incorrect[oa])\?|\bexcepto (?:cuál|cuáles)\b",
        case=True,
    ),
    pronoun=pattern(
        rf"^¿?{_PREPOSITION}{_WH} (?:\w+ )?\w+ (?:él|ella|ellos|ellas|esto|eso|ello)\b(?! (?:mism|que\b))",
        rf"^¿?{_PREPOSITION}{_WH} (?:es|son|era|eran|fue|fueron|está|están) (?:su|sus)\b",
        # the verb alone: nothing says who or what
        rf"^¿?{_PREPOSITION}{_WH} (?:fue|fueron|es|son|está|están) \w+[ai]d[oa]s?\?$",
        r"^¿?(?:(?:para|por|de|en|a|con) qué|cuándo|dónde|cómo|por qué|para qué) (?:se )?\w+(?:a|e|ó|an|en|ron)\?$",
    ),
    two_things=pattern(
        rf"^¿?{_PREPOSITION}{_WH} (?:[\w-]+ )?{_MAIN}\b[^?]*\b(y {_PREPOSITION}{_WH} (?:[\w-]+ )?(?:{_MAIN}"
        rf"|\w+ó)\b[^?]*)\?$",
        rf"\b{_WH}\b[^?]*\b(y (?:por qué|para qué|cómo|cuándo|dónde))\?$",
        rf"^¿?(?:qué|quién|cuándo|dónde|cómo|por qué) (y {_PREPOSITION}(?:qué|quién|cuándo|dónde|cómo))\b",
        r"\? ?(¿[^?]*\?)$",
    ),
    catch_all=pattern(
        r"^(?:tod[oa]s|ningun[oa]|amb[oa]s|cualquiera)(?: (?:las|los|de|la|el|es|son|anterior(?:es)?|correct[oa]s?"
        r"|opciones|respuestas|alternativas|afirmaciones|verdader[oa]s?|fals[oa]s?|ell[oa]s|est[oa]s))*[.!]?$",
        r"^(?:(?:tanto|ni|solo|sólo|ambas|respuestas?) )*\(?[a-f]\)?,? (?:y|o|ni|como|&) \(?[a-f]\)?$",
    ),
    absolute=pattern(
        r"\b(?:siempre(?! que)|nunca|jamás|invariablemente|en ningún caso|en todos los casos|sin excepción)\b"
    ),
    sweeping=pattern(
        r"\b(?:siempre|nunca|jamás|tod[oa]s?|cada|sol[oa]|sólo|solamente|únicamente|ningun[oa]|ningún|nadie|nada"
        r"|completamente|totalmente|debe|deben|imposible)\b"
    ),
    openings=(
        ("“para”", pattern(r"^para ")),
        ("“-ndo”", pattern(r"^\w+(?:ando|iendo|yendo)\b")),
        ("“porque”", pattern(r"^porque ")),
        ("“el” or “la”", pattern(r"^(?:el|la|los|las) ")),
        ("“un” or “una”", pattern(r"^(?:un|una|unos|unas) ")),
        ("“si” or “cuando”", pattern(r"^(?:si|cuando) ")),
    ),
    negators=words("no ni nunca jamás sin ningún ninguna ninguno"),
    function_words=words(
        "el la los las lo un una unos unas y e o u ni pero sino que quien quienes cual cuales cuyo qué quién"
        " quiénes cuál cuáles cuándo cuando dónde donde cómo como cuánto cuántos cuánta cuántas por para de"
        " del a al en con sin sobre bajo entre desde hasta hacia según durante antes después contra es son era"
        " eran fue fueron ser sido está están estar ha han había habían haber hay hace hacen hacer puede"
        " pueden debe deben tiene tienen se su sus él ella ellos ellas ello esto eso este esta estos estas ese"
        " esa esos esas aquel aquella le les me te nos yo tú no más muy si también ya cada"
    ),
    relations=words(
        "antes después sobre bajo encima debajo durante entre fuera dentro"
        " sin más menos primero primera último última no nunca ningún ninguna"
    ),
    articles=words("el la los las lo un una unos unas"),
    twice=words("se"),
    endings=tuple("aciones ación amente mente ados adas ado ada es ar er ir os as o a e s".split()),
    question_words={
        QuestionWord.HOW: pattern(r"\b(?:cómo|cuánt[oa]s?)\b"),
        QuestionWord.WHICH: pattern(r"\bcuál(?:es)?\b(?! (?:es|son|era|eran|fue|fueron)\b)"),
        QuestionWord.WHAT: pattern(r"(?<!\bpor )\bqué\b|\bcuál(?:es)? (?:es|son|era|eran|fue|fueron)\b"),
        QuestionWord.WHEN: pattern(r"\bcuándo\b"),
        QuestionWord.WHERE: pattern(r"\b(?:a)?dónde\b"),
        QuestionWord.WHY: pattern(r"\bpor qué\b"),
        QuestionWord.WHO: pattern(r"\bquién(?:es)?\b"),
    },
    yes_no=pattern(rf"^¿?{_MAIN}\b"),
    bloom={
        BloomLevel.UNDERSTAND: pattern(
            r"\bpor qué\b|\bcómo (?:funciona|actúa|se (?:forma|produce|diferencia)|influye|afecta)n?\b"
            r"|\bdiferencias? entre\b"
            r"|\bqué (?:ocurre|sucede|pasa)\b|\ben qué consiste\b",
            r"\b(?:expli(?:que|ca|car)|descri(?:ba|be|bir)|resum(?:a|e|ir)|ilustr(?:e|a|ar)|interpret(?:e|a|ar))\b",
        ),
        BloomLevel.APPLY: pattern(
            r"\bcómo (?:se )?(?:debe|debería|puede|podría|calcula|resuelve|utiliza|configura)n?\b",
            r"\bqué (?:debe|debería|hay que|se debe|puede)n?[^?]*\bhacer(?:se)?\b|^(?:calcule|aplique|resuelva"
            r"|utilice) ",
        ),
        BloomLevel.ANALYZE: pattern(
            r"\bdiferencias? entre\b|\brelación entre\b|\bpor qué\b[^?]*\ben (?:lugar|vez) de\b|\b(?:analice|compare"
            r"|distinga|diferencie)\b"
        ),
        BloomLevel.EVALUATE: pattern(
            r"\b(?:el|la) (?:mejor|más (?:adecuad[oa]|apropiad[oa]|eficaz|conveniente))\b|^(?:evalúe|juzgue"
            r"|justifique|critique) "
        ),
        BloomLevel.CREATE: pattern(r"^(?:diseñe|elabore|redacte|planifique|proponga|formule) "),
    },
    numbers=number_words(
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis"
        " diecisiete dieciocho diecinueve veinte"
    )
    | {"un": 1, "una": 1},
)
