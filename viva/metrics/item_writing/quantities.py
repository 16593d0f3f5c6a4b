"""What an option that is a number amounts to, whatever its unit and the way it is written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from viva.core.text.languages.phrase_lookup import phrases

_ROUNDED = 0.05
"""Two amounts of which one may be the other rounded differ by this share at most."""

_LONGEST = 60
"""Characters of an amount."""

# dimension (- for none), factor, units. Words that differ by language stand here side by side; months and years stay
# apart from days, since neither is a fixed number of them.
_TABLE = """
time 1e-9 ns nanosecond nanoseconds nanosekunde nanosekunden nanoseconde nanosecondes nanosegundo nanosegundos
time 1e-6 µs us μs microsecond microseconds mikrosekunde mikrosekunden microseconde microsecondes microsegundo
time 1e-3 ms millisecond milliseconds millisekunde millisekunden milliseconde millisecondes milisegundos
time 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos
time 60 min mins minute minutes minuten minuto minutos
time 3600 h hr hrs hour hours stunde stunden heure heures hora horas
time 86400 d day days tag tage tagen jour jours día días dia dias
time 604800 week weeks woche wochen semaine semaines semana semanas fortnights
months 1 month months monat monate monaten mois mes meses
months 12 year years yr yrs jahr jahre jahren an ans année années año años
months 120 decade decades jahrzehnt jahrzehnte décennie décennies década décadas
months 1200 century centuries jahrhundert jahrhunderte siècle siècles siglo siglos
length 1e-9 nm
length 1e-6 µm μm
length 1e-3 mm millimetre millimetres millimeter millimeters millimètre millimètres milímetro milímetros
length 1e-2 cm centimetre centimetres centimeter centimeters zentimeter centimètre centimètres centímetros
length 1 m metre metres meter meters mètre mètres metro metros
length 1e3 km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro kilómetros
length 0.0254 inch inches
length 0.3048 ft foot feet
length 0.9144 yd yard yards
length 1609.344 mi mile miles
mass 1e-6 mg milligram milligrams milligramm milligramme milligrammes miligramos
mass 1e-3 g gram grams gramm gramme grammes gramo gramos
mass 1 kg kilogram kilograms kilogramm kilogramme kilogrammes kilo kilos kilogramo kilogramos
mass 1e3 t tonne tonnes tonnen tonelada toneladas
mass 0.45359237 lb lbs pound pounds
volume 1e-3 ml millilitre millilitres milliliter milliliters mililitros
volume 1 l litre litres liter liters litro litros
data 1 b byte bytes octet octets
data 0.125 bit bits
data 1e3 kb kilobyte kilobytes
data 1e6 mb megabyte megabytes
data 1e9 gb gigabyte gigabytes
data 1e12 tb terabyte terabytes
data 1024 kib
data 1048576 mib
data 1073741824 gib
frequency 1 hz hertz
frequency 1e3 khz
frequency 1e6 mhz
frequency 1e9 ghz
- 0.01 % percent prozent pour-cent
- 0.001 ‰
- 12 dozen dutzend douzaine docena
- 1e3 thousand tausend mille mil
- 1e6 million millions millionen millón millones
- 1e9 billion billions milliarde milliarden milliard milliards
dollar 1 $ dollar dollars usd
euro 1 € euro euros eur
"""
_UNITS = {
    name: (dimension.strip("-"), float(factor))
    for dimension, factor, *names in map(str.split, _TABLE.strip().splitlines())
    for name in names
}

_ABOUT = re.compile(
    r"^(?:about|approximately|around|roughly|exactly|some|ca\.?|circa|~|≈|etwa|ungefähr|rund|genau|environ|exactement"
    r"|alrededor de|aproximadamente|unos|unas|unas? |exactamente)\s*",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"^([-−+]?)([$€£¥])\s?(.*)")
_NUMBER = re.compile(r"^([-−+]?)(\d[\d.,\u00a0\u202f' ]*(?:\.\d+)?|\.\d+)(?:\s*/\s*(\d+))?(?:e([-+]?\d+))?(?![\d:])")
_DECIMAL_COMMA = frozenset({"de", "fr", "es", "it", "nl", "pt"})


class Quantity(NamedTuple):
    """An amount in the base unit of its dimension: seconds, months, metres, kilograms, litres, bytes, hertz."""

    value: float
    dimension: str
    """"" of a bare number; a unit that is not in the table is its own dimension"""
    step: float
    """what one more in the last written digit would add"""


@lru_cache(maxsize=4096)
def numeric_value(text: str, language: str = "en") -> Quantity | None:
    """What a text that is one number, with or without a unit, amounts to; None of any other text."""
    if len(text) > _LONGEST:
        return None
    rest = _ABOUT.sub("", " ".join(text.casefold().replace("pour cent", "%").replace("por ciento", "%").split()))
    rest = _CURRENCY.sub(r"\1\3 \2", re.sub(r"[.!]$", "", rest))
    number = _NUMBER.match(rest)
    if number:
        sign, digits, divisor, power = number.groups()
        read = _read(digits.strip(), language)
        if read is None or divisor == "0":
            return None
        value, step = read
        if divisor:
            value, step = value / int(divisor), 0.0
        scale = 10.0 ** int(power) if power and abs(int(power)) < 300 else 1.0
        value, step = (-value if sign in {"-", "−"} else value) * scale, step * scale
        rest = rest[number.end() :]
        if re.search(r"\d[A-Z]", text) and number.group()[-1].isdigit() and rest.split(" ", 1)[0] not in _UNITS:
            # "18F/guides", "3D": a capital letter written in one with a number is part of a name
            return None
    else:
        word, _, rest = rest.partition(" ")
        known = phrases(language)
        if known is None or word not in known.numbers:
            return None
        value, step = float(known.numbers[word]), 1.0
    return _in_unit(value, step, rest.replace("-", " ").split())


def same_quantity(first: Quantity, second: Quantity) -> bool:
    """Whether two amounts are equal, or one may be the other rounded: equal to the coarser one's last digit."""
    if first.dimension != second.dimension:
        return False
    apart, larger = abs(first.value - second.value), max(abs(first.value), abs(second.value))
    if apart <= 1e-9 * larger:
        return True
    fine, coarse = sorted((first, second), key=lambda quantity: quantity.step)
    return fine.step <= coarse.step / 2 and apart <= coarse.step / 2 and apart <= _ROUNDED * larger


