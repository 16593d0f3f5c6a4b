"""What people and models say around the option they choose, in Romance languages."""

from __future__ import annotations

from viva.metrics.text.choices.language import ChoiceWords

FRENCH = ChoiceWords(
    answer=r"réponse|solution|conclusion|rép",
    option=r"option|lettre|proposition|choix|alternative|affirmation",
    copula=r"est donc|est|sont|serait|était|doit être|semble être|devrait être|c'est",
    chooses=(
        r"(?:je|j')(?: \w+)? ?(?:choisis|choisirais|choisi|sélectionne|prends|dirais|retiens|opte pour|"
        r"opterais pour|vote pour|penche pour)"
    ),
    points=r"choisir|choisissez|correspond à|indique",
    remains=r"(?:il )?(?:ne )?reste(?: que)?",
    right=(
        r"ma réponse|mon choix|correcte?s?|justes?|exacte?s?|bonnes?|bon|vraie?s?|valable|convient|correspond|oui"
    ),
    wrong=(
        r"fau(?:x|sse)s?|incorrecte?s?|erronée?s?|exclue?s?|éliminée?s?|inexacte?s?|écartée?s?|à écarter|"
        r"mauvaise?s?|contredi\w*|invalides?|improbables?|peu probables?"
    ),
    negates=r"pas|jamais|aucune?|ni|nullement|non",
    excludes=(
        r"exclu\w*|élimin\w*|écart\w*|rejet\w*|au lieu d(?:e|')|plutôt qu(?:e|')|contrairement (?:à|au|aux)|sauf|"
        r"à l'exception d\w*|à la place d\w*"
    ),
    disbelieves=r"(?:pense|crois) pas|je doute",
    thinks=r"je (?:pense|crois|dirais)(?: que)?",
    hedges=r"peut-être|pourrai(?:t|ent)|possiblement|éventuellement|soit|il se peut|il est possible",
    unsure=r"pas (?:\w+ )?(?:sûre?|certaine?|clair)|incertaine?|sais pas|j'hésite",
    refuses=(
        r"(?:sais|peux|puis) pas|pas (?:assez|suffisamment) d|aucune information|impossible de|"
        r"(?:dit|disent|mentionne\w*|précise\w*|indique\w*) pas|pas (?:mentionnée?|précisée?|indiquée?)|désolée?"
    ),
    none_of=r"aucune? (?:de ces|des|de cette|d'entre)(?: (?:réponses|options|propositions|choix|ci-dessus))*",
    hence=r"donc|ainsi|par conséquent|en conclusion|c'est pourquoi|en somme|finalement|en résumé|alors",
    corrects=r"non|attendez|attends|en fait|plutôt|correction|pardon|en réalité|excusez-moi",
    it_is=r"c'est|ce serait|il s'agit d(?:e|u)|est|ce doit être",
    either=r"ou|ou bien|sinon|soit|ni",
    both=r"et|ainsi que",
    breaks=r"et|mais|parce|puisque|donc|tandis|cependant|alors que",
    whether=r"si(?! tratta)|s'il|au cas où|à moins que",
    too=r"aussi|également|non plus",
    because=r"car|parce|puisque|selon|d'après|en|et|mais|comme",
    article=r"le|la|les|l'|une?|du|des",
    yes=r"oui",
    no=r"non",
    ordinals=(
        r"première?|1re|1ère|1er;deuxième|seconde?|2e|2ème;troisième|3e|3ème;quatrième|4e|4ème;cinquième;sixième;"
        r"septième;huitième;neuvième;dixième"
    ),
    last=r"dernière?",
    numbers=r"une?;deux;trois;quatre;cinq;six;sept;huit;neuf;dix",
    ordinal_noun=r"option|réponse|proposition|choix|alternative|affirmation",
    named=r"annexe|section|tableau|figure|groupe|classe|niveau|partie|bâtiment|zone|type|cuve|page|vitamine",
)

