"""Quantities of memory as Kubernetes writes them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

_UNITS = {
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
}


def memory_bytes(quantity: str | int) -> int:
    """Bytes of a memory quantity: `64Mi`, `1G`, `1e6`, `128974848`.

    Raises:
        ValueError: When it is none.
    """
    text = str(quantity)
    unit = next((unit for unit in _UNITS if text.endswith(unit)), "")
    try:
        return int(Decimal(text.removesuffix(unit)) * _UNITS.get(unit, 1))
    except InvalidOperation:
        raise ValueError(
            f"{text!r} is no quantity of memory; write it as 64Mi, 1G or a number of bytes"
        ) from None
