"""Two ships, the units of one of them, and a question about it: what tests of the oral examination speak of."""

from __future__ import annotations

import asyncio

from by_hand import bank, source

from viva.agents.offline.oral.units import OfflineOralUnits

TERN = source(
    "The Morven Tern carries 148 passengers and 22 cars. Hallowmere Shipyard built the Morven Tern in 2004 for"
    " £4.6 million. Dogs are not allowed on the upper deck of the Morven Tern. Deck hatches are closed before"
    " departure because spray floods the forward store. Della Marchbank is the chief engineer of the Morven Tern."
    " Crews rest for at least 11 hours between duties. Passengers pay 50% of all fares by card."
    " The Lantern Fund pays a grant of 1,000 pounds to retired deckhands.",
    "tern.md",
    "MV Morven Tern",
)
HERON = source(
    "The Sundray Heron carries 120 passengers and 8 cars. Moira Denholt is the chief engineer of the Sundray Heron.",
    "heron.md",
    "MV Sundray Heron",
)
KNOWN = bank(TERN, HERON)
UNITS = asyncio.run(OfflineOralUnits(KNOWN).extract(TERN))
QUESTION = "What do the documents say about the Morven Tern?"