SPANISH = ChoiceWords(
    answer=r"respuesta|solución|elección|conclusión|contestación",
    option=r"opción|alternativa|letra|inciso|literal|apartado|afirmación",
    copula=r"es|son|sea|está|están|sería|debe ser|debería ser|era|corresponde a",
    chooses=(
        r"(?:yo |me )?(?:elijo|elegiría|elegimos|escojo|escogería|selecciono|seleccionaría|opto por|"
        r"optaría por|quedo con|quedaría con|diría|marco|marcaría)"
    ),
    points=r"elegir|elige|corresponde a|coincide con|apunta a|indica",
    remains=r"queda(?: solo| sólo| únicamente)?|resta",
    right=(
        r"correct[oa]s?|ciert[oa]s?|verdader[oa]s?|acertad[oa]s?|adecuad[oa]s?|exact[oa]s?|válid[oa]s?|coincide|"
        r"corresponde|sí"
    ),
    wrong=(
        r"incorrect[oa]s?|fals[oa]s?|erróne[oa]s?|equivocad[oa]s?|descartad[oa]s?|se descartan?|inválid[oa]s?|mal|"
        r"excluid[oa]s?|eliminad[oa]s?|inexact[oa]s?|improbables?|poco probables?"
    ),
    negates=r"nunca|tampoco|ni|ningun[oa]?|jamás",
    negates_before=r"no",
    excludes=(
        r"tod[oa]s? menos|descart\w*|elimin\w*|exclu\w*|rechaz\w*|en lugar de|en vez de|a diferencia de|salvo|"
        r"excepto"
    ),
    disbelieves=r"no (?:creo|pienso)|dudo",
    thinks=r"(?:creo|pienso|considero)(?: que)?",
    hedges=r"quizás?|tal vez|podrían?|posiblemente|puede que|puede ser|acaso|a lo mejor|o bien",
    unsure=r"no (?:estoy |es )?(?:\w+ )?segur[oa]|no sé|no está claro|desconozco|dudo entre",
    refuses=(
        r"no (?:lo )?sé|no puedo|no hay|no se (?:menciona|indica|especifica|dice)|"
        r"no (?:menciona|indica|especifica|dice|proporciona)n?|imposible (?:de )?(?:responder|determinar)|"
        r"desconozco|lo siento|información insuficiente"
    ),
    none_of=r"ningun[oa] de (?:las|los|estas|estos)(?: (?:anteriores|opciones|respuestas|alternativas))*",
    hence=r"por lo tanto|por tanto|así que|entonces|en conclusión|en consecuencia|por ende|en resumen|por eso",
    corrects=r"no|espera|espere|perdón|en realidad|corrección|mejor dicho|más bien|digo",
    it_is=r"es|sería|eso es|se trata de|debe ser",
    either=r"o|u|o bien|ni",
    both=r"y|e|así como",
    breaks=r"y|pero|sino|porque|aunque|mientras|pues|ya que|por lo tanto",
    whether=r"si(?! tratta)|en caso de que|a menos que|salvo que",
    too=r"también|tampoco",
    because=r"porque|pues|ya que|según|debido|dado|puesto|y|pero|como",
    article=r"el|la|los|las|una?|lo",
    yes=r"sí",
    no=r"no",
    ordinals=(
        r"primer[oa]?|1[ªº];segund[oa]|2[ªº];tercer[oa]?|3[ªº];cuart[oa];quint[oa];sext[oa];séptim[oa];octav[oa];"
        r"noven[oa];décim[oa]"
    ),
    last=r"últim[oa]",
    numbers=r"un[oa]?;dos;tres;cuatro;cinco;seis;siete;ocho;nueve;diez",
    ordinal_noun=r"opción|respuesta|alternativa|afirmación",
    named=r"anexo|sección|tabla|figura|grupo|clase|nivel|parte|edificio|zona|tipo|tanque|página|vitamina",
)

