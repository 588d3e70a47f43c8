"""Kubernetes quantities: `100m`, `1Gi`, `1e3`."""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from functools import lru_cache

_PATTERN = re.compile(
    r"^([+-]?(?:\d+\.?\d*|\.\d+))(m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$"
)
_BINARY = {f"{letter}i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", 1)}
_DECIMAL = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
}
# Longer numbers, and exponents beyond, are no realistic quantity: computing with them would take long.
_MOST_DIGITS = 400
_MOST_EXPONENT = 400
# Exact for all that is allowed: the default context rounds after 28 digits, or refuses to divide.
_EXACT = Context(prec=4 * (_MOST_DIGITS + _MOST_EXPONENT), Emax=MAX_EMAX, Emin=MIN_EMIN)
SYNTAX = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)


@lru_cache(maxsize=4096)
def parse(text: str | float) -> Decimal:
    """The number that a quantity stands for.

    Raises:
        ValueError: It is none; the message is the API server's.
    """
    number, suffix = _parts(text)
    if suffix in _BINARY:
        return _EXACT.multiply(Decimal(number), _BINARY[suffix])
    if suffix in _DECIMAL:
        return _EXACT.multiply(Decimal(number), _DECIMAL[suffix])
    return Decimal(number + suffix)


def is_whole(number: Decimal) -> bool:
    """Whether a number has no fraction, however large it is."""
    return number == number.to_integral_value(context=_EXACT)


@lru_cache(maxsize=4096)
def canonical(text: str | float) -> str:
    """The form in which the API server gives a quantity back: no fraction, largest suffix.

    Raises:
        ValueError: It is no quantity.
    """
    _, suffix = _parts(text)
    value = parse(text)
    if suffix in _BINARY and value == value.to_integral_value() and abs(value) >= 1024:
        return _binary(int(value))
    if suffix[:1] in ("e", "E") and suffix != "E":
        return _exponent(value)
    return _decimal(value)


def _parts(text: str | float) -> tuple[str, str]:
    """Number and suffix of a quantity."""
    match = _PATTERN.match(str(text))
    if match is None or not str(text).isascii():
        raise ValueError(SYNTAX)
    number, suffix = match.group(1), match.group(2) or ""
    exponent = suffix[1:].lstrip("+-").lstrip("0") if suffix[:1] in ("e", "E") else ""
    if (
        len(number) > _MOST_DIGITS
        or len(exponent) > 3
        or int(exponent if exponent.isdecimal() else 0) > _MOST_EXPONENT
    ):
        raise ValueError(SYNTAX)
    return number, suffix


def _binary(value: int) -> str:
    if value == 0:
        return "0"
    power = 0
    while value % 1024 == 0 and power < len(_BINARY):
        value //= 1024
        power += 1
    return f"{value}{list(_BINARY)[power - 1] if power else ''}"


def _decimal(value: Decimal) -> str:
    if value == 0:
        return "0"
    for suffix in ("E", "P", "T", "G", "M", "k", "", "m", "u"):
        scaled = _EXACT.divide(value, _DECIMAL[suffix])
        if scaled == scaled.to_integral_value(context=_EXACT):
            return f"{int(scaled)}{suffix}"
    # Finer than nano does not exist: the server rounds up.
    nano = _EXACT.divide(value, _DECIMAL["n"])
    return f"{int(nano.to_integral_value(rounding=ROUND_CEILING, context=_EXACT))}n"


def _exponent(value: Decimal) -> str:
    if value == 0:
        return "0"
    exponent = 0
    while value != value.to_integral_value(context=_EXACT):
        value = _EXACT.multiply(value, Decimal(1000))
        exponent -= 3
    while _EXACT.remainder(value, Decimal(1000)) == 0:
        value = _EXACT.divide(value, Decimal(1000))
        exponent += 3
    return f"{int(value)}e{exponent}" if exponent else f"{int(value)}"
