"""How numbers and lists are put in words: one way for all messages and the whole report, whatever the locale."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

MINUS = "\u2212"
DASH = "\u2013"
MINUTE = 60.0
HOUR = 3600.0


def counted(count: int, noun: str, plural: str = "") -> str:
    """'1 question', '60 questions'; `plural` where it is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def option_letter(position: int) -> str:
    """A, B, C and so on; beyond Z the number of the option, from 1."""
    return ascii_uppercase[position] if position < len(ascii_uppercase) else str(position + 1)


def number(value: float, digits: int = 2) -> str:
    """Fixed digits with a true minus sign, never a negative zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", MINUS)


def signed(value: float, digits: int = 2) -> str:
    """As `number`, with a plus sign where it is above zero."""
    text = number(value, digits)
    return f"+{text}" if round(value, digits) > 0 else text


def percent(share: float, digits: int = 0) -> str:
    """A share in [0, 1] as a percentage."""
    return f"{number(100 * share, digits)}%"


def percent_range(low: float, high: float) -> str:
    """The bounds of an interval of shares, as '66-87%' with a dash."""
    return f"{number(100 * low, 0)}{DASH}{number(100 * high, 0)}%"


def points(share: float) -> str:
    """A difference of shares in percentage points, signed."""
    return signed(100 * share, 0)


def p_value(value: float) -> str:
    """A p-value to at most three digits, kept on one line: 'p = 0.035', 'p = 0.26', 'p = 1'."""
    if value < 0.001:
        return "p\u00a0<\u00a00.001"
    return f"p\u00a0=\u00a0{value:.{2 if value >= 0.1 else 3}f}".rstrip("0").rstrip(".")


def seconds(value: float) -> str:
    """A duration in the unit that suits it."""
    if value < 0.01:
        return f"{1000 * value:.1f} ms"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    # rounding first, so that 59.96 s does not come out as 60.0 s
    if round(value, 1) < MINUTE:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < HOUR:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def dollars(value: float) -> str:
    """An amount of US dollars, small ones with more digits."""
    digits = 2 if value == 0 or value >= 1 else 4 if value >= 0.001 else 6
    return f"${value:,.{digits}f}"


def listed(names: Sequence[str], limit: int = 4) -> str:
    """'A, B and C', or 'A, B and 5 more' where there are more than `limit`."""
    if len(names) > limit:
        return f"{', '.join(names[: limit - 1])} and {len(names) - limit + 1} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def plain(code: str) -> str:
    """A code such as 'not_stand_alone' in words."""
    return code.replace("_", " ")