ITALIAN = ChoiceWords(
    answer=r"risposta|soluzione|scelta|conclusione",
    option=r"opzione|alternativa|lettera|affermazione|voce",
    copula=r"è|e'|sono|sia|sarebbe|deve essere|dovrebbe essere|corrisponde a",
    chooses=r"(?:io )?(?:scelgo|sceglierei|seleziono|opto per|opterei per|direi|prendo)",
    points=r"scegliere|scegli|corrisponde a|indica",
    remains=r"rimane(?: solo)?|resta(?: solo)?",
    right=(
        r"la mia (?:risposta|scelta)|corrett[oaie]|giust[oaie]|esatt[oaie]|ver[oaie]|valid[oa]|corrisponde|"
        r"adatt[oa]|sì"
    ),
    wrong=(
        r"sbagliat[oaie]|errat[oaie]|scorrett[oaie]|incorrett[oaie]|fals[oaie]|esclus[oaie]|scartat[oaie]|"
        r"inesatt[oaie]|da (?:escludere|scartare)|eliminat[oaie]|improbabil[ei]|poco probabil[ei]"
    ),
    negates=r"non|nessun\w*|né|neanche|nemmeno|neppure",
    negates_before=r"no",
    excludes=r"esclud\w*|elimin\w*|scart\w*|invece d\w*|anziché|al posto d\w*|a differenza d\w*|tranne|eccetto",
    disbelieves=r"non (?:credo|penso)|dubito",
    thinks=r"(?:penso|credo|ritengo)(?: che)?",
    hedges=r"forse|potrebbe\w*|possibilmente|magari|può darsi",
    unsure=r"non sono (?:\w+ )?(?:sicur[oa]|cert[oa])|non (?:lo )?so|incert[oa]|non è chiaro",
    refuses=(
        r"non (?:lo )?so|non (?:posso|riesco)|non ci sono|non è (?:\w+ )?(?:indicat|specificat|menzionat)\w*|"
        r"impossibile|mi dispiace|non (?:dice|menziona|indica|specifica)\w*"
    ),
    none_of=r"nessun[ao]? (?:delle|dei|di queste|di questi)(?: (?:precedenti|opzioni|risposte|alternative))*",
    hence=r"quindi|pertanto|dunque|perciò|di conseguenza|in conclusione|in sintesi",
    corrects=r"no|aspetta|anzi|in realtà|correzione|scusa|meglio|piuttosto",
    it_is=r"è|sarebbe|si tratta di|deve essere",
    either=r"o|oppure|ovvero|né",
    both=r"e|ed|nonché",
    breaks=r"ma|perché|mentre|quindi|però|poiché|dato che|bensì",
    whether=r"(?<!-)se(?! trat)|nel caso|a meno che",
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
    copula=r"é|são|seja|está|estão|seria|deve ser|deveria ser|corresponde a",
    chooses=r"(?:eu )?(?:escolho|escolheria|seleciono|opto por|optaria por|opto pela|fico com|diria|marco|marcaria)",
    points=r"escolher|escolha|corresponde a|indica",
    remains=r"resta(?: apenas| só)?|sobra(?: apenas| só)?",
    right=(
        r"minha (?:resposta|escolha)|corret[oa]s?|cert[oa]s?|verdadeir[oa]s?|exat[oa]s?|adequad[oa]s?|válid[oa]s?|"
        r"corresponde|sim"
    ),
    wrong=(
        r"incorret[oa]s?|errad[oa]s?|fals[oa]s?|equivocad[oa]s?|descartad[oa]s?|excluíd[oa]s?|eliminad[oa]s?|"
        r"inválid[oa]s?|imprová\w+|pouco prová\w+"
    ),
    negates=r"não|nunca|nem|nenhum\w*|jamais|tampouco",
    excludes=(
        r"tud?o menos|tod[oa]s menos|descart\w*|elimin\w*|exclu\w*|rejeit\w*|em vez d\w*|ao invés d\w*|"
        r"em lugar d\w*|ao contrário d\w*|exceto|salvo"
    ),
    disbelieves=r"não (?:acho|creio|penso|acredito)|duvido",
    thinks=r"(?:acho|penso|creio|acredito)(?: que)?",
    hedges=r"talvez|poderiam?|possivelmente|pode ser|quem sabe|quiçá",
    unsure=r"não (?:tenho|estou) (?:certeza|segur[oa]|cert[oa])|não sei|incert[oa]|não está claro",
    refuses=(
        r"não sei|não (?:posso|consigo)|não há|não (?:menciona|especifica|informa|diz|indica)\w*|"
        r"não é (?:mencionad|especificad|possível)\w*|impossível|desculpe|informações insuficientes"
    ),
    none_of=r"nenhum[ao]? d(?:as|os|estas|estes)(?: (?:anteriores|opções|alternativas|respostas))*",
    hence=r"portanto|logo|então|assim|por isso|em conclusão|desse modo|dessa forma|em resumo",
    corrects=r"não|espera|espere|aliás|na verdade|correção|desculpe|melhor dizendo|ou melhor|digo",
    it_is=r"é|seria|trata-se de|deve ser",
    either=r"ou|nem",
    both=r"e|bem como",
    breaks=r"mas|porque|enquanto|porém|pois|embora|já que|contudo|portanto",
    whether=r"(?<!-)se(?! trat)|caso|a menos que",
    too=r"também|tampouco",
    because=r"porque|pois|segundo|conforme|já|devido|e|mas|de acordo|como",
    article=r"o|a|os|as|uma?",
    yes=r"sim",
    no=r"não",
    ordinals=(
        r"primeir[oa]|1[ªº];segund[oa]|2[ªº];terceir[oa]|3[ªº];quart[oa];quint[oa];sext[oa];sétim[oa];oitav[oa];"
        r"non[oa];décim[oa]"
    ),
    last=r"últim[oa]",
    numbers=r"uma?;d(?:ois|uas);três;quatro;cinco;seis;sete;oito;nove;dez",
    ordinal_noun=r"opção|resposta|alternativa|afirmação",
    named=r"anexo|seção|secção|tabela|figura|grupo|classe|nível|parte|edifício|zona|tipo|tanque|página|vitamina",
)

ROMANCE = (FRENCH, SPANISH, ITALIAN, PORTUGUESE)
