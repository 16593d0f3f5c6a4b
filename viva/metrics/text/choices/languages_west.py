"""What people and models say around the option they choose, in languages of the Latin and Cyrillic scripts."""

from __future__ import annotations

from viva.metrics.text.choices.language import ChoiceWords, Script

ENGLISH = ChoiceWords(
    answer=r"(?:final |best |my )?(?:answers?|ans)|responses?|solution|verdict|conclusion|selection|pick|guess",
    option=r"option|choice|letter|alternative|statement|possibility|candidate",
    copula=r"is|are|was|were|would be|should be|must be|will be|has to be|seems to be|appears to be|remains|becomes",
    chooses=(
        r"(?:i|i'd|i'll|i would|i will|i'm|i am|we|let's|let us|my)(?: \w+){0,2}? (?:choose|chose|choosing|select(?:ed|ing)?|pick(?:ed|ing)?"
        r"|go(?:ing)? with|go(?:ing)? for|opt(?:ed|ing)? for|settl(?:e|ed|ing) (?:on|for)|vote for|voting for|answer|conclude|decide on|lean(?:ing)? towards?|say)"
    ),
    points=(
        r"choose|select|pick|selecting|choosing|mark|go with|went with|go for|going with|match(?:es)?|points? to|pointing to|corresponds? to"
        r"|aligns? with|identif(?:y|ies)|supports?|favou?rs?|in favou?r of|yields?|implies|indicates?|suggests?|confirms?|we (?:get|obtain|have)|gives?|giving"
    ),
    remains=r"leav(?:es|ing)(?: us with)?(?: only)?|narrows? (?:it|this) down to",
    right=(
        r"correct|right|true|accurate|best|valid|fits?|match(?:es)?|holds|appropriate|proper|works|suitable|ideal|supported|consistent|the answer"
        r"|the (?:one|only|winner)|yes|remains?|is left"
    ),
    wrong=(
        r"wrong|incorrect|false|invalid|inaccurate|untrue|mistaken|erroneous|ruled out|rule out|eliminated|excluded|rejected|dismissed|discarded"
        r"|contradict\w*|unsupported|irrelevant|impossible|fails?|failed|too \w+|distractors?|misleading|unrelated|inconsistent|implausible|nonsense|unlikely|less likely|improbable"
        r"|another|different|differs?|lacks?"
    ),
    negates=r"not|[a-z]+n't|never|neither|nor|none|cannot|isnt|doesnt|dont|cant",
    negates_before=r"no(?! doubt| question| \d)",
    excludes=(
        r"rul(?:e|es|ed|ing) out|eliminat\w*|exclud\w*|reject\w*|discard\w*|dismiss\w*|instead of|than|as opposed to|unlike|contrary to|other than"
        r"|except|apart from|aside from|cross(?:es|ed|ing)? out|disqualif\w*|strik(?:e|es|ing) out|avoid\w*"
    ),
    disbelieves=r"(?:do not|don't|cannot|can't) (?:\w+ )?(?:think|believe|agree)|(?<!no )(?<!without )(?<!a )doubt|unlikely",
    hedges=r"maybe|perhaps|possibly|could|might|may(?: also| well)? be|either|conceivably|potentially|depends|suppose|assuming|hypothetically",
    unsure=(
        r"not (?:\w+ )?(?:sure|certain|clear|confident)|unsure|uncertain|unclear|no idea|hard to (?:say|tell)|torn|ambiguous|undecided|can'?t decide|cannot decide"
        r"|(?:do not|don't|cannot|can't|could not|couldn't) (?:\w+ )?(?:know|tell|say|determine|find|be sure|decide)"
    ),
    refuses=(
        r"(?:cannot|can't|can not|could not|couldn't|unable to|not able to|won't|will not|not possible to) (?:\w+ )?(?:answer|determine|provide|help|assist|choose|select|find|tell"
        r"|say|decide|be (?:determined|answered))|(?:don't|do not) (?:\w+ )?(?:know|have)|no (?:\w+ )?information|not enough|insufficient|(?:does not|doesn't|do not|don't|did not) (?:\w+ )?"
        r"(?:say|mention|state|specify|provide|contain|include|give)|not (?:\w+ )?(?:mentioned|stated|specified|provided|given)|i'm sorry|i am sorry|as an ai|no answer|no idea"
    ),
    none_of=(
        r"none of (?:the|these|those|them)(?: (?:above|options|answers|choices|following|given|listed|provided|statements|other))*(?: is| are)?(?: correct| right| true)?"
        r"|neither of (?:them|these|the two)|no option (?:is|fits)"
    ),
    hence=r"so|therefore|thus|hence|consequently|accordingly|in conclusion|in summary|in short|overall|finally|ergo|to conclude|that (?:makes|means|gives)(?: it)?",
    corrects=(
        r"wait|actually|no|nope|nah|sorry|correction|i mean(?:t)?|scratch that|hmm+|oops|rather|instead|on second thoughts?|in fact|upon reflection|on reflection|my mistake|apologies|yes|hold on"
    ),
    ends=r"it is",
    it_is=r"it is|it's|that is|that's|this is|would be|must be|should be|it would be|it must be|it has to be|is",
    either=r"or|nor|or else|and/or|versus|vs",
    both=r"and|as well as|plus|along with|together with",
    breaks=r"and|but|so|because|since|while|whereas|although|though|however|therefore|thus|hence|yet|as",
    whether=r"whether|if|unless|in case",
    too=r"too|also|as well|likewise",
    because=r"because|since|as|due|given|based|according|for|which|where|when|while|whereas|but|with|per|in|from|and",
    article=r"the|an?",
    yes=r"yes|yep|yeah",
    no=r"no|nope",
    ordinals=r"first|1st;second|2nd;third|3rd;fourth|4th;fifth|5th;sixth|6th;seventh|7th;eighth|8th;ninth|9th;tenth|10th",
    last=r"last|bottom",
    numbers=r"one;two;three;four;five;six;seven;eight;nine;ten",
    ordinal_noun=r"option|choice|answer|one|alternative|statement|possibility|item|entry|candidate",
    named=(
        r"appendix|section|table|figure|fig|vitamin|plan|type|group|hepatitis|class|grade|part|phase|exhibit|annex|building|gate|block|line|zone|schedule|level"
        r"|category|tank|unit|team|room|platform|terminal|page|chapter|pump|model|series|step|form"
    ),
)

