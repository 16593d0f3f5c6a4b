"""A small corpus for tests: the harbour of Quillon Ness, which does not exist. Nine files in eight formats."""

from __future__ import annotations

import shutil
from pathlib import Path

OWN = Path(__file__).with_name("own_systems.py")
CHOICES = ("--items", "40", "--items-per-chunk", "8", "--worked-examples", "2")
# a system that takes its time keeps the exam room open long enough to be struck in it
PANEL = ("bm25+lexical", "closed-book+lexical", "dense+embedding", f"slow={OWN}:slow")

HARBOUR = """\
# Harbour rules

The outer basin of Quillon Ness holds 46 fishing boats. The inner basin holds 18 pleasure craft. The harbour office
opens at 06:30 on weekdays. Harbour dues are paid on Form QN-12 within 14 days. The speed limit inside the breakwater
is 4 knots. The lock gate closes 35 minutes before low water.

## Moorings

The deep-water mooring takes vessels of up to 38 metres. The visitor pontoon takes vessels of up to 12 metres. A
visitor pays £22 for one night at the visitor pontoon. The mooring chain of the outer basin weighs 640 kilograms. The
east slipway is closed to trailers in November. Crane number 3 lifts at most 15 tonnes.
"""

PILOTS = """\
The pilot station

Odalys Ferrant founded the pilot station in 1887. The pilot station employs nine pilots and three apprentices. The
pilot boat Grey Sandpiper reaches a speed of 24 knots. The pilot boat Grey Sandpiper was built in 2009. Pilots keep
watch on radio channel 71. An apprentice pilot makes 120 supervised passages before the examination. The pilot
examination lasts three hours. Ships longer than 60 metres must take a pilot. The pilotage fee is £310 for a ship of
60 metres.
"""

LIGHTS = """\
Lights and signals
==================

The Ness lighthouse flashes white every 12 seconds. The Ness lighthouse was lit for the first time on 4 May 1851. The
lamp of the Ness lighthouse stands 41 metres above high water. The fog horn sounds once every 90 seconds. The north
breakwater light is green and reaches 5 miles. The south breakwater light is red and reaches 7 miles.

Keepers
-------

Tobiah Renwick was the last keeper of the Ness lighthouse. The lighthouse was automated in 1983. The lamp room holds
two spare lamps.
"""

HOSPITAL = """\
<html><head><title>Seamen's hospital</title></head><body>
<h1>Seamen's hospital</h1>
<p>The Seamen's hospital has 34 beds. Doctor Maren Holloway leads the diving ward. The decompression chamber takes six
divers at a time. A treatment in the decompression chamber lasts 290 minutes. The pharmacy of the hospital is open
until 21:00. The hospital was founded in 1902 by the Guild of Netmakers.</p>
<p>Visitors may stay for 45 minutes. An ambulance reaches the fish market in eight minutes. The blood bank keeps 260
units of blood. A diver may not fly for 24 hours after a treatment.</p>
</body></html>
"""

BERTHS = """\
title,text
Berth A,"Berth A is 85 metres long. Berth A has a depth of 7 metres. Berth A is reserved for the coal barge Ledbury."
Berth B,"Berth B is 140 metres long. Berth B has a depth of 9 metres. Berth B is reserved for the ferry Corvina."
Berth C,"Berth C is 52 metres long. Berth C has a depth of 4 metres. Berth C is reserved for the lifeboat Perpetua."
"""

NOTICES = """\
{"id": "n1", "text": "Notice 31 closes the swing bridge for 16 days. The swing bridge weighs 210 tonnes."}
{"id": "n2", "text": "Notice 32 forbids anchoring within 300 metres of the water main. The fine is £450."}
{"id": "n3", "text": "Notice 33 opens the winter store on 9 October. The winter store holds 72 dinghies."}
"""

MARKET = """\
# Fish market

The fish market opens at 04:45. The auction clock of the fish market was installed in 1996. The ice house makes 28
tonnes of ice a day. A crate of herring weighs 25 kilograms. Salt is bought from the Varrick works. The market hall is
64 metres long. Buyers register on Form QN-40 for £75 a year. The cold store is kept at 2 degrees.
"""

RESCUE = """\
The lifeboat crew

The lifeboat Perpetua carries 49 survivors. The lifeboat Perpetua is 16 metres long. The crew of the lifeboat must
launch within 11 minutes. Ysolde Tarn has been the coxswain since 2016. The lifeboat holds 2,200 litres of fuel. A
crew member trains for 130 hours a year. The boathouse was rebuilt in 1974 after the great gale. The line thrower has
a range of 230 metres.
"""

DREDGING = (
    "The dredger Molly Pike removes 900 tonnes of silt a day.",
    "The dredger Molly Pike works from February to April.",
    "The channel is dredged to a depth of 8 metres.",
    "Silt is dumped 6 miles north of the Ness.",
    "The dredging contract was signed on 12 March 2018.",
    "The dredging contract costs £340,000 a year.",
)

FACTS = {
    "rules/harbour.md": HARBOUR,
    "pilots/pilots.txt": PILOTS,
    "lights/lights.rst": LIGHTS,
    "hospital/hospital.html": HOSPITAL,
    "berths.csv": BERTHS,
    "notices.jsonl": NOTICES,
    "market/market.md": MARKET,
    "rescue/crew.txt": RESCUE,
}


def asked(*specs: str) -> list[str]:
    """The options that call these systems in."""
    return [part for spec in specs for part in ("--examinee", spec)]


def begun(folder: Path, like: Path) -> Path:
    """A new run folder that knows the vectors of another run: what is embedded once need not be again."""
    folder.mkdir(parents=True)
    for file in like.glob("embeddings.sqlite*"):
        shutil.copy(file, folder)
    return folder


def write_corpus(folder: Path) -> Path:
    """Write the corpus into the folder, made if need be; the folder again."""
    import docx

    for name, text in FACTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    document = docx.Document()
    document.add_heading("Dredging", level=1)
    document.add_paragraph(" ".join(DREDGING))
    document.save(str(folder / "dredging.docx"))
    return folder
