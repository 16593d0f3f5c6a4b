"""Answers that give nothing: the examinee does not know, or says that the documents do not say."""

from __future__ import annotations

import re

_SOURCE = (
    r"(?:documents?|documentation|texts?|sources?|passages?|contexts?|materials?|information|excerpts?|content"
    r"|snippets?|corpus"
    r"|knowledge base|data|records?|report|filing|article|page|dokumente?|texte?|quellen?|documentos?|textos?"
    r"|fuentes?)"
)
_SAYS = (
    r"(?:say|state|mention|tell|give|specify|contain|provide|cover|describe|indicate|discuss|explain|list|include"
    r"|address|disclose"
    r"|reveal|answer|detail|clarify|offer|show|present|reference|identify|have|allow|support)"
)
_REFUSAL = re.compile(
    r"\b(?:I|we)(?:'m| am|'re| are)?\s+(?:really |simply |honestly |still |sorry,? (?:but )?(?:I )?)*(?:do not"
    r"|don't|cannot|can't|can not|could not"
    r"|couldn't|am not|'m not|not|are not|have no|have not|haven't|was not|wasn't|were not|unable"
    r"|was unable)\s+(?:to\s+)?(?:really |actually |currently"
    r" |exactly |been )?(?:know|sure|certain|say|tell|recall|remember|find|found|locate|have (?:any |enough "
    r"|sufficient |access|the )?|aware|information"
    r"|idea|knowledge|determine|confirm|answer|able|provide|see|give|identify|help|assist|verify|access)\b"
    r"|\b(?:I'm|I am|we are) (?:unsure|unable|uncertain)\b|\bno (?:idea|clue)\b"
    rf"|\b{_SOURCE}\b(?:\s+[\w'-]+){{0,6}}?\s+(?:do|does|did)(?: not|n't)\s+(?:\w+ ){{0,2}}?{_SAYS}\b"
    rf"|\b{_SOURCE}\b(?:\s+[\w'-]+){{0,4}}?\s+(?:lacks?|is silent|are silent|is insufficient|is not (?:sufficient"
    rf"|enough)|are not sufficient)\b"
    rf"|\b(?:is|are|was|were)(?: not|n't)\s+(?:\w+ ){{0,2}}?(?:mentioned|stated|given|specified|described|covered"
    rf"|discussed|provided|included"
    rf"|disclosed|available|found|explicitly|listed|indicated|addressed|contained|clear from|present"
    rf"|detailed)\b(?! as\b)"
    rf"|\b(?:there (?:is|was|are)|I (?:found|find|see)|we (?:found|find)|provides?|contains?|gives?)\s+(?:no"
    rf"|not any|not enough|insufficient)\s+(?:\w+ ){{0,2}}?(?:information|mention|details?|data"
    rf"|indication|answer|reference|record|evidence|way to (?:know|tell))\b"
    r"|\bno (?:relevant |specific |such )?(?:information|mention|details?|data|answer) (?:about|on|of|is|was|are"
    r"|found|available|provided|in|regarding|for)\b"
    r"|\b(?:insufficient|not enough) (?:information|context|data|evidence)\b|\b(?:not|cannot be"
    r"|can't be) (?:answered|determined)\b|\bunknown to me\b"
    r"|^\W*(?:this is |it is |that is )?not (?:stated|given|specified|mentioned|provided|found|available) (?:in|by"
    r"|anywhere)\b"
    r"|^\W*(?:unknown|n/?a|not (?:available|applicable|provided|specified|stated|mentioned|known|found|given)"
    r"|unanswerable|no answer|none found|idk)\W*$"
    r"|\b(?:ich weiß (?:es |das )?nicht|(?:das )?weiß ich (?:leider )?nicht|keine ahnung"
    r"|keine (?:angaben?|informationen?)|nicht (?:erwähnt|angegeben|genannt|bekannt)"
    r"|kann (?:ich )?(?:nicht|keine)\b.{0,30}\b(?:beantworten|sagen|finden)"
    r"|je ne sais pas|aucune information|n'est pas (?:mentionné|indiqué|précisé)|ne (?:mentionne|précise|contient"
    r"|dit|fournit)\w* pas"
    r"|no (?:lo )?sé\b|no se (?:menciona|indica|especifica)|no hay información|no (?:menciona|contiene|especifica"
    r"|proporciona)\w*)",
    re.IGNORECASE,
)
_NOT_STATED = re.compile(
    rf"^\W*(?:(?:the |these |those |our )?(?:provided |given )?{_SOURCE}\b.{{0,40}}\b(?:not|n't|nicht|pas)\b"
    rf"|(?:this|that|it) is not (?:stated|given|mentioned)|(?:not|nicht) (?:stated|angegeben))",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_COURTESY = re.compile(
    r"^\W*(?:sorry|I apologi[sz]e|thank you|unfortunately|based on|sure|certainly)[^.!?]{0,60}[.!?]?$", re.IGNORECASE
)


def refuses(answer: str) -> bool:
    """Tell whether an answer begins by owning up to not knowing; one that first answers and then regrets does not."""
    sentences = [each for each in _SENTENCE.split(answer.strip()) if re.search(r"\w", each)]
    opening = [each for each in sentences if not _COURTESY.match(each)][:1] or sentences[:1]
    return any(_REFUSAL.search(each) for each in opening)


def says_not_stated(reference: str) -> bool:
    """Tell whether the right answer is that the documents do not say it."""
    return bool(_NOT_STATED.match(reference.strip()))