GERMAN = ChoiceWords(
    answer=r"(?:end)?antwort(?:möglichkeit|option)?|lösung|fazit|wahl|auswahl",
    option=r"option|möglichkeit|buchstabe|aussage|variante|alternative|punkt|antwortmöglichkeit",
    copula=r"ist|sind|lautet|lauten|wäre|muss|müsste|sollte|dürfte",
    chooses=r"(?:ich|wir)(?: \w+)? (?:wähle|wählen|nehme|nehmen|würde|entscheide mich für|entscheiden uns für|tippe auf|bin für|plädiere für|stimme für)",
    chosen=r"wählen|nehmen|sagen|gewählt|entscheide\w*",
    points=r"wähle|nimm|spricht für|sprechen für|passt zu|entspricht",
    remains=r"bleib(?:t|en)(?: nur)?(?: noch)?|übrig bleibt",
    right=r"richtig\w*|korrekt\w*|stimmt|zutreffend\w*|trifft zu|passt|passend\w*|wahr|ja",
    wrong=(
        r"falsch\w*|inkorrekt\w*|unrichtig\w*|ausgeschlossen|scheide\w*|entfäll\w*|entfallen|widersprich\w*|unzutreffend\w*|verkehrt\w*|unpassend\w*|fehlerhaft\w*|aus"
        r"|ungültig\w*|unwahr\w*"
    ),
    negates=r"nicht|kein\w*|nie|niemals|weder|nein",
    excludes=r"ausschlie\w*|ausgeschlossen|schließ\w*|statt|anstatt|anstelle(?: von)?|außer|im gegensatz zu|anders als|verwerf\w*|streich\w*|eliminier\w*",
    disbelieves=r"(?:glaube|denke|meine) (?:ich )?nicht|bezweif\w*",
    hedges=r"vielleicht|möglicherweise|könnte\w*|eventuell|entweder|womöglich|kann auch|evtl|unter umständen",
    unsure=r"nicht (?:\w+ )?sicher|unsicher|wei(?:ß|ss) (?:es )?(?:ich )?(?:es )?nicht|unklar|keine ahnung|ungewiss|unentschieden",
    refuses=(
        r"wei(?:ß|ss) (?:\w+ )?nicht|nicht (?:\w+ )?(?:beantwort\w*|bestimm\w*|sagen|ermitteln)|keine (?:\w+ )?(?:informationen|angaben)|keine antwort"
        r"|nicht (?:erwähnt|angegeben|genannt)|tut mir leid|(?:sagt|sagen|nennt|nennen) (?:\w+ )?(?:\w+ )?nicht"
    ),
    none_of=r"kein[es]* (?:der|dieser|von)(?: (?:diesen|genannten|optionen|antworten|oben|aussagen|möglichkeiten|obigen|antwortmöglichkeiten))*",
    hence=r"daher|folglich|somit|deshalb|demnach|insgesamt|zusammenfassend|also(?= (?:ist )?[\ue000-\uf001])",
    corrects=r"nein|moment|halt|doch|eigentlich|korrektur|entschuldigung|besser gesagt|vielmehr|warte",
    ends=r"ist|sei|sind",
    it_is=r"es ist|das ist|das wäre|es wäre|ist|es muss",
    either=r"oder|bzw|beziehungsweise|noch|oder auch",
    both=r"und|sowie|als auch",
    breaks=r"und|aber|sondern|weil|denn|während|obwohl|daher|deshalb|jedoch|somit",
    whether=r"ob|falls|wenn|sofern",
    too=r"ebenfalls|auch|ebenso",
    because=r"weil|da|denn|laut|gemäß|aufgrund|wegen|und|aber",
    article=r"der|die|das|ein|eine|einen|dem|den",
    yes=r"ja",
    no=r"nein",
    ordinals=r"erste\w*;zweite\w*;dritte\w*;vierte\w*;fünfte\w*;sechste\w*;siebte\w*|siebente\w*;achte\w*;neunte\w*;zehnte\w*",
    last=r"letzte\w*",
    numbers=r"eins;zwei;drei;vier;fünf;sechs;sieben;acht;neun;zehn",
    ordinal_noun=r"option|antwort|antwortmöglichkeit|möglichkeit|aussage|variante|alternative|auswahl",
    named=r"anhang|abschnitt|tabelle|abbildung|gruppe|klasse|stufe|teil|gebäude|zone|typ|tank|seite|linie",
)

