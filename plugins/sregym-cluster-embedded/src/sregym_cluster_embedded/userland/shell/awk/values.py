"""Values of awk: numbers, texts, texts of the input that may be numbers, and their formats."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, TypeAlias

from sregym_regex.budget import allocate, spend

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = r"[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_LEADING = re.compile(r"\s*" + _NUMBER)
_WHOLE = re.compile(r"\s*" + _NUMBER + r"\s*")
# What it takes to carry out one conversion of `printf`.
_CONVERSION_STEPS = 6
_FORMAT = re.compile(r"%([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d+)?)?([a-zA-Z%])|%")
_LARGEST = 2**53
_MASK = 0xFFFFFFFFFFFFFFFF


class Input(str):
    """A text that came in: where it looks like a number, it compares as one."""

    __slots__ = ()


Value: TypeAlias = float | str
# A variable that was not set: zero and the empty text at once.
NOTHING = Input("")


class AwkError(Exception):
    """A program that cannot go on: a kind that the command line has words for, and about what."""


class FormatError(ValueError):
    """A format that cannot be carried out; the text is `few`, `star` or `letter`."""


def number_of(value: Value) -> float:
    """A value as a number: what a text begins with, or zero."""
    if isinstance(value, float):
        return value
    match = _LEADING.match(value)
    return _read(match.group().strip()) if match else 0.0


def _read(text: str) -> float:
    if "x" in text.lower():
        return float(int(text, 16))
    return float(text)


def text_of(value: Value, form: str = "%.6g") -> str:
    """A value as a text: whole numbers without a point, others in `form`."""
    if isinstance(value, str):
        return value
    if math.isinf(value) or math.isnan(value):
        return _unusual(value)
    if value == int(value) and abs(value) < _LARGEST:
        return str(int(value))
    return formatted(form, [value], strict=False)


def _unusual(value: float) -> str:
    if math.isnan(value):
        return "-nan" if math.copysign(1, value) < 0 else "nan"
    return "inf" if value > 0 else "-inf"


def as_number(value: Value) -> float | None:
    """What a value counts as in a comparison; None when it is a text."""
    if isinstance(value, float):
        return value
    if value is NOTHING:
        return 0.0
    if isinstance(value, Input) and _WHOLE.fullmatch(value):
        return _read(value.strip())
    return None


def is_true(value: Value) -> bool:
    """Numbers but zero are true, and texts that are not empty."""
    number = as_number(value)
    return value != "" if number is None else number != 0


def formatted(form: str, values: Sequence[Value], *, strict: bool) -> str:
    """`printf`.

    Args:
        form: The format.
        values: What goes into it.
        strict: Whether a missing value, a star or an unknown letter is a mistake: `few` is one of
            mawk, `star` and `letter` are of BusyBox.

    Raises:
        FormatError: The format cannot be carried out.
    """
    rest = list(values)

    def following() -> Value:
        if not rest and strict:
            raise FormatError("few")
        return rest.pop(0) if rest else NOTHING

    def one(match: re.Match[str]) -> str:
        flags, width, precision, letter = match.groups()
        if letter is None:
            return "%"
        if letter == "%":
            return "%"
        if letter not in "diouxXeEfFgGcs":
            raise FormatError("letter")
        if width == "*":
            width = str(int(number_of(following())))
        if precision == "*":
            precision = str(int(number_of(following())))
        points = "." in match.group()
        spend(_CONVERSION_STEPS)
        allocate(abs(int(width or 0)) + abs(int(precision or 0)))
        shape = f"%{flags}{width or ''}{'.' + (precision or '0') if points else ''}"
        text = _shown(shape, letter, following())
        allocate(2 * len(text))
        return text

    return _FORMAT.sub(one, form)


def _shown(shape: str, letter: str, value: Value) -> str:
    if letter == "c":
        if value != "" and as_number(value) is not None:
            code = int(number_of(value)) & 255
            return str((shape.partition(".")[0] + "s") % chr(code))
        return str((shape.partition(".")[0] + "s") % str(value)[:1])
    if letter == "s":
        return str((shape + "s") % text_of(value))
    number = number_of(value)
    if math.isinf(number) or math.isnan(number):
        return str((shape.partition(".")[0].replace("0", "") + "s") % _unusual(number))
    if letter in "eEfFgG":
        return str((shape + letter) % number)
    whole = int(number)
    if letter == "u":
        letter = "d"
        whole &= _MASK
    elif letter in "oxX":
        whole &= _MASK
    return str((shape + letter) % whole)
