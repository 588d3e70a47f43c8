"""Kubernetes quantities: `100m`, `1Gi`, `1e3`."""

from __future__ import annotations

import re
from decimal import Decimal
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
SYNTAX = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)


@lru_cache(maxsize=4096)
def parse(text: str | float) -> Decimal:
    """The number that a quantity stands for.

    Raises:
        ValueError: It is none; the message is the API server's.
    """
    match = _PATTERN.match(str(text))
    if match is None:
        raise ValueError(SYNTAX)
    number, suffix = match.group(1), match.group(2) or ""
    if suffix in _BINARY:
        return Decimal(number) * _BINARY[suffix]
    if suffix in _DECIMAL:
        return Decimal(number) * _DECIMAL[suffix]
    return Decimal(number + suffix)


@lru_cache(maxsize=4096)
def canonical(text: str | float) -> str:
    """The form in which the API server gives a quantity back: no fraction, largest suffix.

    Raises:
        ValueError: It is no quantity.
    """
    match = _PATTERN.match(str(text))
    if match is None:
        raise ValueError(SYNTAX)
    value = parse(text)
    suffix = match.group(2) or ""
    if suffix in _BINARY and value == value.to_integral_value() and abs(value) >= 1024:
        return _binary(int(value))
    if suffix[:1] in ("e", "E") and suffix != "E":
        return _exponent(value)
    return _decimal(value)


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
        scaled = value / _DECIMAL[suffix]
        if scaled == scaled.to_integral_value():
            return f"{int(scaled)}{suffix}"
    # Finer than nano does not exist: the server rounds up.
    return f"{int((value / _DECIMAL['n']).to_integral_value(rounding='ROUND_CEILING'))}n"


def _exponent(value: Decimal) -> str:
    if value == 0:
        return "0"
    exponent = 0
    while value % 1000 == 0:
        value /= 1000
        exponent += 3
    return f"{int(value)}e{exponent}" if exponent else f"{int(value)}"
