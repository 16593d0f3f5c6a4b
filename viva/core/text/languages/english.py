"""English."""

from __future__ import annotations

from viva.core.records import BloomLevel, QuestionWord
from viva.core.text.languages.phrases import Phrases, number_words, pattern, words

_TEXT = r"(?:documents?|texts?|sections?|chapters?|pages?|articles?|paragraphs?|tables?|figures?|authors?|writers?)"
_SAYS = (
    r"(?:says?|states?|gives?|describes?|mentions?|lists?|explains?|defines?|recommends?|suggests?|refers?|provides?"
    r"|claims?|argues?|notes?)"
)
_AUX = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn't|aren't"
    r"|wasn't|weren't|doesn't|don't|didn't|can't|couldn't|won't|wouldn't)"
)
_WH = r"(?:what|which|who|whom|whose|when|where|why|how)"
# what stands between question word and verb is asked for ("which year did it"), and so says of nothing what it is
_ASKED = rf"(?:(?:in|at|on|by|for|from|to|of|with|under|during|since|until) )?{_WH}(?: (?!{_AUX}\b)[\w-]+){{0,3}}"
_BE = r"(?:is|was|are|were|isn't|wasn't)"
_DO = r"(?:do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|doesn't|didn't|can't|won't)"
# "it" that stands for nothing: "how long does it take to", "why is it that", "what does it mean to"
_NOTHING_BE = r"(?![^?]*\b(?:to|that|for|if|when|like|called|who|which|because|certain|clear|likely|true|\w+ing)\b)"
_NOTHING_DO = (
    r"(?! (?:take|cost|matter|mean|help|require|make|feel|become|be|seem|happen|follow|rain|snow|hurt)\b(?!\?))"
)
_POINTED_AT = (
    r"(?:mean|do|work|happen|help|matter|change|affect|cause|make|occur|differ|imply|suggest|show|important|possible"
    r"|necessary|useful|called|used|done|so|true|good|bad|a|an|the|in|to|for)"
)

_NAMED = rf"(?!{_AUX}\b|(?:the|an?|it|he|she|they|we|you|this|that|one)\b)[\w-]+"
# a question within the question is no second one: "which rule says what a pilot must do and how"
_NOT_WITHIN = (
    rf"^(?![^?]*\b(?:say|show|describe|define|know|explain|state|decide|determine|control|tell|specify|govern|list"
    rf"|indicate|establish|understand)(?:s|d|ed)? {_WH}\b|[^?]*\b(?:between|of|about|on|both|specifies) {_WH}\b).*?"
)
# a task is set by an imperative, polite or not
_TASK = r"(?:^|[.;:?] )(?:(?:please|would you|could you|can you) )?"

