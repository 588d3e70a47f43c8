"""Management boards of machines: what they are called, where they answer, what they ask for."""

from __future__ import annotations

# After the node's name; and where a node keeps the word that all boards ask for.
BOARD_SUFFIX, BOARD_SECRET = "-bmc", "/etc/ipmi.secret"


def board_of(address: str) -> str:
    """The address of a machine's board, in a network of its own beside that of the nodes."""
    first, _, rest = address.partition(".")
    second, _, rest = rest.partition(".")
    return f"{first}.{int(second) + 2}.{rest}" if second.isdecimal() else address