FRENCH = ChoiceWords(
    answer=r"réponse|solution|conclusion|rép",
    option=r"option|lettre|proposition|choix|alternative|affirmation",
    copula=r"est donc|est|sont|serait|était|doit être|semble être|devrait être|c'est",
    chooses=r"(?:je|j')(?: \w+)? ?(?:choisis|choisirais|choisi|sélectionne|prends|dirais|retiens|opte pour|opterais pour|vote pour|penche pour)",
    points=r"choisir|choisissez|correspond à|indique",
    remains=r"(?:il )?(?:ne )?reste(?: que)?",
    right=r"correcte?s?|justes?|exacte?s?|bonnes?|bon|vraie?s?|valable|convient|correspond|oui",
    wrong=r"fau(?:x|sse)s?|incorrecte?s?|erronée?s?|exclue?s?|éliminée?s?|inexacte?s?|écartée?s?|à écarter|mauvaise?s?|contredi\w*|invalides?|improbables?|peu probables?",
    negates=r"pas|jamais|aucune?|ni|nullement|non",
    excludes=r"exclu\w*|élimin\w*|écart\w*|rejet\w*|au lieu d(?:e|')|plutôt qu(?:e|')|contrairement (?:à|au|aux)|sauf|à l'exception d\w*|à la place d\w*",
    disbelieves=r"(?:pense|crois) pas|je doute",
    hedges=r"peut-être|pourrai(?:t|ent)|possiblement|éventuellement|soit|il se peut|il est possible",
    unsure=r"pas (?:\w+ )?(?:sûre?|certaine?|clair)|incertaine?|sais pas|j'hésite",
    refuses=(
        r"(?:sais|peux|puis) pas|pas (?:assez|suffisamment) d|aucune information|impossible de|(?:dit|disent|mentionne\w*|précise\w*|indique\w*) pas|pas (?:mentionnée?|précisée?|indiquée?)"
        r"|désolée?"
    ),
    none_of=r"aucune? (?:de ces|des|de cette|d'entre)(?: (?:réponses|options|propositions|choix|ci-dessus))*",
    hence=r"donc|ainsi|par conséquent|en conclusion|c'est pourquoi|en somme|finalement|en résumé|alors",
    corrects=r"non|attendez|attends|en fait|plutôt|correction|pardon|en réalité|excusez-moi",
    it_is=r"c'est|ce serait|il s'agit d(?:e|u)|est|ce doit être",
    either=r"ou|ou bien|soit|ni",
    both=r"et|ainsi que",
    breaks=r"et|mais|parce|puisque|donc|tandis|cependant|alors que",
    whether=r"si(?! tratta)|s'il|au cas où",
    too=r"aussi|également|non plus",
    because=r"car|parce|puisque|selon|d'après|en|et|mais|comme",
    article=r"le|la|les|l'|une?|du|des",
    yes=r"oui",
    no=r"non",
    ordinals=r"première?|1re|1ère|1er;deuxième|seconde?|2e|2ème;troisième|3e|3ème;quatrième|4e|4ème;cinquième;sixième;septième;huitième;neuvième;dixième",
    last=r"dernière?",
    numbers=r"une?;deux;trois;quatre;cinq;six;sept;huit;neuf;dix",
    ordinal_noun=r"option|réponse|proposition|choix|alternative|affirmation",
    named=r"annexe|section|tableau|figure|groupe|classe|niveau|partie|bâtiment|zone|type|cuve|page|vitamine",
)