def _in_unit(value: float, step: float, names: list[str]) -> Quantity | None:
    """At most a scale and a unit may follow: "2 million litres", "35 minutes"; else it is no mere number."""
    dimension = ""
    for name in names:
        if dimension or len(names) > 2:
            return None
        # one of a thing is of the same kind as two of it
        kind, factor = _UNITS.get(name, (name.removesuffix("s"), 1.0))
        value, step, dimension = value * factor, step * factor, kind
    return Quantity(value, dimension, step)


def _read(digits: str, language: str) -> tuple[float, float] | None:
    """A run of digits with its separators, and what its last digit stands for."""
    point, comma = (",", ".") if language in _DECIMAL_COMMA else (".", ",")
    whole = re.sub(r"[\u00a0\u202f' ](?=\d{3}(?!\d))", "", digits).rstrip(".,")
    if re.search(r"[\u00a0\u202f' ]", whole):
        return None
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(comma)}\d{{3}})+(?:{re.escape(point)}\d+)?", whole):
        whole = whole.replace(comma, "")
    if whole.count(point) + whole.count(comma) > 1:
        return None  # 3.11.7 is a version, not a number
    whole = whole.replace(point, ".").replace(comma, ".")
    return float(whole), 10.0 ** -len(whole.partition(".")[2])