ENGLISH = Phrases(
    document=pattern(
        rf"\baccording to (?:the|this) (?:\w+ )?(?:{_TEXT}|passage|information|material|context|source)\b(?! code)",
        r"\b(?:the|this|given|provided) (?:passage|excerpt|snippet)\b(?! (?:of|through|between|to|from|plan|time))",
        r"\b(?:the|this|given|provided) context\b(?=[?,]| (?:provided|given|above))",
        rf"\b(?:this|given|provided) {_TEXT}\b",
        rf"\b(?:in|by|from) the {_TEXT}\b(?=[?,])",
        r"\b(?:in|from|of) the (?:following|preceding|previous) (?:passage|excerpt|paragraph|text|section|chapter)\b",
        rf"\bthe {_TEXT} (?:above|below|{_SAYS})\b(?! (?:field|name|of)\b)",
        r"\b(?:does|do|did|has|is|would) the (?:authors?|writers?|passage|excerpt|article"
        rf"|text) (?:\w+ )?{_SAYS[:-1]}"
        r"|think|believe|mean|say|state|stated|mentioned)\b",
        r"\b(?:is|are|was|were|as) (?:mentioned|stated|described|outlined|discussed)(?=[?,]| in the )",
    ),
    options=pattern(
        r"\bof (?:the following|these (?:options|answers|statements|choices))\b",
        r"\bthe following\?",
        r"\bwhich (?:option|answer|choice|statement)s? (?:below|is correct|is true|is false|are correct|are true)\b",
    ),
    # NOT NULL and the NOT operator are subjects like any other
    negative=pattern(
        r"\bNOT\b(?! [A-Z]{2}| operator| gate)",
        r"\b[Ee](?:xcept|XCEPT) (?:for )?(?:which|what|who|one)\b|\bEXCEPT\b(?=[:?]| for\b)",
        r"\bis (?:false|incorrect|untrue)\?",
        case=True,
    ),
    pronoun=pattern(
        rf"^(?:{_ASKED} )?{_BE} it\b{_NOTHING_BE}",
        rf"^(?:{_ASKED} )?{_DO} it\b{_NOTHING_DO}",
        rf"^(?:{_ASKED} )?{_AUX} (?:they|he|she)\b(?! say\b)",
        rf"^(?:{_ASKED} )?{_AUX} (?:this|that|these|those)(?:\?| {_POINTED_AT}\b)",
        rf"^{_ASKED} {_AUX} (?:its|their|his|her) ",
        r"^what happens (?:if|when|after|before) (?:they|he|she|it)\b(?! (?:rain|snow|is|get))",
    ),
    two_things=pattern(
        # "and why does": turned round as a question of its own is
        rf"{_NOT_WITHIN}\b{_WH}\b[^?]*?\b((?:and|or|but) (?:(?:in|at|on|by|for|from|to|of|with) )?(?:(?:why|when"
        r"|where|whom?|how)|(?:what|which|how (?:many|much|long|often|far"
        rf"|old))(?: {_NAMED}){{0,3}}) {_AUX} [^?]+)\?$",
        rf"{_NOT_WITHIN}(?:{_WH}|{_AUX})\b[^?]*\b((?:and|or) (?:why|how|when|where))\?$",
        rf"^(?:who|what|when|where|why|how),? ((?:and|or) (?:for |by |to )?{_WH})\b",
        rf"\? ((?:and )?(?:{_WH}|{_AUX})\b[^?]*\?)$",
    ),
    catch_all=pattern(
        r"\b(?:all|none|any|both|neither|either|each) of (?:the|these|them|those)(?: (?:above|below|following|other)"
        r"(?: \w+)?| (?:options|answers|choices|statements|alternatives|responses))?[.!]?$",
        r"\b(?:all|none|any|both|neither|either) (?:of )?the above\b",
        r"^(?:(?:both|neither|either|only|options?|answers?) )?\(?[a-f]\)?,? (?:and|or|nor|&) (?:\(?[a-f]\)?)$",
        r"^(?:all|none) (?:are|is) (?:correct|true|right|wrong|false)\b|^all of it$",
    ),
    absolute=pattern(
        r"\b(?:always|never|invariably|under (?:all|no) circumstances|in (?:all|every) cases?|without exception)\b"
    ),
    sweeping=pattern(
        r"\b(?:always|never|all|every|everyone|everything|only|none|no one|nobody|nothing|any|completely|entirely"
        r"|totally|must|cannot|impossible)\b"
    ),
    openings=(
        ("“to” and a verb", pattern(r"^(?:in order )?to (?!the\b|a\b|an\b|\d)[a-z]+")),
        ("“by”", pattern(r"^by (?:means of|\w+ing)\b")),
        ("“because”", pattern(r"^because\b")),
        (
            "“-ing”",
            pattern(
                r"^[a-z]{2,}ing (?:the|a|an|to|on|in|into|with|for|of|at|from|by|its|their|his|her|your|one's|as) "
            ),
        ),
        # "working memory" and "checking accounts": a noun or a verb, who can tell
        ("", pattern(r"^[a-z]{2,}ing\b")),
        ("“a” or “an”", pattern(r"^an? ")),
        ("“the”", pattern(r"^the ")),
        ("“if” or “when”", pattern(r"^(?:if|when|whenever|unless) ")),
    ),
    negators=words("not no never without cannot n't non nor neither"),
    function_words=words(
        "a an the and or but nor of in on at by to for from with without into onto over under up down out off as than"
        " that this these those it its they them their he him his she her we us our you your i my me who whom whose"
        " which what when where why how is are was were be been being am do does did done has have had having can"
        " could will would shall should may might must not no if then else so such there here about after before"
        " between during through while also only just very more most other another any each every some one"
    ),
    relations=words(
        "before after above below over under up down during between"
        " outside inside without more less fewer first last not no never"
    ),
    articles=words("a an the"),
    twice=words("had that is do her you in on for to at by with"),
    endings=("ing", "ies", "ed", "es", "'s", "s", "e", "y"),
    question_words={
        QuestionWord.HOW: pattern(r"\bhow\b"),
        QuestionWord.WHICH: pattern(r"\bwhich\b"),
        QuestionWord.WHAT: pattern(r"\bwhat(?:'s)?\b"),
        QuestionWord.WHEN: pattern(r"\bwhen\b"),
        QuestionWord.WHERE: pattern(r"\bwhere\b"),
        QuestionWord.WHY: pattern(r"\bwhy\b"),
        QuestionWord.WHO: pattern(r"\bwho(?:m|se|'s)?\b"),
    },
    yes_no=pattern(rf"^{_AUX}\b"),
    bloom={
        BloomLevel.UNDERSTAND: pattern(
            r"\bwhy\b|\bhow (?:come|(?:is|are|was|were|do|does|did|has|have|had|can|could|will)\b(?! (?:you|one|we"
            r"|i)\b))",
            r"\bdifference between\b|\b(?:differ|compare)s? (?:from|to|with)\b|\bhow (?:do|does|did) [^?]* differ\b",
            r"\bwhat (?:happens|is the (?:purpose|meaning|reason|point|idea|effect|consequence|result))\b"
            r"|\bmain idea\b",
            r"\bwhat (?:can|may) be (?:inferred|concluded|expected)\b|\bwhat (?:causes|leads to|explains)\b",
            rf"{_TASK}(?:explain|describe|summari[sz]e|classify|illustrate|interpret|infer|compare|contrast"
            r"|paraphrase|exemplify|clarify|discuss|predict|conclude|generali[sz]e|translate)\b",
        ),
        BloomLevel.APPLY: pattern(
            r"\bhow (?:would|should|must|can|could|do|does) (?:you|one|we|i)\b",
            r"\bwhat (?:should|must|would|has to|have to)\b[^?]* (?:do|use|choose|check|change|run|set|try)\b",
            r"\b(?:should|must) (?:be )?(?:used?|done|do|chosen?|choose|called|set|run)\b",
            rf"{_TASK}(?:apply|calculate|compute|solve|use|implement|execute|carry out|demonstrate|convert|determine"
            r"|show|complete|operate|perform)\b",
        ),
        BloomLevel.ANALYZE: pattern(
            r"\bdifference between\b|\bhow (?:do|does|did) [^?]* differ\b|\b(?:is|are|describe"
            r"|explain) the (?:relationship|connection) between\b",
            r"\bwhy\b[^?]*\b(?:rather than|instead of)\b|\bhow (?:is|are) [^?]* related\b",
            rf"{_TASK}(?:analy[sz]e|differentiate|distinguish|compare|contrast|organi[sz]e|attribute|deconstruct"
            r"|outline|discriminate|examine|categori[sz]e)\b",
        ),
        BloomLevel.EVALUATE: pattern(
            r"\b(?:most|least|best) (?:appropriate|suitable|suited|effective|choice|way|practice)\b",
            r"\b(?:is|are|would be) (?:better|preferable|worth)\b",
            rf"{_TASK}(?:evaluate|judge|justify|assess|critique|critici[sz]e|recommend|argue|defend|rate|weigh"
            rf"|appraise)\b",
        ),
        BloomLevel.CREATE: pattern(
            rf"{_TASK}(?:create|design|plan|produce|construct|formulate|hypothesi[sz]e|compose|devise|propose|invent"
            r"|develop|write|generate|build)\b"
        ),
    },
    numbers=number_words(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty"
    ),
)
