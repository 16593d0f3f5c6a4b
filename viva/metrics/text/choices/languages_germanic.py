"""What people and models say around the option they choose, in Germanic languages."""

from __future__ import annotations

from viva.metrics.text.choices.language import ChoiceWords

ENGLISH = ChoiceWords(
    answer=r"(?:final |best |my )?(?:answers?|ans)|responses?|solution|verdict|conclusion|selection|pick|guess",
    option=r"option|choice|letter|alternative|statement|possibility|candidate",
    copula=r"is|are|was|were|would be|should be|must be|will be|has to be|seems to be|appears to be|remains|becomes",
    chooses=(
        r"(?:i|i'd|i'll|i would|i will|i'm|i am|we|let's|let us|my)(?: \w+){0,2}? (?:choose|chose|choosing|"
        r"select(?:ed|ing)?|pick(?:ed|ing)?|go(?:ing)? with|go(?:ing)? for|opt(?:ed|ing)? for|settl(?:e|ed|"
        r"ing) (?:on|for)|vote for|voting for|answer|conclude|decide on|lean(?:ing)? towards?|say)"
    ),
    points=(
        r"choose|select|pick|selecting|choosing|mark|go with|went with|go for|going with|match(?:es)?|points? to|"
        r"pointing to|corresponds? to|aligns? with|identif(?:y|ies)|supports?|favou?rs?|in favou?r of|yields?|"
        r"implies|indicates?|suggests?|confirms?|we (?:get|obtain|have)|gives?|giving"
    ),
    remains=r"leav(?:es|ing)(?: us with)?(?: only)?|narrows? (?:it|this) down to",
    right=(
        r"correct|right|true|accurate|best|valid|fits?|match(?:es)?|holds|appropriate|proper|works|suitable|ideal|"
        r"supported|consistent|the answer|my (?:final |best )?(?:answer|choice|pick|selection|guess)|looks good|"
        r"what (?:the \w+ (?:says|states|gives)|i (?:would|'d) (?:choose|pick|select|say))|"
        r"the (?:one|only|winner)|yes|remains?|is left"
    ),
    wrong=(
        r"wrong|incorrect|false|invalid|inaccurate|untrue|mistaken|erroneous|ruled out|rule out|eliminated|"
        r"excluded|rejected|dismissed|discarded|contradict\w*|unsupported|irrelevant|impossible|fails?|failed|"
        r"too \w+|distractors?|misleading|unrelated|inconsistent|implausible|nonsense|unlikely|less likely|"
        r"improbable|another|different|differs?|lacks?"
    ),
    negates=r"not|[a-z]+n't|never|neither|nor|none|cannot|isnt|doesnt|dont|cant",
    negates_before=r"no(?! doubt| question| \d)",
    excludes=(
        r"rul(?:e|es|ed|ing) out|eliminat\w*|exclud\w*|reject\w*|discard\w*|dismiss\w*|instead of|than|"
        r"as opposed to|unlike|contrary to|other than|except|apart from|aside from|cross(?:es|ed|ing)? out|"
        r"disqualif\w*|strik(?:e|es|ing) out|avoid\w*|runner-?up|second[- ]best|second choice|"
        r"(?<!\w )alternative(?: answer| option| choice)?(?=\s*:)"
    ),
    disbelieves=(
        r"(?:do not|don't|cannot|can't) (?:\w+ )?(?:think|believe|agree)|(?<!no )(?<!without )(?<!a )doubt|"
        r"unlikely"
    ),
    thinks=(
        r"(?:i|we) (?:would )?(?:think|believe|guess|assume|feel)(?: that)?"
        r"|i am (?:sure|confident|certain)(?: that)?"
    ),
    hedges=(
        r"almost|nearly|initially|originally|at first|tempt\w*|(?<!most )plausible|maybe|perhaps|possibly|could|might"
        r"|may(?: also| well)? be|either|conceivably|potentially|depends|suppose|assuming|hypothetically"
    ),
    unsure=(
        r"not (?:\w+ )?(?:sure|certain|clear|confident)|unsure|uncertain|unclear|no idea|hard to (?:say|tell)|"
        r"torn|ambiguous|undecided|can'?t decide|cannot decide|"
        r"(?:do not|don't|cannot|can't|could not|couldn't) (?:\w+ )?(?:know|tell|say|determine|find|be sure|"
        r"decide)"
    ),
    refuses=(
        r"(?:cannot|can't|can not|could not|couldn't|unable to|not able to|won't|will not|"
        r"not possible to) (?:\w+ )?(?:answer|determine|provide|help|assist|choose|select|find|tell|say|"
        r"decide|be (?:determined|answered))|(?:don't|do not) (?:\w+ )?(?:know|have)|no (?:\w+ )?information|"
        r"not enough|insufficient|"
        r"(?:does not|doesn't|do not|don't|did not) (?:\w+ )?(?:say|mention|state|specify|provide|contain|"
        r"include|give)|not (?:\w+ )?(?:mentioned|stated|specified|provided|given)|i'm sorry|i am sorry|as an ai|"
        r"no answer|no idea"
    ),
    none_of=(
        r"none of (?:the|these|those|them)(?: (?:above|options|answers|choices|following|given|listed|"
        r"provided|statements|other))*(?: is| are)?(?: correct| right| true)?|neither of (?:them|these|the two)|"
        r"no option (?:is|fits)"
    ),
    hence=(
        r"so|therefore|thus|hence|consequently|accordingly|in conclusion|in summary|in short|overall|finally|ergo|"
        r"to conclude|that (?:makes|means|gives)(?: it)?"
    ),
    corrects=(
        r"wait|actually|no|nope|nah|sorry|correction|i mean(?:t)?|scratch that|hmm+|oops|rather|instead|"
        r"on second thoughts?|in fact|upon reflection|on reflection|my mistake|apologies|yes|hold on|my bad|"
        r"i was wrong|i made an? (?:error|mistake)|i take (?:that|it) back|on closer (?:look|inspection|reading)|"
        r"let me (?:re\W?\w+|double\W?check|check|correct)(?: \w+){0,3}"
    ),
    ends=r"it is|now",
    it_is=r"it is|it's|that is|that's|this is|would be|must be|should be|it would be|it must be|it has to be|is",
    either=r"or|nor|or else|and/or|versus|vs|otherwise|failing that",
    both=r"and|as well as|plus|along with|together with",
    breaks=r"and|but|so|because|since|while|whereas|although|though|however|therefore|thus|hence|yet|as",
    whether=r"whether|if|unless|in case",
    too=r"too|also|as well|likewise",
    because=r"because|since|as|due|given|based|according|for|which|where|when|while|whereas|but|with|per|in|from|and",
    article=r"the|an?",
    yes=r"yes|yep|yeah",
    no=r"no|nope",
    ordinals=(
        r"first|1st;second|2nd;third|3rd;fourth|4th;fifth|5th;sixth|6th;seventh|7th;eighth|8th;ninth|9th;tenth|"
        r"10th"
    ),
    last=r"last|bottom",
    numbers=r"one;two;three;four;five;six;seven;eight;nine;ten",
    ordinal_noun=r"option|choice|answer|one|alternative|statement|possibility|item|entry|candidate",
    named=(
        r"appendix|section|table|figure|fig|vitamin|plan|type|group|hepatitis|class|grade|part|phase|exhibit|"
        r"annex|building|gate|block|line|zone|schedule|level|category|tank|unit|team|room|platform|terminal|page|"
        r"chapter|pump|model|series|step|form"
    ),
)

