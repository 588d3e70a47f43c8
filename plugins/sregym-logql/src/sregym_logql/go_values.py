"""Values as Go prints them, and numbers as its template functions read them."""

from __future__ import annotations

import json
import math
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

import numpy as np
from sregym_regex.budget import allocate

# From this exponent on a float is shown with one.
_EXPONENT = 6
_VERB = re.compile(r"%([-+ 0#]*)(\d*)((?:\.\d*)?)(.)", re.DOTALL)
_ZEROS = re.compile(r"\.0*$")
_PLACES = Decimal("1e-16")


def shown(value: Any) -> str:
    """A value as `%v` prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "<no value>"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, dict):
        inside = " ".join(f"{key}:{shown(item)}" for key, item in sorted(value.items()))
        return f"map[{inside}]"
    if isinstance(value, list):
        return f"[{' '.join(shown(item) for item in value)}]"
    return str(value)


def float_text(value: float) -> str:
    """A float in its shortest form, with an exponent when it is large or small."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    exponent = int(f"{value:e}".rpartition("e")[2])
    if -4 <= exponent < _EXPONENT:
        return np.format_float_positional(value, trim="-")
    return np.format_float_scientific(value, trim="-", exp_digits=2)


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
        ZeroDivisionError: In the words of the library that Loki's functions are made with.
    """
    if not right:
        message = "decimal division by 0"
        raise ZeroDivisionError(message)
    return (left / right).quantize(_PLACES, ROUND_HALF_UP)


def printed(*values: Any) -> str:
    """With spaces between what is no text."""
    text = ""
    for place, value in enumerate(values):
        apart = place and not isinstance(value, str) and not isinstance(values[place - 1], str)
        text += f"{' ' if apart else ''}{shown(value)}"
    return text


def formatted(form: str, *values: Any) -> str:
    """As `fmt.Sprintf`, mistakes included."""
    waiting = [*values]

    def put(found: re.Match[str]) -> str:
        flags, width, precision, verb = found.groups()
        if verb == "%":
            return "%"
        if not waiting:
            return f"%!{verb}(MISSING)"
        allocate(
            sum(
                int(size)
                for size in (width or "", (precision or "").strip("."))
                if size.isdecimal()
            )
        )
        return _verb(flags, width, precision, verb, waiting.pop(0))

    text = _VERB.sub(put, form)
    if waiting:
        extra = ", ".join(f"{_type(value)}={shown(value)}" for value in waiting)
        text += f"%!(EXTRA {extra})"
    return text


def _verb(flags: str, width: str, precision: str, verb: str, value: Any) -> str:
    kind = _type(value)
    if verb == "v":
        text = shown(value)
    elif verb == "s" and kind not in ("int", "float64", "bool"):
        text = f"%{precision}s" % shown(value)
    elif verb == "q" and kind == "string":
        text = json.dumps(value, ensure_ascii=False)
    elif verb == "t" and kind == "bool":
        text = shown(value)
    elif verb in "dxXoc" and kind == "int":
        return str(f"%{flags}{width}{verb}" % value)
    elif verb == "b" and kind == "int":
        text = f"{value:b}"
    elif verb in "xX" and kind == "string":
        text = value.encode().hex()
        text = text.upper() if verb == "X" else text
    elif verb in "eEfFgG" and kind == "float64":
        if verb in "gG" and not precision:
            text = float_text(value)
        else:
            return str(f"%{flags}{width}{precision}{verb}" % value)
    else:
        return f"%!{verb}({kind}={shown(value)})"
    return str(f"%{flags.replace('0', '').replace('+', '')}{width}s" % text)


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if type(value) is int:
        return "int"
    return "float64" if isinstance(value, float) else "string"
