"""Quantities of memory as Kubernetes writes them."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal, localcontext

# Every suffix that an API server takes, those below one among them.
_UNITS = {
    **{f"{letter}i": Decimal(2 ** (10 * power)) for power, letter in enumerate("KMGTPE", 1)},
    **{letter: Decimal(10 ** (3 * power)) for power, letter in enumerate("kMGTPE", 1)},
    **{letter: Decimal(1).scaleb(-3 * power) for power, letter in enumerate("mun", 1)},
    "": Decimal(1),
}
_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,4})|([KMGTPE]i|[kMGTPEmun])?)")
# An API server caps what is larger than 2^63 - 1.
_MOST = Decimal(2**63 - 1)


def memory_bytes(quantity: str | int) -> int:
    """Bytes of a memory quantity: `64Mi`, `1G`, `1e6`, `1Ei`, `137438953472m`, `128974848`.

    As an API server takes it: parts of a byte are rounded up, and nothing is larger than 2^63 - 1.

    Raises:
        ValueError: When it is none.
    """
    text = str(quantity)
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise ValueError(
            f"{_short(text)!r} is no quantity of memory; write it as 64Mi, 1G or a number of bytes"
        )
    number, exponent, unit = found.groups()
    with localcontext(prec=len(number) + 40):
        value = Decimal(number) * _UNITS[unit or ""]
        value = value.scaleb(int(exponent)) if exponent else value
        value = max(-_MOST, min(_MOST, value))
        return int(value.to_integral_value(ROUND_CEILING))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
