"""Numbers as the functions of templates read them."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

_ZEROS = re.compile(r"\.0*$")
_PLACES = Decimal("1e-16")


def number(value: Any) -> float:
    """As a float; what is none is 0."""
    if isinstance(value, str):
        try:
            return float(value.replace("_", "x"))
        except ValueError:
            return 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def whole(value: Any) -> int:
    """As a whole number; what is none is 0."""
    if isinstance(value, str):
        try:
            return int(re.sub(r"^([+-]?)0(?=\d)", r"\g<1>0o", _ZEROS.sub("", value)), 0)
        except ValueError:
            return 0
    return int(value) if isinstance(value, int | float) else 0


def decimal(value: Any) -> Decimal:
    """As a decimal number; what is none is 0."""
    try:
        found = Decimal(value if isinstance(value, str) else repr(value))
    except (InvalidOperation, TypeError, ValueError):
        return Decimal(0)
    return found if found.is_finite() else Decimal(0)


def divided(left: Decimal, right: Decimal) -> Decimal:
    """To sixteen places.

    Raises:
        ZeroDivisionError: With the error text of the library that Loki's functions are made with.
    """
    if not right:
        message = "decimal division by 0"
        raise ZeroDivisionError(message)
    return (left / right).quantize(_PLACES, ROUND_HALF_UP)