GERMAN = ChoiceWords(
    answer=r"(?:end)?antwort(?:möglichkeit|option)?|lösung|fazit|wahl|auswahl",
    option=r"option|möglichkeit|buchstabe|aussage|variante|alternative|punkt|antwortmöglichkeit",
    copula=r"ist|sind|lautet|lauten|wäre|muss|müsste|sollte|dürfte",
    chooses=(
        r"(?:ich|wir)(?: \w+)? (?:wähle|wählen|nehme|nehmen|würde|entscheide mich für|entscheiden uns für|"
        r"tippe auf|bin für|plädiere für|stimme für)"
    ),
    chosen=r"wählen|nehmen|sagen|gewählt|entscheide\w*",
    points=r"wähle|nimm|passt nur|stimmt nur|gilt nur|spricht für|sprechen für|passt zu|entspricht",
    remains=r"bleib(?:t|en)(?: nur)?(?: noch)?|übrig bleibt",
    right=r"meine (?:antwort|wahl)|richtig\w*|korrekt\w*|stimmt|zutreffend\w*|trifft zu|passt|passend\w*|wahr|ja",
    wrong=(
        r"falsch\w*|inkorrekt\w*|unrichtig\w*|ausgeschlossen|scheide\w*|entfäll\w*|entfallen|widersprich\w*|"
        r"unzutreffend\w*|verkehrt\w*|unpassend\w*|fehlerhaft\w*|aus|ungültig\w*|unwahr\w*"
    ),
    negates=r"nicht|kein\w*|nie|niemals|weder|nein",
    excludes=(
        r"ausschlie\w*|ausgeschlossen|schließ\w*|statt|anstatt|anstelle(?: von)?|außer|im gegensatz zu|anders als|"
        r"verwerf\w*|streich\w*|eliminier\w*"
    ),
    disbelieves=r"(?:glaube|denke|meine) (?:ich )?nicht|bezweif\w*",
    thinks=r"ich (?:denke|glaube|meine|vermute)(?: dass)?",
    hedges=r"vielleicht|möglicherweise|könnte\w*|eventuell|entweder|womöglich|kann auch|evtl|unter umständen",
    unsure=(
        r"nicht (?:\w+ )?sicher|unsicher|wei(?:ß|ss) (?:es )?(?:ich )?(?:es )?nicht|unklar|keine ahnung|ungewiss|"
        r"unentschieden"
    ),
    refuses=(
        r"wei(?:ß|ss) (?:\w+ )?nicht|nicht (?:\w+ )?(?:beantwort\w*|bestimm\w*|sagen|ermitteln)|"
        r"keine (?:\w+ )?(?:informationen|angaben)|keine antwort|nicht (?:erwähnt|angegeben|genannt)|tut mir leid|"
        r"(?:sagt|sagen|nennt|nennen) (?:\w+ )?(?:\w+ )?nicht"
    ),
    none_of=(
        r"kein[es]* (?:der|dieser|von)(?: (?:diesen|genannten|optionen|antworten|oben|aussagen|möglichkeiten|"
        r"obigen|antwortmöglichkeiten))*"
    ),
    hence=r"daher|folglich|somit|deshalb|demnach|insgesamt|zusammenfassend|also(?= (?:ist )?[\ue000-\uf001])",
    corrects=r"nein|moment|halt|doch|eigentlich|korrektur|entschuldigung|besser gesagt|vielmehr|warte",
    ends=r"ist|sei|sind",
    it_is=r"es ist|das ist|das wäre|es wäre|ist|es muss",
    either=r"oder|sonst|ansonsten|bzw|beziehungsweise|noch|oder auch",
    both=r"und|sowie|als auch",
    breaks=r"und|aber|sondern|weil|denn|während|obwohl|daher|deshalb|jedoch|somit",
    whether=r"ob|falls|wenn|sofern|es sei denn",
    too=r"ebenfalls|auch|ebenso",
    because=r"weil|da|denn|laut|gemäß|aufgrund|wegen|und|aber",
    article=r"der|die|das|ein|eine|einen|dem|den",
    yes=r"ja",
    no=r"nein",
    ordinals=(
        r"erste\w*;zweite\w*;dritte\w*;vierte\w*;fünfte\w*;sechste\w*;siebte\w*|siebente\w*;achte\w*;neunte\w*;"
        r"zehnte\w*"
    ),
    last=r"letzte\w*",
    numbers=r"eins;zwei;drei;vier;fünf;sechs;sieben;acht;neun;zehn",
    ordinal_noun=r"option|antwort|antwortmöglichkeit|möglichkeit|aussage|variante|alternative|auswahl",
    named=r"anhang|abschnitt|tabelle|abbildung|gruppe|klasse|stufe|teil|gebäude|zone|typ|tank|seite|linie",
)