SPANISH = ChoiceWords(
    answer=r"respuesta|solución|elección|conclusión|contestación",
    option=r"opción|alternativa|letra|inciso|literal|apartado|afirmación",
    copula=r"es|son|está|están|sería|debe ser|debería ser|era|corresponde a",
    chooses=(
        r"(?:yo |me )?(?:elijo|elegiría|elegimos|escojo|escogería|selecciono|seleccionaría|opto por|optaría por|quedo con|quedaría con|diría|marco|marcaría)"
    ),
    points=r"elegir|elige|corresponde a|coincide con|apunta a|indica",
    remains=r"queda(?: solo| sólo| únicamente)?|resta",
    right=r"correct[oa]s?|ciert[oa]s?|verdader[oa]s?|acertad[oa]s?|adecuad[oa]s?|exact[oa]s?|válid[oa]s?|coincide|corresponde|sí",
    wrong=(
        r"incorrect[oa]s?|fals[oa]s?|erróne[oa]s?|equivocad[oa]s?|descartad[oa]s?|se descartan?|inválid[oa]s?|mal|excluid[oa]s?|eliminad[oa]s?|inexact[oa]s?|improbables?|poco probables?"
    ),
    negates=r"nunca|tampoco|ni|ningun[oa]?|jamás",
    negates_before=r"no",
    excludes=r"tod[oa]s? menos|descart\w*|elimin\w*|exclu\w*|rechaz\w*|en lugar de|en vez de|a diferencia de|salvo|excepto",
    disbelieves=r"no (?:creo|pienso)|dudo",
    hedges=r"quizás?|tal vez|podrían?|posiblemente|puede que|puede ser|acaso|a lo mejor|o bien",
    unsure=r"no (?:estoy |es )?(?:\w+ )?segur[oa]|no sé|no está claro|desconozco|dudo entre",
    refuses=(
        r"no (?:lo )?sé|no puedo|no hay|no se (?:menciona|indica|especifica|dice)|no (?:menciona|indica|especifica|dice|proporciona)n?|imposible (?:de )?(?:responder|determinar)|desconozco"
        r"|lo siento|información insuficiente"
    ),
    none_of=r"ningun[oa] de (?:las|los|estas|estos)(?: (?:anteriores|opciones|respuestas|alternativas))*",
    hence=r"por lo tanto|por tanto|así que|entonces|en conclusión|en consecuencia|por ende|en resumen|por eso",
    corrects=r"no|espera|espere|perdón|en realidad|corrección|mejor dicho|más bien|digo",
    it_is=r"es|sería|eso es|se trata de|debe ser",
    either=r"o|u|o bien|ni",
    both=r"y|e|así como",
    breaks=r"y|pero|sino|porque|aunque|mientras|pues|ya que|por lo tanto",
    whether=r"si(?! tratta)|en caso de que",
    too=r"también|tampoco",
    because=r"porque|pues|ya que|según|debido|dado|puesto|y|pero|como",
    article=r"el|la|los|las|una?|lo",
    yes=r"sí",
    no=r"no",
    ordinals=r"primer[oa]?|1[ªº];segund[oa]|2[ªº];tercer[oa]?|3[ªº];cuart[oa];quint[oa];sext[oa];séptim[oa];octav[oa];noven[oa];décim[oa]",
    last=r"últim[oa]",
    numbers=r"un[oa]?;dos;tres;cuatro;cinco;seis;siete;ocho;nueve;diez",
    ordinal_noun=r"opción|respuesta|alternativa|afirmación",
    named=r"anexo|sección|tabla|figura|grupo|clase|nivel|parte|edificio|zona|tipo|tanque|página|vitamina",
)

