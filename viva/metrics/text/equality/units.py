"""Units of measurement, with their dimension and their factor to its base unit."""

from __future__ import annotations

from typing import NamedTuple


class UnitOfMeasure(NamedTuple):
    """A unit: value in base units = written number x factor + offset."""

    dimension: str
    factor: float
    offset: float = 0.0


SHARE = "share"
MONTHS_IN_DAYS = 30.436875
"""Mean length of a month of the Gregorian calendar."""

# dimension, factor, names; months are apart from seconds, since a month has no fixed length
_TABLE = """
time 1e-9 ns nanosecond nanoseconds nanosekunde nanosekunden
time 1e-6 µs us microsecond microseconds mikrosekunde mikrosekunden
time 1e-3 ms msec millisecond milliseconds millisekunde millisekunden
time 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondi secondo
time 60 min mins minute minutes minuten minuto minutos minuti
time 3600 h hr hrs hour hours stunde stunden std heure heures hora horas ora ore
time 86400 d day days tag tage tagen jour jours día días dia dias giorno giorni
time 604800 wk wks week weeks woche wochen semaine semaines semana semanas settimana settimane
time 1209600 fortnight fortnights
months 1 mo month months monat monate monaten mois mes meses mese mesi
months 3 quarter-year quartal quartale trimestre trimestres
months 12 y yr yrs year years jahr jahre jahren an ans année années año años anno anni
months 120 decade decades jahrzehnt jahrzehnte décennie décennies década décadas
months 1200 century centuries jahrhundert jahrhunderte siècle siècles siglo siglos
length 1e-9 nm nanometre nanometres nanometer nanometers
length 1e-6 µm um micron microns micrometre micrometres micrometer micrometers
length 1e-3 mm millimetre millimetres millimeter millimeters millimètre millimètres milímetro milímetros
length 1e-2 cm centimetre centimetres centimeter centimeters zentimeter centimètre centimètres centímetro centímetros
length 1 m metre metres meter meters metern mètre mètres metro metros metri
length 1e3 km kms kilometre kilometres kilometer kilometers kilometern kilomètre kilomètres kilómetro kilómetros
length 0.0254 in inch inches zoll pouce pouces pulgada pulgadas
length 0.3048 ft foot feet
length 0.9144 yd yds yard yards
length 1609.344 mi mile miles meile meilen milla millas
length 1852 nmi
area 1e-4 cm2 cm^2 sqcm
area 1 m2 m^2 sqm sqm. qm
area 1e6 km2 km^2
area 0.09290304 sqft ft2 ft^2
area 1e4 ha hectare hectares hektar
area 4046.8564224 acre acres
mass 1e-9 µg ug microgram micrograms
mass 1e-6 mg milligram milligrams milligramm milligramme milligrammes miligramo miligramos
mass 1e-3 g gram grams gramm gramme grammes gramo gramos
mass 1 kg kgs kilogram kilograms kilogramm kilogramme kilogrammes kilo kilos kilogramo kilogramos
mass 1e3 t tonne tonnes tonnen tonelada toneladas
mass 0.45359237 lb lbs pound pounds
mass 0.028349523125 oz ounce ounces
volume 1e-3 ml millilitre millilitres milliliter milliliters mililitro mililitros cm3 cc
volume 1e-2 cl centilitre centilitres centiliter centiliters
volume 0.1 dl decilitre decilitres deciliter deciliters
volume 1 l litre litres liter liters litern litro litros litri
volume 1e3 m3 m^3
volume 3.785411784 gal gallon gallons
volume 0.473176473 pint pints
data 0.125 bit bits
data 1 b byte bytes octet octets
data 1e3 kb kilobyte kilobytes
data 1e6 mb megabyte megabytes
data 1e9 gb gigabyte gigabytes
data 1e12 tb terabyte terabytes
data 1e15 pb petabyte petabytes
data 1024 kib kibibyte kibibytes
data 1048576 mib mebibyte mebibytes
data 1073741824 gib gibibyte gibibytes
data 1099511627776 tib tebibyte tebibytes
frequency 1 hz hertz
frequency 1e3 khz
frequency 1e6 mhz
frequency 1e9 ghz
frequency 0.0166666666666667 rpm
speed 0.514444444444444 kn kt kts knot knots knoten
speed 0.44704 mph
speed 0.277777777777778 kph kmh
power 1e-3 mw milliwatt milliwatts
power 1 w watt watts
power 1e3 kw kilowatt kilowatts
power 1e6 megawatt megawatts
power 735.49875 hp horsepower ps
energy 1 j joule joules
energy 1e3 kj
energy 4184 kcal
energy 3600 wh
energy 3.6e6 kwh
voltage 1e-3 mv
voltage 1 v volt volts
voltage 1e3 kv
current 1e-3 ma milliamp milliamps
current 1 a amp amps ampere amperes
charge 1 mah
charge 1e3 ah
force 1 n newton newtons
force 1e3 kilonewton kilonewtons
pressure 1 pa pascal pascals
pressure 100 mbar hpa
pressure 1e3 kpa
pressure 1e5 bar bars
pressure 6894.757293168 psi
sound 1 db dba decibel decibels
light 1 lux
share 0.01 % percent pct per-cent percentage-point percentage-points prozent pour-cent por-ciento
share 0.001 ‰
share 1e-6 ppm
angle 1 ° degree degrees grad degré degrés grado grados
money:USD 1 $ us$ usd dollar dollars dólar dólares dollari dólares-americanos
money:EUR 1 € eur euro euros
money:GBP 1 £ gbp sterling quid
money:JPY 1 ¥ jpy yen
money:CHF 1 chf franc francs franken
money:INR 1 ₹ inr rupee rupees
money:CNY 1 cny rmb yuan renminbi
money:PLN 1 zł pln zloty złoty złotych
money:CAD 1 cad c$
money:AUD 1 aud a$
money:SEK 1 sek kronor krona
money:NOK 1 nok kroner krone
money: 0.01 cent cents ct penny pence p
count 12 dozen dozens dutzend douzaine docena
"""
_OFFSETS = {
    "temperature 1 273.15": "°c celsius degrees-celsius degree-celsius centigrade grad-celsius deg-c c",
    "temperature 0.555555555555556 255.372222222222": "°f fahrenheit degrees-fahrenheit degree-fahrenheit deg-f f",
    "temperature 1 0": "kelvin k",
}
SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "tsd": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3,
    "million": 1e6, "millions": 1e6, "mn": 1e6, "mio": 1e6, "millionen": 1e6, "millón": 1e6, "millones": 1e6,
    "billion": 1e9, "billions": 1e9, "bn": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "mrd": 1e9,
    "trillion": 1e12, "trillions": 1e12, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
