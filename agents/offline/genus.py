"""Sorts of things, by the noun a definition opens with: only terms of one sort can stand beside one another."""

from __future__ import annotations

HAPPENING = "happening"
"""The genus of what is defined by when it happens."""
DOING = "doing"
"""That of what is defined as doing something."""
QUOTED = "quoted"
"""That of what a list explains in words that cannot stand inside a question."""
FORM_OF = frozenset("form type kind sort class group set series variety family category piece collection".split())
"""'A form of psychotherapy' is sorted under psychotherapy."""
UNSORTED = frozenset("part one example thing name term word amount number lack absence presence use fact".split())

_ONE_SORT = (
    "disorder disease condition syndrome illness",
    "drug medicine medication",
    "technique method",
    "therapy treatment psychotherapy",
    "theory hypothesis view",
    "tendency bias",
    "test exam examination scan",
    "attack vulnerability flaw weakness",
    "tool scanner utility",
    "organization organisation agency association institute foundation",
    "doctor specialist physician",
    "field discipline branch subfield science",
)
_SORT_OF = {noun: nouns.split()[0] for nouns in _ONE_SORT for noun in nouns.split()}
_BROAD = frozenset(
    "disorder process act state ability experience technique tendency procedure system model device field problem"
    " change concept behavior behaviour phenomenon area structure tool substance chemical attack strategy approach"
    " period measure test".split()
) | {HAPPENING, DOING}
_CLASSES = """
person doctor specialist physician psychologist therapist worker professional nurse dietitian

organization association agency group community team institution company forum

organ part area structure gland tube membrane neuron cell vessel muscle network tissue layer tract nerve bone
sac pouch strip opening lobe

substance drug medication medicine hormone chemical sugar protein fluid liquid mineral acid neurotransmitter
stimulant opioid material vaccine vitamin enzyme gas

disorder disease condition syndrome inflammation infection damage loss inability impairment difficulty symptom
tumor buildup swelling bleeding pain injury deposit bulge

procedure test surgery examination treatment technique method therapy scan process act use practice removal exam
x-ray psychotherapy sonogram imaging training experiment observation

field study science discipline subfield branch

device machine tool instrument computer chamber card

framework protocol model attribute format file header standard application software server system package
platform project library language api token service component certificate interface webapp variant
representation

attack vulnerability flaw weakness threat injection exploit risk

mechanism strategy solution principle control measure concept approach defense policy enhancement setting
feature

belief tendency feeling attitude expectation awareness state ability capacity view theory perspective knowledge
emotion experience perception motivation bias hypothesis thinking memory learning information storage retention
trait characteristic personality behavior response reaction discrimination sharing influence pattern change extent
phenomenon effect anxiety

amount level proportion number share length height rate pressure quantity difference

happening event period phase stage time
"""
"""What can be taken for one another at first sight, by the nouns that their definitions open with."""
CLASSED = {noun: nouns.split()[0] for nouns in _CLASSES.split("\n\n") for noun in nouns.split()}
_SEEN = frozenset("person organization organ substance disorder procedure field device".split())
"""Classes of things that can be shown; what is thought or felt is of too many kinds."""
_DONE = frozenset("process act action change use practice".split())
"""What is done, in whatever class the noun is listed."""


def class_seen(genus: str) -> str:
    """The class that a noun sorts under, of things that can be shown; "" for others, and for what is done."""
    group = CLASSED.get(genus, "")
    return group if group in _SEEN and genus not in _DONE else ""


def sort_of(genus: str) -> str:
    """The sort of a genus: nouns that mean the same make one, every other noun is one by itself."""
    return _SORT_OF.get(genus, genus)


def is_broad(sort: str) -> bool:
    """Whether a sort holds things of so many matters that to be of it is not enough."""
    return sort in _BROAD


__all__ = ["CLASSED", "DOING", "FORM_OF", "HAPPENING", "QUOTED", "UNSORTED", "class_seen", "is_broad", "sort_of"]