ITALIAN = ChoiceWords(
    answer=r"risposta|soluzione|scelta|conclusione",
    option=r"opzione|alternativa|lettera|affermazione|voce",
    copula=r"è|e'|sono|sarebbe|deve essere|dovrebbe essere|corrisponde a",
    chooses=r"(?:io )?(?:scelgo|sceglierei|seleziono|opto per|opterei per|direi|prendo)",
    points=r"scegliere|scegli|corrisponde a|indica",
    remains=r"rimane(?: solo)?|resta(?: solo)?",
    right=r"corrett[oaie]|giust[oaie]|esatt[oaie]|ver[oaie]|valid[oa]|corrisponde|adatt[oa]|sì",
    wrong=r"sbagliat[oaie]|errat[oaie]|scorrett[oaie]|incorrett[oaie]|fals[oaie]|esclus[oaie]|scartat[oaie]|inesatt[oaie]|da (?:escludere|scartare)|eliminat[oaie]|improbabil[ei]|poco probabil[ei]",
    negates=r"non|nessun\w*|né|neanche|nemmeno|neppure",
    negates_before=r"no",
    excludes=r"esclud\w*|elimin\w*|scart\w*|invece d\w*|anziché|al posto d\w*|a differenza d\w*|tranne|eccetto",
    disbelieves=r"non (?:credo|penso)|dubito",
    hedges=r"forse|potrebbe\w*|possibilmente|magari|può darsi",
    unsure=r"non sono (?:\w+ )?(?:sicur[oa]|cert[oa])|non (?:lo )?so|incert[oa]|non è chiaro",
    refuses=(
        r"non (?:lo )?so|non (?:posso|riesco)|non ci sono|non è (?:\w+ )?(?:indicat|specificat|menzionat)\w*|impossibile|mi dispiace|non (?:dice|menziona|indica|specifica)\w*"
    ),
    none_of=r"nessun[ao]? (?:delle|dei|di queste|di questi)(?: (?:precedenti|opzioni|risposte|alternative))*",
    hence=r"quindi|pertanto|dunque|perciò|di conseguenza|in conclusione|in sintesi",
    corrects=r"no|aspetta|anzi|in realtà|correzione|scusa|meglio|piuttosto",
    it_is=r"è|sarebbe|si tratta di|deve essere",
    either=r"o|oppure|ovvero|né",
    both=r"e|ed|nonché",
    breaks=r"ma|perché|mentre|quindi|però|poiché|dato che|bensì",
    whether=r"(?<!-)se(?! trat)|nel caso",
    too=r"anche|pure|neanche|nemmeno",
    because=r"perché|poiché|secondo|in|dato|e|ma|come",
    article=r"il|lo|la|i|gli|le|l'|un[ao]?|un'",
    yes=r"sì",
    no=r"no",
    ordinals=r"prim[oa];second[oa];terz[oa];quart[oa];quint[oa];sest[oa];settim[oa];ottav[oa];non[oa];decim[oa]",
    last=r"ultim[oa]",
    numbers=r"un[oa]?;due;tre;quattro;cinque;sei;sette;otto;nove;dieci",
    ordinal_noun=r"opzione|risposta|alternativa|affermazione|scelta",
    named=r"allegato|sezione|tabella|figura|gruppo|classe|livello|parte|edificio|zona|tipo|serbatoio|pagina|vitamina",
)

