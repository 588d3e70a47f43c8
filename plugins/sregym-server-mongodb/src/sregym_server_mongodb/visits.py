"""Who connected to a mongod and was turned away for what: its log tells of it when it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_cluster_embedded.sdk.servers import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import ContainerRef, World

_TABLE: TableKey[ContainerRef, tuple[ClientEvent, ...]] = TableKey("mongodb.visits")
# The log of a container is rotated long before.
_KEPT = 10_000


# What the shells say of themselves when they connect.
SHELLS: Mapping[str, object] = {
    "mongo": {
        "application": {"name": "MongoDB Shell"},
        "driver": {"name": "MongoDB Internal Client", "version": "4.4.6"},
        "os": {"type": "Linux", "name": "Ubuntu", "architecture": "x86_64", "version": "18.04"},
    },
    "mongosh": {
        "application": {"name": "mongosh 2.5.8"},
        "driver": {"name": "nodejs|mongosh", "version": "6.19.0|2.5.8"},
        "os": {"type": "Linux", "name": "linux", "architecture": "x64"},
        "platform": "Node.js v20.19.5, LE",
    },
}


class Visit(NamedTuple):
    """A connection.

    Attributes:
        at: Virtual second.
        peer: Address it came from.
        shell: `mongo` or `mongosh`, which leaves at once; empty for a driver, which stays and says
            nothing of itself.
        user: The user that logged in; empty for none.
        database: Where the account stands.
        error: Why the login failed; empty when it did not.
        broken: Why the server ended it before a word was said; empty when it did not.
    """

    at: float
    peer: str
    shell: str = ""
    user: str = ""
    database: str = ""
    error: str = ""
    broken: str = ""


class Denial(NamedTuple):
    """A command that an account had no right to, over the last connection from an address.

    Attributes:
        at: Virtual second.
        peer: Where the command came from.
        message: `errmsg` of the answer.
    """

    at: float
    peer: str
    message: str


ClientEvent: TypeAlias = Visit | Denial


def note(world: World, server: ContainerRef, event: ClientEvent) -> None:
    """Remember what happened at a server."""
    known = world.table(_TABLE)
    known[server] = (*known.get(server, ()), event)[-_KEPT:]


def client_events(world: World, server: ContainerRef) -> Sequence[ClientEvent]:
    """What happened at a life of a server, oldest first."""
    found: Sequence[ClientEvent] = world.table(_TABLE).get(server, ())
    return found
