"""French."""

from __future__ import annotations

from viva.core.records import BloomLevel, QuestionWord
from viva.core.text.languages.phrases import Phrases, number_words, pattern, words

_TEXT = (
    r"(?:texte|passage|document|extrait|article|auteure?|autrice|auteurs|section|paragraphe|chapitre|tableau|figure"
    r"|page)"
)
_NUMBERED = r"(?! ?\d| [IVX]+\b| premi)"
_SAYS = (
    r"(?:mentionne|indique|décrit|dit|précise|explique|affirme|cite|recommande|définit|parle|évoque|présente|énumère"
    r"|soutient|suggère|donne)"
)
_SAID = r"(?:mentionné|cité|décrit|indiqué|évoqué|présenté|expliqué|énuméré|défini)e?s?"
_WH = r"(?:que|qu'|quand|où|comment|pourquoi|qui|quoi|combien|quel|quelle|quels|quelles)"
_PREPOSITION = r"(?:(?:à|de|en|par|pour|avec|depuis|sur|dans|jusqu'à) )?"
# what stands between question word and verb is asked for, and so is no subject: "combien de sièges a-t-il"
_ASKED = (
    rf"^{_PREPOSITION}(?:(?:que|quand|où|comment|pourquoi|qui|quoi|combien) |qu'|combien d(?:e |')[\w-]+ "
    r"|quel\w* [\w'-]+ )"
)
_CLITIC = r"-(?:t-)?(?:il|elle|ils|elles)\b"
# "il" that stands for nothing
_NOTHING = (
    r"(?!(?:faut|y a|s'agit|existe|se passe|reste|suffit|convient|importe|vaut|arrive|se produit|pleut|neige)\b)"
)
_TO = r"(?! [\w' -]*?(?:\bde |\bd'|\bque |\bqu'))"

