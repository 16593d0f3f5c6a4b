"""Contrasts of which one side excludes the other: what a plain claim says of one of them is not so of the other.

A line is one contrast: its sides, and after a bar the condition that a sentence must meet for the exchange to
contradict it. The sides are of like weight: neither says by itself that it is the wrong one. Read strictly on three
corpora, contrasts such as "internal / external" or "before / after" without a condition were right in one of two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENS = (
    r"^(?:The |An? )?{side}"
    r" (?:(?:is|are) (?!(?:commonly |often |usually )?(?:caused|associated|studied|used|treated|common|becoming))"
    r"|(?:has|have) (?!been)"
    r"|(?:lasts?|refers?|occurs?|includes?|starts?|uses?|works?|operates?|involves?|means?|describes?)\b)"
)
_CONDITIONS = {
    "than": r"{side} (?!than)[^,;]*(?<!more )(?<!less )(?<!other )(?<!rather )\bthan\b",
    "inheritance": r"{side} (?:way|pattern|manner|mutation|disorder|trait|disease|inheritance|gene)\b",
    "factor": r"^{side} authentication is",
    "outright": r"{side}(?! [^,;]* to )",
    "flaw": r"\b(?:sends|includes|executes|passes|trusts|processes) {side}",
    "correlation": r"^{side} ",
    "be": r"\b(?:is|are) (?:usually |generally |typically )?{side}",
    "opens": _OPENS,
    "called": r"\bcalled (?:an? |the )?{side}",
    "opens or called": rf"{_OPENS}|\bcalled (?:an? |the )?{{side}}",
    "opens or located": rf"{_OPENS}|\blocated (?:in|within) (?:an area of )?the {{side}}",
    "opens or be": rf"{_OPENS}|\b(?:is|are) an? {{side}}",
    # two groups may both be affected, but not both more than the other
    "mainly": r"(?:mostly|mainly|primarily|predominantly|usually|typically|exclusively|common in|common among|most)"
    r" (?:affects? |occurs? in |seen in )?{side}",
    # beside "over 6 to 8 years" either is a matter of taste
    "grows": r"^(?!.*\d).*(?:\b(?:progress|grow|worsen|spread|advance)\w* {side}"
    r"|{side} (?:progressive|progressing|growing))",
    "sets in": r"\b(?:begin|develop|appear|start|occur|worsen|progress)s? (?:very )?{side}",
    "onset": r"\b(?:begins?|appears?|starts?|onset|diagnosed|develops?)\b[^,;]* {side}",
    "cause": r"{side} (?:causes?|are the (?:most common|main) cause)\b|\bcaused by (?:the )?{side}",
    "of": r"(?:characterized by|caused by|results? from|due to|is|are|involves?|from|with) {side}",
    "of or through": r"(?:through|in the|rectal|into the) {side}",
    "lining": r"{side} (?:lining|layer|ear)\b",
    "movements": r"{side} (?:movements?|muscles?|control|movement)\b|\bis {side}",
    "place": r"\b(?:located|form|forms|exit)\b[^,;]* {side} (?:of )",
    "not wanted": r"(?<!to ){side}(?! (?:the )?(?:impact|incidents|irritation|understanding|suggestibility)"
    r"| in height| at a rapid)",
    "of what": r"{side} (?:levels?|release|activity|energy|blood|amounts?|production|copper|pressure)\b",
    "no group": r"^(?!People|Individuals|Patients|Persons|Those).*{side}",
    "not too": r"{side}(?! too)",
    "in blood": r"^(?!.*\b(?:urine|urinalysis|presence)\b).*{side}",
    "lasts": r"^(?!.*\b(?:than|least|most|up to|within)\b).*\b(?:lasts?|takes?|appears?|develops?|occurs?)\b"
    r"[^,;.]{{0,20}}\b(?:\d+|two|three|four|five|six) {side}",
}
_LINES = """
more / less | than
higher / lower | than
greater / smaller | than
larger / smaller | than
longer / shorter | than
older / younger | than
faster / slower | than
earlier / later | than
stronger / weaker | than
thicker / thinner | than
more common / less common | be
more likely / less likely | than
more than half / less than half
a lack of / an excess of | of
a deficiency of / an excess of | of
a shortage of / an excess of | of
overproduction / underproduction
high levels of / low levels of
higher levels / lower levels
higher rates / lower rates
high rates / low rates
high concentrations / low concentrations
large amounts / small amounts | of
hyperglycemia / hypoglycemia | opens or called
hyperthyroidism / hypothyroidism | opens or called
hyperkalemia / hypokalemia | opens or called
increases / decreases | not wanted
increase / decrease | not wanted
increased / decreased | of what
rises / falls | not too
autosomal dominant / autosomal recessive | inheritance
is an inherited / is an acquired
is a hereditary / is an acquired
are inherited / are acquired
noncancerous / cancerous | be
benign / malignant | be
is a benign / is a malignant
is a chronic / is an acute
reversible / irreversible | be
voluntary / involuntary | movements
symmetric / asymmetric | opens or be
rapidly / slowly | grows
gradually / suddenly | sets in
in infancy / in adulthood | onset
in childhood / in adulthood | onset
during childhood / during adulthood | onset
in early childhood / in late adulthood | onset
in middle age / in childhood | onset
women / men | mainly
females / males | mainly
girls / boys | mainly
central nervous system / peripheral nervous system | no group
upper motor neurons / lower motor neurons
motor neurons / sensory neurons | opens
white blood cells / red blood cells | in blood
bacteria / viruses | cause
arteries / veins | of or through
small intestine / large intestine
inner / outer | lining
the back / the front | place
narrowing / widening
stimulates / inhibits | outright
constricts / dilates
positive reinforcement / negative reinforcement
positive punishment / negative punishment
classical conditioning / operant conditioning
assimilation / accommodation | opens
short-term memory / long-term memory | opens
implicit memory / explicit memory | opens
sympathetic nervous system / parasympathetic nervous system
retrograde amnesia / anterograde amnesia | opens
proactive interference / retroactive interference | opens
sensation / perception | opens
the manifest content / the latent content
unconditioned stimulus / conditioned stimulus | called
unconditioned response / conditioned response | called
crystallized intelligence / fluid intelligence | opens
convergent thinking / divergent thinking | opens
rods / cones | opens
semantic memory / episodic memory / procedural memory | opens
rem sleep / nrem sleep | opens
a positive correlation / a negative correlation | correlation
intrinsic motivation / extrinsic motivation | opens
internal factor / external factor | opens
independent variable / dependent variable | opens
genotype / phenotype | opens
excitatory / inhibitory
left hemisphere / right hemisphere
authoritarian style / permissive style / authoritative style
fixed ratio schedule / variable ratio schedule / fixed interval schedule | opens
trusted data / untrusted data | flaw
encryption / hashing | opens
allowlist validation / denylist validation | opens
knowledge-based / possession-based / inherence-based | factor
confidentiality / integrity / availability | opens
case-sensitive / case-insensitive | be
enabled by default / disabled by default
is vulnerable to / is immune to
are vulnerable to / are immune to
plaintext / ciphertext | opens or be
stored xss / reflected xss | opens
bottom-up processing / top-down processing | opens
inductive reasoning / deductive reasoning
anorexia nervosa / bulimia nervosa | opens
occipital lobe / parietal lobe / temporal lobe / frontal lobe | opens or located
agonists / antagonists | opens or be
agonist / antagonist | opens or be
stimulants / depressants | opens
dendrites / axons | opens
hypothalamus / hippocampus / amygdala / thalamus | opens or located
quantitative research / qualitative research | opens
individualistic cultures / collectivistic cultures
authoritative parents / authoritarian parents
external locus / internal locus
symmetric encryption / asymmetric encryption
on the client side / on the server side
client-side / server-side | be
stateless / stateful | be
mutable / immutable | be
synchronous / asynchronous | be
its private key / its public key
statically / dynamically
seconds / minutes | lasts
minutes / hours | lasts
hours / days | lasts
days / weeks | lasts
weeks / months | lasts
"""


@dataclass(frozen=True)
class Contrast:
    """`sides` exclude one another where `found` finds one of them, group "side", and nothing else names another."""

    sides: tuple[str, ...]
    found: re.Pattern[str]

    @property
    def name(self) -> str:
        """'benign / malignant'"""
        return " / ".join(self.sides)


def _read(line: str) -> Contrast:
    words, _, condition = line.partition(" | ")
    sides = tuple(words.split(" / "))
    side = rf"(?<![\w-])(?:{'|'.join(map(re.escape, sides))})(?![\w-])"
    return Contrast(sides, re.compile(_CONDITIONS.get(condition, "{side}").format(side=side), re.IGNORECASE))


CONTRASTS = tuple(dict.fromkeys(_read(line) for line in _LINES.strip().splitlines()))
