"""Tables of awk, and the order in which `for (key in table)` goes over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.awk.values import NOTHING

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.awk.values import Value

# The sizes that a table of BusyBox grows through, and how full it gets before it does.
_SIZES = (61, 251, 1021, 4093, 16381, 65521)
_FULL = 10


class Table:
    """Values by text.

    Args:
        busybox: Whether keys are gone over as BusyBox has hashed them; as they came, otherwise.
    """

    def __init__(self, *, busybox: bool) -> None:
        self._busybox = busybox
        self._values: dict[str, Value] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def found(self, key: str) -> Value:
        """A value; a key that was not there is from now on."""
        return self._values.setdefault(key, NOTHING)

    def put(self, key: str, value: Value) -> None:
        """Set a value."""
        self._values[key] = value

    def remove(self, key: str) -> None:
        """Take a key away."""
        self._values.pop(key, None)

    def clear(self) -> None:
        """Take all away."""
        self._values.clear()

    def order(self) -> list[str]:
        """The keys as they are gone over."""
        if not self._busybox:
            return list(self._values)
        size = next((n for n in _SIZES if len(self._values) <= n * _FULL), _SIZES[-1])
        places: dict[int, list[str]] = {}
        for key in self._values:
            places.setdefault(_hash(key) % size, []).insert(0, key)
        return [key for place in sorted(places) for key in places[place]]


def _hash(key: str) -> int:
    found = 0
    for char in key:
        code = ord(char)
        # Characters are signed.
        found = (code - 256 * (code > 127) + (found << 6) + (found >> 26)) & 0xFFFFFFFF
    return found