PORTUGUESE = ChoiceWords(
    answer=r"resposta|solução|escolha|gabarito|conclusão",
    option=r"opção|alternativa|letra|item|afirmação",
    copula=r"é|são|está|estão|seria|deve ser|deveria ser|corresponde a",
    chooses=r"(?:eu )?(?:escolho|escolheria|seleciono|opto por|optaria por|opto pela|fico com|diria|marco|marcaria)",
    points=r"escolher|escolha|corresponde a|indica",
    remains=r"resta(?: apenas| só)?|sobra(?: apenas| só)?",
    right=r"corret[oa]s?|cert[oa]s?|verdadeir[oa]s?|exat[oa]s?|adequad[oa]s?|válid[oa]s?|corresponde|sim",
    wrong=r"incorret[oa]s?|errad[oa]s?|fals[oa]s?|equivocad[oa]s?|descartad[oa]s?|excluíd[oa]s?|eliminad[oa]s?|inválid[oa]s?|imprová\w+|pouco prová\w+",
    negates=r"não|nunca|nem|nenhum\w*|jamais|tampouco",
    excludes=r"tud?o menos|tod[oa]s menos|descart\w*|elimin\w*|exclu\w*|rejeit\w*|em vez d\w*|ao invés d\w*|em lugar d\w*|ao contrário d\w*|exceto|salvo",
    disbelieves=r"não (?:acho|creio|penso|acredito)|duvido",
    hedges=r"talvez|poderiam?|possivelmente|pode ser|quem sabe|quiçá",
    unsure=r"não (?:tenho|estou) (?:certeza|segur[oa]|cert[oa])|não sei|incert[oa]|não está claro",
    refuses=(
        r"não sei|não (?:posso|consigo)|não há|não (?:menciona|especifica|informa|diz|indica)\w*|não é (?:mencionad|especificad|possível)\w*|impossível|desculpe|informações insuficientes"
    ),
    none_of=r"nenhum[ao]? d(?:as|os|estas|estes)(?: (?:anteriores|opções|alternativas|respostas))*",
    hence=r"portanto|logo|então|assim|por isso|em conclusão|desse modo|dessa forma|em resumo",
    corrects=r"não|espera|espere|aliás|na verdade|correção|desculpe|melhor dizendo|ou melhor|digo",
    it_is=r"é|seria|trata-se de|deve ser",
    either=r"ou|nem",
    both=r"e|bem como",
    breaks=r"mas|porque|enquanto|porém|pois|embora|já que|contudo|portanto",
    whether=r"(?<!-)se(?! trat)|caso",
    too=r"também|tampouco",
    because=r"porque|pois|segundo|conforme|já|devido|e|mas|de acordo|como",
    article=r"o|a|os|as|uma?",
    yes=r"sim",
    no=r"não",
    ordinals=r"primeir[oa]|1[ªº];segund[oa]|2[ªº];terceir[oa]|3[ªº];quart[oa];quint[oa];sext[oa];sétim[oa];oitav[oa];non[oa];décim[oa]",
    last=r"últim[oa]",
    numbers=r"uma?;d(?:ois|uas);três;quatro;cinco;seis;sete;oito;nove;dez",
    ordinal_noun=r"opção|resposta|alternativa|afirmação",
    named=r"anexo|seção|secção|tabela|figura|grupo|classe|nível|parte|edifício|zona|tipo|tanque|página|vitamina",
)

