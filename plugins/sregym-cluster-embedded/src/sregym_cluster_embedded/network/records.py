"""DNS questions and answers as values."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

# CNAMEs that are followed before a chain is taken for a loop, as CoreDNS does.
MOST_ALIASES = 8
_DIGITS = 10


class Question(NamedTuple):
    """What is asked.

    Attributes:
        name: Absolute name in lower case, without the final dot.
        kind: `A`, `AAAA`, `SRV`, `PTR`, `CNAME`, `TXT` ...
    """

    name: str
    kind: str


class Record(NamedTuple):
    """One resource record.

    Attributes:
        name: Its owner, without the final dot.
        kind: Its type.
        data: As written in a zone file: names without the final dot.
        ttl: Seconds for which it may be kept.
    """

    name: str
    kind: str
    data: str
    ttl: int = 30


class Reply(NamedTuple):
    """How a question to one name server ended.

    Attributes:
        status: `ok`, `nodata` (the name exists, but has no record of that type), `nxdomain`,
            `servfail`, `refused` (answered so), `closed` (no process listens at the address),
            `unreachable` (its network is) or `timeout`.
        records: The answer section in order.
        additional: The additional section.
        server: Address of the server.
        uses: `NAMESPACE/NAME` of the Services whose endpoints the answer depends on; `*`: all.
    """

    status: str
    records: tuple[Record, ...] = ()
    additional: tuple[Record, ...] = ()
    server: str = ""
    uses: tuple[str, ...] = ()

    def addresses(self) -> tuple[str, ...]:
        """The addresses in the answer."""
        return tuple(record.data for record in self.records if record.kind in ("A", "AAAA"))

    def aliases(self) -> tuple[Record, ...]:
        """The CNAMEs in the answer."""
        return tuple(record for record in self.records if record.kind == "CNAME")


def reverse_name(address: str) -> str:
    """The name under which the pointer of an IPv4 address stands: `4.3.2.1.in-addr.arpa`."""
    return ".".join(reversed(address.split("."))) + ".in-addr.arpa"


def reversed_address(name: str) -> str | None:
    """The IPv4 address of such a name; None when it is none."""
    head, found, tail = name.rpartition(".in-addr.arpa")
    if not found or tail or not is_address(head):
        return None
    return ".".join(reversed(head.split(".")))


@lru_cache(maxsize=4096)
def is_address(text: str) -> bool:
    """Whether a text is an IPv4 address."""
    parts = text.split(".")
    return len(parts) == 4 and all(number(part, 256) < 256 for part in parts)


def number(text: str, default: int) -> int:
    """A text of a few digits as a number; the default for any other text."""
    return int(text) if text.isdecimal() and len(text) < _DIGITS else default