"""Words that multiply the number before them."""
MONEY_SCALES = {"m": 1e6, "b": 1e9, "t": 1e12}
"""Letters that multiply an amount of money, and mean something else after any other number."""


def _read_table() -> dict[str, tuple[UnitOfMeasure, ...]]:
    found: dict[str, list[UnitOfMeasure]] = {}
    for line in _TABLE.strip().splitlines():
        dimension, factor, *names = line.split()
        for name in names:
            found.setdefault(name, []).append(UnitOfMeasure(dimension, float(factor)))
    for key, names_text in _OFFSETS.items():
        dimension, factor, offset = key.split()
        for name in names_text.split():
            found.setdefault(name, []).append(UnitOfMeasure(dimension, float(factor), float(offset)))
    for name in ("°", "degree", "degrees", "grad", "degré", "degrés", "grado", "grados"):
        found[name].append(UnitOfMeasure("temperature", 1.0, 273.15))
    found["pound"].append(UnitOfMeasure("money:GBP", 1.0))
    found["pounds"].append(UnitOfMeasure("money:GBP", 1.0))
    return {name: tuple(units) for name, units in found.items()}


UNITS = _read_table()
"""What each name of a unit, in lower case, may mean."""
CURRENCY_SIGNS = "$€£¥₹"
CURRENCY_CODES = (
    "usd",
    "eur",
    "gbp",
    "jpy",
    "chf",
    "inr",
    "cny",
    "rmb",
    "pln",
    "cad",
    "aud",
    "sek",
    "nok",
    "us$",
    "c$",
    "a$",
)