DUTCH = ChoiceWords(
    answer=r"(?:eind)?antwoord|oplossing|keus|conclusie",
    option=r"optie|letter|mogelijkheid|stelling|keuze|antwoordoptie",
    copula=r"is|zijn|luidt|zou zijn|moet zijn|wordt",
    chooses=r"(?:ik|we)(?: \w+)? (?:kies voor|kies|ga voor|neem|selecteer|kiezen voor)",
    points=r"kies|kies voor|komt overeen met|wijst op",
    chosen=r"kiezen|nemen",
    remains=r"blijft(?: alleen)?(?: nog)?",
    right=r"juiste?|goede?|klopt|correcte?|waar|past|ja",
    wrong=r"onjuiste?|foute?|verkeerde?|incorrecte?|valse?|onwaar|uitgesloten|valt af|vallen af|ongeldig|afgevallen|af|onwaarschijnlijke?",
    negates=r"niet|geen|nooit|nee",
    excludes=r"sluit\w*|uitsluit\w*|elimine\w*|in plaats van|anders dan|behalve|verwerp\w*|streep\w*",
    disbelieves=r"(?:denk|geloof) (?:ik )?niet|betwijfel",
    hedges=r"misschien|mogelijk|zou(?: ook)? kunnen|wellicht|kunnen zijn|ofwel|eventueel|kan(?: ook)? zijn|hetzij",
    unsure=r"niet (?:\w+ )?zeker|onzeker|weet (?:\w+ )?(?:\w+ )?niet|onduidelijk|geen idee|twijfel",
    refuses=(
        r"weet (?:\w+ )?(?:\w+ )?niet|niet (?:beantwoord\w*|bepal\w*|zeggen|vermeld|genoemd)|geen (?:\w+ )?informatie|onvoldoende informatie|(?:vermeldt|zegt|zeggen|noemt) (?:\w+ )?(?:\w+ )?niet|het spijt me"
    ),
    none_of=r"geen (?:van|enkele van)(?: (?:de|deze|bovenstaande|opties|antwoorden|genoemde))*",
    hence=r"dus|daarom|derhalve|kortom|samenvattend|concluderend",
    corrects=r"nee|wacht|eigenlijk|correctie|beter gezegd|toch",
    ends=r"is|zijn",
    it_is=r"het is|dat is|is|dat zou|het moet",
    either=r"of|ofwel|noch|dan wel",
    both=r"en|alsmede|evenals",
    breaks=r"maar|omdat|terwijl|dus|doch|hoewel|aangezien|daarom",
    whether=r"of het|of de|indien",
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

RUSSIAN = ChoiceWords(
    script=Script.CYRILLIC,
    answer=r"ответ(?:ом|а)?|решение|вывод|выбор",
    option=r"вариант(?:а|ом|у)?(?: ответа)?(?: под буквой)?|пункт|букв\w+|опци\w+|под буквой",
    copula=r"это|является|будет|есть",
    chooses=r"(?:я |мы )?(?:выбираю|выберу|выбираем|выбрал\w*|выбрать|останавливаюсь на|склоняюсь к)",
    points=r"выбрать|выберите|соответствует|указывает на",
    remains=r"оста[её]тся(?: только)?",
    right=r"правильн\w*|верн(?:ый|ая|ое|ые|о|ым|ой)|верен|верна|подходит|корректн\w*|соответствует|да",
    wrong=r"неправильн\w*|неверн\w*|неверен|ошибочн\w*|ложн\w*|исключ\w*|отпада\w*|некорректн\w*|неподходящ\w*|неправ\w*|маловероятн\w*",
    negates=r"не|ни|нет|нельзя|никогда",
    excludes=r"исключ\w*|отброс\w*|отверг\w*|отбрасыва\w*|вместо|в отличие от|кроме|отмета\w*",
    disbelieves=r"не (?:думаю|считаю|верю)|сомнева\w*",
    hedges=r"может быть|возможно|наверное|мог(?:ло|ла|ут)? бы|может",
    unsure=r"не (?:\w+ )?увер\w*|не знаю|затрудня\w*|сложно сказать|неясно|непонятно|сомнева\w*",
    refuses=r"не знаю|не могу|невозможно|нет (?:\w+ )?информации|недостаточно|не (?:указан|упомина|сказан|говорит)\w*|извините|к сожалению",
    none_of=r"ни один из(?: \w+){0,2}|ничего из(?: \w+){0,2}|ни одного из(?: \w+){0,2}|нет правильного ответа",
    hence=r"поэтому|следовательно|таким образом|итак|значит|отсюда|стало быть",
    corrects=r"нет|стоп|точнее|вернее|на самом деле|постойте|подождите|извините|исправ\w*|да",
    it_is=r"это",
    either=r"или|либо|ни|или же",
    both=r"и|а также",
    breaks=r"и|но|а|потому|поэтому|так как|поскольку|однако|хотя|тогда как|зато",
    whether=r"ли|если",
    too=r"тоже|также",
    because=r"потому|так|поскольку|согласно|по|и|но|а|ведь",
    yes=r"да",
    no=r"нет",
    ordinals=(
        r"перв\w+|1-\w{1,2};втор\w+|2-\w{1,2};треть\w+|третий|3-\w{1,2};четв[её]рт\w+|4-\w{1,2};пят(?:ый|ая|ое|ого|ом|ым|ой);шест(?:ой|ая|ое|ого|ом|ым);седьм\w+;восьм(?:ой|ая|ое)"
        r";девят(?:ый|ая|ое);десят(?:ый|ая|ое)"
    ),
    last=r"последн\w+",
    numbers=r"один;два;три;четыре;пять;шесть;семь;восемь;девять;десять",
    ordinal_noun=r"вариант\w*(?: ответа)?|ответ|пункт|опци\w+|утверждение",
    named=r"приложение|раздел|таблица|рисунок|группа|класс|уровень|часть|здание|зона|тип|резервуар|страница|витамин",
)

TURKISH = ChoiceWords(
    answer=r"cevap|cevab[ıi]\w*|yan[ıi]t\w*|sonuç",
    option=r"seçenek|şık|şıkk[ıi]",
    right=r"do[gğ]ru\w*",
    wrong=r"yanl[ıi]ş\w*|de[gğ]il\w*|hatal[ıi]",
    excludes_after=r"de[gğ]il\w*|yerine|hariç",
    hedges=r"belki|olabilir",
    unsure=r"emin de[gğ]il\w*|bilmiyorum",
    refuses=r"bilmiyorum|bulunmuyor|belirtilmemiş",
    either=r"veya|ya da",
    both=r"ve|ile",
    breaks=r"ama|çünkü|fakat",
)
POLISH = ChoiceWords(
    answer=r"odpowied[źz](?:ią)?|odp|wybór",
    option=r"opcja|wariant",
    copula=r"to|jest|brzmi",
    right=r"poprawn\w*|prawidłow\w*|właściw\w*|prawdziw\w*",
    wrong=r"błędn\w*|nieprawidłow\w*|niepoprawn\w*|fałszyw\w*|niewłaściw\w*",
    negates=r"nie|ani|żaden|żadna",
    hedges=r"być może|możliwe|może|chyba",
    unsure=r"nie wiem|nie jestem pew\w+",
    refuses=r"nie wiem|nie mogę|nie podano",
    either=r"lub|albo|ani",
    both=r"i|oraz",
    breaks=r"ale|lecz|ponieważ|więc",
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
FINNISH = ChoiceWords(
    answer=r"vastaus",
    option=r"vaihtoehto",
    copula=r"on",
    right=r"oikea\w*|oikein",
    wrong=r"väär\w*|virheelli\w*",
    negates=r"ei|eikä|eivät",
    hedges=r"ehkä|saattaa",
    unsure=r"en tiedä|en ole varma",
    refuses=r"en tiedä|en voi",
    either=r"tai",
    both=r"ja",
    breaks=r"mutta|koska",
)
CZECH = ChoiceWords(
    answer=r"odpověď",
    option=r"možnost",
    copula=r"je",
    right=r"správn\w*",
    wrong=r"špatn\w*|nesprávn\w*|chybn\w*",
    negates=r"není|ani|nikoli",
    hedges=r"možná|snad",
    unsure=r"nevím",
    refuses=r"nevím|nelze",
    either=r"nebo|či",
    both=r"a",
    breaks=r"ale|protože",
)
UKRAINIAN = ChoiceWords(
    script=Script.CYRILLIC,
    answer=r"відповідь",
    option=r"варіант",
    copula=r"це|є",
    right=r"правильн\w*|вірн\w*",
    wrong=r"неправильн\w*|невірн\w*|хибн\w*",
    negates=r"не|ні",
    hedges=r"можливо|мабуть",
    unsure=r"не знаю|не впевнен\w*",
    refuses=r"не знаю|не можу",
    either=r"або|чи",
    both=r"і|та|й",
    breaks=r"але|тому",
)
INDONESIAN = ChoiceWords(
    answer=r"jawaban(?:nya)?",
    option=r"pilihan|opsi",
    copula=r"adalah|ialah",
    right=r"benar|tepat",
    wrong=r"salah|keliru",
    negates=r"bukan|tidak",
    hedges=r"mungkin|bisa jadi",
    unsure=r"tidak (?:tahu|yakin)",
    refuses=r"tidak (?:tahu|dapat)",
    either=r"atau",
    both=r"dan",
    breaks=r"tetapi|karena|jadi",
)

WESTERN = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    RUSSIAN,
    TURKISH,
    POLISH,
    SCANDINAVIAN,
    FINNISH,
    CZECH,
    UKRAINIAN,
    INDONESIAN,
)
