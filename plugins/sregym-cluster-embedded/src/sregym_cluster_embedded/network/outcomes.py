"""Where connections end, and how."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

# A neighbour that does not answer ARP is given up after three tries of a second.
NO_ROUTE_S = 3.1


class Outcome(StrEnum):
    """How an attempt to connect ends."""

    CONNECTED = "connected"
    REFUSED = "refused"
    RESET = "reset"
    # Packets are lost: the caller's own limit decides.
    TIMEOUT = "timeout"
    # `Network is unreachable`: no router knows the network.
    UNREACHABLE = "unreachable"
    # `No route to host`: the network is there, the host is not.
    NO_ROUTE = "no_route"
    # `Cannot assign requested address`: the caller's node has no ephemeral port left.
    NO_PORT = "no_port"
    # The name was not found; the look-up says why.
    NAME = "name"

    def seconds(self) -> float:
        """How long a caller without a limit waits until it knows; infinite for lost packets."""
        if self is Outcome.TIMEOUT:
            return math.inf
        return NO_ROUTE_S if self is Outcome.NO_ROUTE else 0.0


class Backend(NamedTuple):
    """One endpoint behind an address.

    Attributes:
        pod_uid: Uid of the pod; empty for endpoints that are no pods.
        namespace: Namespace of the pod.
        pod: Its name.
        ip: Where the packets go.
        port: The port there.
        node: The node of the endpoint.
    """

    pod_uid: str
    namespace: str
    pod: str
    ip: str
    port: int
    node: str


class Target(NamedTuple):
    """Where packets for an address may go.

    Attributes:
        failure: Set when they go nowhere.
        backends: The endpoints that share the connections evenly.
        service: `NAMESPACE/NAME` of the Service that was translated; empty for none.
    """

    failure: Outcome | None
    backends: tuple[Backend, ...] = ()
    service: str = ""


class Path(NamedTuple):
    """What the way to an endpoint and back does to packets.

    Attributes:
        latency_ms: Added to each round trip.
        jitter_ms: Standard deviation of that.
        loss: Fraction of round trips that lose a packet.
        bandwidth_mbit: Of the narrowest link, megabits a second; 0 for no limit.
        fails: Set when nothing gets through at all.
    """

    latency_ms: float = 0.0
    jitter_ms: float = 0.0
    loss: float = 0.0
    bandwidth_mbit: float = 0.0
    fails: Outcome | None = None


CLEAR = Path()
