"""Connections of running programs that end before a word is said: drivers open others, in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import (
    NO_CERTIFICATE,
    NOT_SECURED,
    Refusal,
    client_uses_tls,
)

from sregym_server_mongodb.encryption import handshake_error, secured
from sregym_server_mongodb.visits import Visit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance
    from sregym_cluster_embedded.sdk.logs import CallFlow
    from sregym_cluster_embedded.sdk.servers import Process, World

_KINDS = ("protocol", "tls")
# A driver that was refused waits so long before it opens another connection.
_AGAIN_S = 5.0


def in_vain(call: CallFlow) -> bool:
    """Whether no connection of a call comes to anything."""
    return sum(share for kind, _, share in call.errors if kind in _KINDS) >= 1


def tried_in_vain(
    world: World, instance: ContainerInstance, callers: Sequence[ContainerInstance]
) -> Iterator[Visit]:
    """The connections of clients of a server with which it did not come to terms."""
    for caller in callers:
        began = -_AGAIN_S
        for segment, end in caller.spans(world.now):
            calls = [
                call
                for flow in segment.flows
                for call in flow.calls
                if call.callee == instance.ref and call.rate > 0 and in_vain(call)
            ]
            if not calls:
                continue
            client = calls[0].client
            words = _words(instance.process, caller.process, client, calls[0])
            at = max(segment.start, began + _AGAIN_S)
            while at < end:
                yield Visit(at, caller.process.config.pod_ip, broken=words)
                began, at = at, at + _AGAIN_S


def _words(server: Process, caller: Process, client: str, call: CallFlow) -> str:
    """What the server says: it knows its own mode, and how the client came."""
    if call.errors[0][0] == "tls":
        return handshake_error(Refusal("tls", ""))
    offered = secured(server)
    if offered is None:
        return handshake_error(Refusal("protocol", NOT_SECURED))
    if not client_uses_tls(caller.clients[client]) and offered.plain is not None:
        return handshake_error(offered.plain)
    return handshake_error(Refusal("protocol", NO_CERTIFICATE))