DUTCH = ChoiceWords(
    answer=r"(?:eind)?antwoord|oplossing|keus|conclusie",
    option=r"optie|letter|mogelijkheid|stelling|keuze|antwoordoptie",
    copula=r"is|zijn|luidt|zou zijn|moet zijn|wordt",
    chooses=r"(?:ik|we)(?: \w+)? (?:kies voor|kies|ga voor|neem|selecteer|kiezen voor)",
    points=r"kies|kies voor|komt overeen met|wijst op",
    chosen=r"kiezen|nemen",
    remains=r"blijft(?: alleen)?(?: nog)?",
    right=r"mijn (?:antwoord|keuze)|juiste?|goede?|klopt|correcte?|waar|past|ja",
    wrong=(
        r"onjuiste?|foute?|verkeerde?|incorrecte?|valse?|onwaar|uitgesloten|valt af|vallen af|ongeldig|afgevallen|"
        r"af|onwaarschijnlijke?"
    ),
    negates=r"niet|geen|nooit|nee",
    excludes=r"sluit\w*|uitsluit\w*|elimine\w*|in plaats van|anders dan|behalve|verwerp\w*|streep\w*",
    disbelieves=r"(?:denk|geloof) (?:ik )?niet|betwijfel",
    thinks=r"ik (?:denk|geloof|vermoed)(?: dat)?",
    hedges=r"misschien|mogelijk|zou(?: ook)? kunnen|wellicht|kunnen zijn|ofwel|eventueel|kan(?: ook)? zijn|hetzij",
    unsure=r"niet (?:\w+ )?zeker|onzeker|weet (?:\w+ )?(?:\w+ )?niet|onduidelijk|geen idee|twijfel",
    refuses=(
        r"weet (?:\w+ )?(?:\w+ )?niet|niet (?:beantwoord\w*|bepal\w*|zeggen|vermeld|genoemd)|"
        r"geen (?:\w+ )?informatie|onvoldoende informatie|(?:vermeldt|zegt|zeggen|noemt) (?:\w+ )?(?:\w+ )?niet|"
        r"het spijt me"
    ),
    none_of=r"geen (?:van|enkele van)(?: (?:de|deze|bovenstaande|opties|antwoorden|genoemde))*",
    hence=r"dus|daarom|derhalve|kortom|samenvattend|concluderend",
    corrects=r"nee|wacht|eigenlijk|correctie|beter gezegd|toch",
    ends=r"is|zijn",
    it_is=r"het is|dat is|is|dat zou|het moet",
    either=r"of|ofwel|noch|dan wel",
    both=r"en|alsmede|evenals",
    breaks=r"maar|omdat|terwijl|dus|doch|hoewel|aangezien|daarom",
    whether=r"of het|of de|indien|tenzij",
    too=r"ook|eveneens|evenmin",
    because=r"omdat|want|aangezien|volgens|vanwege|en|maar",
    article=r"de|het|een",
    yes=r"ja",
    no=r"nee",
    ordinals=r"eerste;tweede;derde;vierde;vijfde;zesde;zevende;achtste;negende;tiende",
    last=r"laatste",
    numbers=r"een|één;twee;drie;vier;vijf;zes;zeven;acht;negen;tien",
    ordinal_noun=r"optie|antwoord|mogelijkheid|stelling|keuze|antwoordoptie",
    named=r"bijlage|sectie|tabel|figuur|groep|klasse|niveau|deel|gebouw|zone|type|tank|pagina|vitamine",
)

SCANDINAVIAN = ChoiceWords(
    answer=r"(?:slut)?svar(?:et)?",
    option=r"alternativ(?:et)?|valgmulighed",
    copula=r"är|er|blir",
    right=r"rätt|korrekt|rigtigt?|riktigt?",
    wrong=r"fel(?:aktigt?)?|forkert|feil|galt|fejl",
    negates=r"inte|ikke|ej|varken|verken|hverken|ingen|inget|intet",
    hedges=r"kanske|måske|kanskje|möjligen|muligvis|kan (?:vara|være)",
    unsure=r"vet (?:inte|ikke)|ved ikke|inte säker|ikke sikker",
    refuses=r"vet (?:inte|ikke)|ved ikke|kan (?:inte|ikke) svara?e?",
    either=r"eller",
    both=r"och|og",
    breaks=r"men|därför|derfor|eftersom|fordi",
)

GERMANIC = (ENGLISH, GERMAN, DUTCH, SCANDINAVIAN)