FRENCH = Phrases(
    document=pattern(
        rf"\b(?:d'après|selon|suivant) (?:le |la |l'|les |ce |cet |cette |ces ){_TEXT}\b{_NUMBERED}",
        rf"\b(?:dans|par|de) (?:ce|cet|cette|le présent|la présente) {_TEXT}\b{_NUMBERED}|\bd'après le contexte\b",
        rf"\bdans (?:le |la |l'){_TEXT} (?:ci-dessus|ci-dessous|suivante?|fournie?|donnée?|précédente?)\b",
        r"\bdans le (?:texte|passage)(?= ?[?,])|\bdans (?:l'extrait|l'article|le document)(?= ?\?)",
        rf"\b(?:le texte|le passage|l'auteure?|l'autrice|l'extrait|ce passage|ce texte|cette section"
        rf"|le document) {_SAYS}\b",
        rf"\b(?:que|qu'en|comment) {_SAYS} (?:le texte|le passage|l'auteure?|l'autrice|l'extrait|le document)\b",
        rf"\b{_SAID} (?:dans|par) (?:le |la |l'|ce |cet |cette ){_TEXT}\b{_NUMBERED}",
    ),
    options=pattern(
        r"\b(?:lequel|laquelle|lesquels|lesquelles) (?:des|de ces|parmi) [^?]*(?:suivant|ci-dessous|options|réponses"
        r"|affirmations|propositions)",
        r"\bparmi les [\w' -]*\bsuivante?s\b|\bparmi les (?:options|réponses|affirmations|propositions)\b",
        r"\bquelle (?:affirmation|réponse|proposition|option) (?:est|ci-)"
        r"|\bqu(?:el|i|oi|e)\w* [^?]*\bsuivante?s ?\?$",
    ),
    negative=pattern(
        r"\bN(?:E |')[^?]*\bPAS\b|\b(?:n'|ne )[^?]*\bPAS\b|\bSAUF\b",
        r"\best (?:fausse|faux|incorrecte?|inexacte?) ?\?|\bsauf (?:lequel|laquelle|lesquels|lesquelles)\b",
        case=True,
    ),
    pronoun=pattern(
        rf"{_ASKED}{_NOTHING}(?!est-il\b)[\w']+(?: se)?{_CLITIC}",
        rf"{_ASKED}(?:est|était|serait)-il\b{_TO}",
        rf"^(?:{_PREPOSITION}(?:{_WH} ?|qu'))?est-ce qu'(?:il|elle|ils|elles) {_NOTHING}"
        rf"(?!est \w+ (?:de|d'|que|qu'))",
        rf"^{_PREPOSITION}{_WH} ?(?:[\w-]+ )?(?:cela|ça|ceci)\b",
        r"^(?:pourquoi|comment|quand|où) est-ce (?!que\b|qu')[\w-]+ ?\?$|^qu'est-ce que c'est ?\?$",
        r"^(?:quels?|quelles?|où|qui) (?:est|sont|était|étaient) (?:son|sa|ses|leurs?)\b",
    ),
    two_things=pattern(
        rf"\b{_WH}.*\b(et (?:pourquoi|comment|quand|où|combien|que|qui|quel\w*) [^?]*(?:{_CLITIC}|-on\b|-vous\b"
        rf"|est-ce\b)[^?]*)\?$",
        rf"\b{_WH}.*\b(et {_PREPOSITION}(?:pourquoi|comment|quand|où|quel\w*|qui|quoi) (?:est|sont|était|sert|servent"
        r"|fait|signifie|peut|doit|fonctionne)\b[^?]*)\?$",
        rf"\b{_WH}.*\b(et (?:pourquoi|comment|quand|où)) ?\?$",
        r"^(?:quand|où|comment|pourquoi|qui) (et (?:quand|où|comment|pourquoi|par qui|qui))\b",
        rf"\? ((?:et )?{_PREPOSITION}(?:{_WH}|est-ce)[^?]*\?)$",
    ),
    catch_all=pattern(
        r"^(?:toutes?|tous|aucune?|les deux|l'une? ou l'autre)(?: (?:les|des|de|ces|réponses|options|propositions"
        r"|affirmations|choix|sont|est|correctes?|justes?|vraies?|fausses?|précédente?s?|ci-dessus|ci-dessous"
        r"|cela))*[.!]?$",
        r"^(?:(?:à la fois|ni|réponses?|seulement|les deux) )*\(?[a-f]\)?,? (?:et|ou|ni|&) \(?[a-f]\)?$",
    ),
    absolute=pattern(r"\b(?:toujours|jamais|invariablement|en aucun cas|dans tous les cas|sans exception)\b"),
    sweeping=pattern(
        r"\b(?:toujours|jamais|tous|toutes|tout|chaque|seule?s?|seulement|uniquement|aucune?|personne|rien"
        r"|complètement|entièrement|doit|doivent|impossible)\b"
    ),
    openings=(
        ("“pour”", pattern(r"^(?:pour|afin de|afin d') ?")),
        ("“en” and “-ant”", pattern(r"^en \w+ant\b")),
        ("“parce que”", pattern(r"^(?:parce qu|car )")),
        ("“le”, “la” or “les”", pattern(r"^(?:le |la |les |l')")),
        ("“un”, “une” or “des”", pattern(r"^(?:un|une|des) ")),
        ("“si” or “quand”", pattern(r"^(?:si|quand|lorsqu\w*) ")),
    ),
    negators=words("ne pas non jamais sans aucun aucune ni n"),
    function_words=words(
        "le la les l un une des d de du au aux et ou mais ni donc car que qu qui quoi dont où quand comment"
        " pourquoi combien quel quelle quels quelles lequel laquelle à en dans par pour avec sans sous sur"
        " vers chez entre depuis pendant avant après contre est sont était étaient être été a ont avait"
        " avaient avoir eu fait font faire peut peuvent doit doivent il elle ils elles on nous vous je tu se s"
        " sa son ses leur leurs ce c cet cette ces ça cela y ne n pas plus très si comme t m lui eux me te mon"
        " ma mes ton ta tes notre votre nos vos même aussi"
    ),
    relations=words(
        "avant après sur sous dessus dessous pendant entre hors dans"
        " sans plus moins premier première dernier dernière pas jamais aucun aucune"
    ),
    articles=words("le la les l un une des d de du"),
    twice=words("nous vous se elle elles"),
    endings=("ements", "ement", "ations", "ation", "ées", "ent", "és", "ée", "es", "er", "é", "e", "s", "x"),
    question_words={
        QuestionWord.HOW: pattern(r"\b(?:comment|combien)\b"),
        QuestionWord.WHICH: pattern(
            r"\b(?:quels?|quelles?)\b(?! (?:est|sont|était|étaient|fut|furent|sera)\b)|\b(?:lequel|laquelle"
            r"|lesquels|lesquelles)\b"
        ),
        QuestionWord.WHAT: pattern(
            r"\bqu'|\bque\b|\bquoi\b|\b(?:quels?|quelles?) (?:est|sont|était|étaient|fut|furent|sera)\b"
        ),
        QuestionWord.WHEN: pattern(r"\bquand\b"),
        QuestionWord.WHERE: pattern(r"\boù\b"),
        QuestionWord.WHY: pattern(r"\bpourquoi\b"),
        QuestionWord.WHO: pattern(r"\bqui\b"),
    },
    yes_no=pattern(r"^est-ce qu|^\w+-(?:t-)?(?:il|elle|ils|elles|on|vous)\b"),
    bloom={
        BloomLevel.UNDERSTAND: pattern(
            r"\bpourquoi\b|\bcomment (?:fonctionne|agit|se (?:forme|produit|distingue)|explique)\w*"
            r"|\bdifférences? entre\b"
            r"|\ben quoi\b|\bque se passe-t-il\b",
            r"\b(?:expliqu|décri|résum|illustr|interprét)(?:ez|er|e|vez|re)\b",
        ),
        BloomLevel.APPLY: pattern(
            r"\bcomment (?:peut|doit|devrait|faut|pourrait|faire|calcule)\b|\bcomment [\w]+-(?:on|vous)\b",
            r"\bque (?:doit|devrait|faut|devez|peut)[^?]*\bfaire\b|\b(?:calcul|appliqu|résol|utilis)(?:ez|vez)\b",
        ),
        BloomLevel.ANALYZE: pattern(
            r"\bdifférences? entre\b|\b(?:relation|lien) entre\b|\bpourquoi\b[^?]*\bplutôt que\b|\b(?:analys|compar"
            r"|distingu|différenci)(?:ez|er)\b"
        ),
        BloomLevel.EVALUATE: pattern(
            r"\bl[ea] (?:mieux|plus (?:approprié|adapté|efficace|pertinent)e?)\b|\b(?:évalu|jug|justifi"
            r"|critiqu)(?:ez|er)\b"
        ),
        BloomLevel.CREATE: pattern(r"^(?:concev|élabor|rédig|planifi|imagin|propos)(?:ez|er|oir) "),
    },
    numbers=number_words(
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept"
        " dix-huit dix-neuf vingt"
    )
    | {"une": 1},
)
