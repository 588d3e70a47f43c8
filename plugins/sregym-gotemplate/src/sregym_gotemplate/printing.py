"""Values as Go prints them."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

from sregym_regex.budget import allocate

# From this exponent on a float is shown with one.
_EXPONENT = 6
_VERB = re.compile(r"%([-+ 0#]*)(\d*)((?:\.\d*)?)(.?)", re.DOTALL)
_NAMES = ((bool, "bool"), (int, "int"), (float, "float64"), (str, "string"))


def shown(value: Any) -> str:
    """A value as `%v` prints it."""
    if value is None:
        return "<nil>"
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, dict):
        inside = " ".join(f"{key}:{shown(item)}" for key, item in sorted(value.items()))
        return f"map[{inside}]"
    if isinstance(value, list):
        return f"[{' '.join(map(shown, value))}]"
    return str(value)


def float_text(value: float) -> str:
    """A float in its shortest form, with an exponent when it is large or small."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    digits, exponent = _digits(value)
    sign = "-" if value < 0 else ""
    if -4 <= exponent < _EXPONENT:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
        whole = digits[: exponent + 1].ljust(exponent + 1, "0")
        rest = digits[exponent + 1 :]
        return f"{sign}{whole}{'.' if rest else ''}{rest}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{exponent:+03d}"


def _digits(value: float) -> tuple[str, int]:
    """The digits that tell a float from all others, and the exponent of the first."""
    _, digits, last = Decimal(repr(value)).as_tuple()
    exponent = len(digits) + int(last) - 1
    return "".join(map(str, digits)).rstrip("0"), exponent


def type_name(value: Any) -> str:
    """What Go calls the type of a value."""
    for python, name in _NAMES:
        if isinstance(value, python):
            return name
    if isinstance(value, dict):
        return "map[string]interface {}"
    return "[]interface {}" if isinstance(value, list) else "string"


def printed(*values: Any) -> str:
    """As `fmt.Sprint`: with spaces between what is no text."""
    text = ""
    for place, value in enumerate(values):
        apart = place and not isinstance(value, str) and not isinstance(values[place - 1], str)
        text += f"{' ' if apart else ''}{shown(value)}"
    return text


def printed_line(*values: Any) -> str:
    """As `fmt.Sprintln`."""
    return " ".join(map(shown, values)) + "\n"


def formatted(form: str, *values: Any) -> str:
    """As `fmt.Sprintf`, mistakes included."""
    waiting = [*values]

    def put(found: re.Match[str]) -> str:
        flags, width, precision, verb = found.groups()
        if verb == "%":
            return "%"
        if not verb:
            return "%!(NOVERB)"
        if not waiting:
            return f"%!{verb}(MISSING)"
        sizes = (width or "", (precision or "").strip("."))
        allocate(sum(int(size) for size in sizes if size.isdecimal()))
        return _verb(flags, width, precision, verb, waiting.pop(0))

    text = _VERB.sub(put, form)
    if waiting:
        extra = ", ".join(
            "<nil>" if value is None else f"{type_name(value)}={shown(value)}" for value in waiting
        )
        text += f"%!(EXTRA {extra})"
    return text


def _verb(flags: str, width: str, precision: str, verb: str, value: Any) -> str:
    kind = type_name(value)
    if verb == "v":
        text = shown(value)
    elif verb == "T":
        text = "<nil>" if value is None else kind
    elif value is None:
        return f"%!{verb}(<nil>)"
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
        text = value.encode(errors="surrogatepass").hex()
        text = text.upper() if verb == "X" else text
    elif verb in "eEfFgG" and kind == "float64":
        if verb in "gG" and not precision:
            text = float_text(value)
        else:
            return str(f"%{flags}{width}{precision}{verb}" % value)
    else:
        return f"%!{verb}({kind}={shown(value)})"
    return str(f"%{flags.replace('0', '').replace('+', '')}{width}s" % text)
