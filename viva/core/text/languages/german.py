"""German."""

from __future__ import annotations

from viva.core.records import BloomLevel, QuestionWord
from viva.core.text.languages.phrases import Phrases, number_words, pattern, words

_TEXT = (
    r"(?:Text|Textes|Textabschnitt|Textauszug|Abschnitt|Dokument|Dokuments|Artikel|Absatz|Kapitel|Autor|Autors"
    r"|Autorin|Verfasser|Verfassers|Verfasserin|Tabelle|Abbildung|Passage|Textstelle|Textpassage|Auszug|Beitrag)"
)
_NUMBERED = r"(?! ?[\d(]| [IVX]+\b)"
_SAYS = (
    r"(?:sagt|nennt|beschreibt|erwähnt|erklärt|empfiehlt|definiert|schreibt|meint|behauptet|erläutert|führt|gibt"
    r"|zählt|spricht|schlägt|betont|argumentiert)"
)
_SAID = r"(?:genannt|erwähnt|beschrieben|aufgeführt|angegeben|erklärt|definiert|erläutert|empfohlen|dargestellt)"
_SIMPLE_WH = (
    r"(?:[Ww]as|[Ww]er|[Ww]en|[Ww]em|[Ww]ann|[Ww]o|[Ww]ohin|[Ww]oher|[Ww]arum|[Ww]ieso|[Ww]eshalb|[Ww]ie|[Ww]ozu"
    r"|[Ww]ofür|[Ww]omit|[Ww]odurch|[Ww]oraus|[Ww]orin|[Ww]oran|[Ww]ovon)"
)
_WH = (
    r"(?:was|wer|wen|wem|wann|wo|wohin|woher|warum|wieso|weshalb|wie|wozu|wofür|womit|wodurch|woraus|worin"
    r"|welche[rsnm]?)"
)
_FINITE = (
    r"(?:ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|hatte|hatten|kann|können|konnte|muss|müssen|soll"
    r"|sollte|sollten|darf|dürfen|macht|machen|tut|dient|dienen|funktioniert|funktionieren|heißt|bedeutet|gibt|liegt"
    r"|liegen|entsteht|entstehen|unterscheidet|unterscheiden|wirkt|wirken|lässt|lassen|gilt|gelten|braucht|benötigt)"
)
# "es" that stands for nothing
_NOTHING = r"(?!(?:gibt|gab|handelt|kommt|kam|dauert|geht|ging|bedarf|braucht|regnet|schneit|heißt|fehlt|liegt) es\b)"
_ASKED = rf"^(?:{_SIMPLE_WH}|(?:\w+ )?[Ww]elche\w?(?: [\w-]+){{1,2}}|[Ww]ie (?:viele? )?[\w-]+)"

GERMAN = Phrases(
    document=pattern(
        rf"\b(?:laut|gemäß|nach) (?:dem|diesem|der|dieser|des) (?:\w+en )?{_TEXT}\b{_NUMBERED}(?<!nach dem Text)",
        rf"\b(?:dem|diesem|der) {_TEXT} (?:zufolge|nach)\b|\bnach (?:Ansicht|Meinung) (?:des Autors|des Verfassers"
        rf"|der Autorin)\b",
        rf"\b(?:im|in dem|in der|am) (?:obigen|obiger|vorliegenden|gegebenen|folgenden|vorangehenden) (?:{_TEXT}"
        rf"|Kontext)\b",
        rf"\b(?:in|aus) (?:diesem|dieser) {_TEXT}\b",
        rf"\b(?:im|in der|vom|von der) {_TEXT}(?=[?,]|(?: [\w-]+){{0,3}} {_SAID}\b)",
        rf"\b(?:der|die|das) {_TEXT} {_SAYS}\b|\b{_SAYS} (?:der Text|der Autor|die Autorin|der Verfasser"
        rf"|der Artikel|der Abschnitt)\b(?! \w+s\b)",
    ),
    options=pattern(
        r"\bwelche[rs]? der (?:folgenden|nachstehenden|unten|nachfolgenden)\b|\bwas von (?:dem|den) folgenden\b",
        r"\bwelche[rs]? (?:dieser|der) (?:Aussagen|Antworten|Optionen|Antwortmöglichkeiten|Möglichkeiten)\b",
        r"\bwelche (?:Aussage|Antwort|Option)(?:en)? (?:ist|sind|trifft|treffen)\b",
    ),
    negative=pattern(
        r"\bNICHT\b(?! [A-Z]{2})|\bKEINE?[MNRS]?\b(?! [A-Z]{2})|\b(?:trifft|treffen) nicht zu\?",
        r"\bist (?:falsch|unzutreffend|unwahr|nicht (?:richtig|korrekt|zutreffend))\?|\bAUSSER\b"
        r"|\baußer (?:welche[rsm]?|was)\b",
        case=True,
    ),
    # upper and lower case differ: "Sie" is the reader
    pronoun=pattern(
        rf"{_ASKED} {_NOTHING}[a-zäöüß]+ (?:er|sie)\b",
        rf"{_ASKED} {_NOTHING}[a-zäöüß]+ es\b"
        r"(?![^?]*(?:\b(?:dass|zu|wenn|ob|um|sich|möglich|nötig)\b|,|\w+zu\w+en\b))",
        rf"{_ASKED} [a-zäöüß]+ (?:das|dies|dieser|diese|dieses)(?:\?| (?:wichtig|nötig|notwendig|möglich|so"
        rf"|gemacht)\b)",
        rf"^{_SIMPLE_WH} (?:ist|sind|war|waren|wird|wurde) (?:sein|seine|ihr|ihre)\b",
        r"^(?:Ist|Sind|War|Wird|Wurde|Hat|Kann|Muss|Darf) (?:er|sie)\b",
        case=True,
    ),
    # a question within the question comes after a comma: "which norm says, what a gate is and how it works"
    two_things=pattern(
        rf"^(?![^?]*, {_WH}\b).*\b{_WH}\b[^?]*\b(und (?:(?:in|an|auf|für|mit|aus|zu|von|seit) )?{_WH}"
        rf"(?: (?!es\b|er\b|sie\b|man\b|d[aei][esrnm]\b|eine?\b)[\w-]+){{0,2}} {_FINITE}\b[^?]*)\?$",
        rf"^(?![^?]*, {_WH}\b).*\b{_WH}\b[^?]*\b((?:und|oder) (?:warum|wieso|weshalb|wie|wann|wo|wozu))\?$",
        rf"^{_WH} (und {_WH})\b",
        rf"\? ((?:und )?(?:{_WH}|{_FINITE})\b[^?]*\?)$",
    ),
    catch_all=pattern(
        r"^(?:alle|alles|beide|beides|keine[rs]?|nichts)(?: (?:der|von|davon|den|oben|vorstehend|genannten?|obigen?"
        r"|sind|ist|richtig|falsch|korrekt|Antworten|Aussagen|Optionen|Möglichkeiten|Alternativen|trifft|treffen"
        r"|zu))+[.!]?$",
        r"^(?:beides|beide)$",
        r"^(?:(?:sowohl|weder|nur|beide|antwort) )*\(?[a-f]\)?,? (?:und|oder|als auch|noch|&) \(?[a-f]\)?$",
    ),
    absolute=pattern(
        r"\bimmer\b(?! noch| mehr| wieder| \w+er\b)|\b(?:nie|niemals|stets|ausnahmslos|in jedem Fall|auf keinen Fall"
        r"|unter (?:allen|keinen) Umständen)\b"
    ),
    sweeping=pattern(
        r"\b(?:immer|nie|niemals|stets|alle[rsn]?|jede[rsnm]?|nur|ausschließlich|keine?[rsnm]?|niemand|nichts|völlig"
        r"|vollständig|muss|müssen|unmöglich)\b"
    ),
    openings=(
        ("“um” und “zu”", pattern(r"^um .*\b\w*zu\w*\b")),
        ("“durch”", pattern(r"^durch ")),
        ("“weil”", pattern(r"^weil ")),
        ("“der”, “die” or “das”", pattern(r"^(?:der|die|das|den|dem|des) ")),
        ("“ein” or “eine”", pattern(r"^eine?[nmrs]? ")),
        ("“wenn”", pattern(r"^(?:wenn|falls|sobald) ")),
    ),
    negators=words("nicht kein keine keinen keiner keines ohne nie niemals weder noch"),
    function_words=words(
        "der die das den dem des ein eine einen einem einer eines und oder aber sondern denn weil dass ob wenn als"
        " wie im in am an auf aus bei beim bis durch für gegen hinter mit nach neben ohne seit über um unter vom von"
        " vor während wegen zu zum zur zwischen ist sind war waren sein wird werden wurde wurden worden geworden hat"
        " haben hatte hatten kann können konnte konnten muss müssen musste soll sollen sollte darf dürfen mag will"
        " wollen er sie es ihm ihn ihr ihre ihrer ihren ihrem seine seinen seiner seinem wir uns du ich sich man wer"
        " wen wem was wann wo warum wieso weshalb wozu wofür welche welcher welches welchen welchem dieser diese"
        " dieses diesen diesem jener jene jenes nicht kein keine keinen keiner auch nur noch schon sehr mehr so da"
        " dann dort hier"
    ),
    relations=words(
        "vor nach über unter oben unten während zwischen außerhalb innerhalb"
        " ohne mehr weniger zuerst zuletzt nicht kein keine keinen nie"
    ),
    articles=words("der die das den dem des ein eine einen einem einer eines"),
    twice=words("der die das den dem sie ihr"),
    endings=("innen", "ungen", "ung", "en", "er", "es", "em", "e", "n", "s"),
    question_words={
        QuestionWord.HOW: pattern(r"\b(?:wie|wieviele?|inwiefern|inwieweit)\b"),
        QuestionWord.WHICH: pattern(r"\bwelche[rsnm]?\b"),
        QuestionWord.WHAT: pattern(
            r"\b(?:was|wofür|wozu|womit|wodurch|worin|worauf|woran|woraus|wovon|worüber|wogegen|wonach|worum|wobei"
            r"|wovor)\b"
        ),
        QuestionWord.WHEN: pattern(r"\bwann\b"),
        QuestionWord.WHERE: pattern(r"\b(?:wo|wohin|woher)\b"),
        QuestionWord.WHY: pattern(r"\b(?:warum|weshalb|wieso|weswegen)\b"),
        QuestionWord.WHO: pattern(r"\b(?:wer|wen|wem|wessen)\b"),
    },
    yes_no=pattern(rf"^{_FINITE}\b"),
    bloom={
        BloomLevel.UNDERSTAND: pattern(
            r"\b(?:warum|weshalb|wieso|weswegen|inwiefern|inwieweit)\b|\bwodurch\b|\bwie (?:funktioniert|wirkt"
            r"|entsteht|kommt|unterscheide[nt]|verhält|hängt|beeinflusst|schützt)\w*\b|\bUnterschiede? zwischen\b"
            r"|\bwas (?:passiert|geschieht)\b",
            r"\b(?:erklär|beschreib|erläuter|veranschaulich|interpretier|klassifizier)\w*|\bfass\w* .* zusammen\b",
        ),
        BloomLevel.APPLY: pattern(
            r"\bwie (?:sollten?|würden?|muss|müssen|kann|können|lässt|lassen|berechne[nt]?) (?:man|sie|du|ich|wir"
            r"|sich)\b",
            r"\bwas (?:soll|sollte|muss|müssen|sollten|würden) [^?]*\btun\b|\b(?:berechne|löse|wende|benutze"
            r"|zeige)n?\b",
        ),
        BloomLevel.ANALYZE: pattern(
            r"\bUnterschiede? zwischen\b|\bunterscheide[nt]\b|\bZusammenhang zwischen\b"
            r"|\bwarum\b[^?]*\b(?:anstatt|anstelle|statt)\b"
            r"|\b(?:analysier|vergleich|differenzier|untersuch)(?:e|en|t)\b"
        ),
        BloomLevel.EVALUATE: pattern(
            r"\bam (?:besten|ehesten|geeignetsten|sinnvollsten)\b|\b(?:beurteil|bewert|begründ|rechtfertig)(?:e|en)\b"
        ),
        BloomLevel.CREATE: pattern(
            r"^(?:entwirf|entwerfen|plane|planen|entwickle|entwickeln|verfasse|verfassen|gestalten?) "
        ),
    },
    numbers=number_words(
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
        " siebzehn achtzehn neunzehn zwanzig"
    )
    | {"ein": 1, "eine": 1, "einen": 1},
)
