"""Requests that the API server passes on to processes in pods, and to kubelets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.proxying import Passed, Passing
from sregym_cluster_embedded.machines import control_plane_address
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.userland import kubelet_server
from sregym_cluster_embedded.userland.httpd import note_request
from sregym_cluster_embedded.userland.kinds.kind import WebRequest
from sregym_cluster_embedded.userland.process import listener_at

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.connect import ConnectResult
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_REASONS = {
    Outcome.REFUSED: "connect: connection refused",
    Outcome.RESET: "read: connection reset by peer",
    Outcome.TIMEOUT: "i/o timeout",
    Outcome.UNREACHABLE: "connect: network is unreachable",
    Outcome.NO_ROUTE: "connect: no route to host",
    Outcome.NO_PORT: "connect: cannot assign requested address",
}


class Passages:
    """Offered to the API as `passage`.

    Args:
        runtime: The container runtime.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    def pass_on(self, world: World, request: Passing) -> Passed:
        """Send a request from the API server, which stands on a node but in no pod."""
        network = world.service(NETWORK)
        own = control_plane_address(world)
        node = next(
            (
                entry["metadata"]["name"]
                for entry in world.store.list("nodes", "")
                for address in entry.get("status", {}).get("addresses", ())
                if address["address"] == own
            ),
            "",
        )
        dialled: ConnectResult = network.dial(world, None, request.address, request.port, node=node)
        place = f"{request.address}:{request.port}"
        if dialled.outcome is not Outcome.CONNECTED:
            return Passed(f"dial tcp {place}: {_REASONS.get(dialled.outcome, 'i/o timeout')}")
        if request.node:
            return kubelet_server.answer(world, request)
        if dialled.backend is None or not dialled.backend.pod_uid:
            return Passed("EOF")
        return self._pod(world, request, dialled.backend.pod_uid, dialled.backend.port)

    def _pod(self, world: World, request: Passing, pod_uid: str, port: int) -> Passed:
        found = listener_at(world, pod_uid, port)
        if found is None:
            place = f"{request.address}:{request.port}"
            return Passed(f"dial tcp {place}: connect: connection refused")
        server, listener = found
        program = self.runtime.program_of(server)
        spoken = self.runtime.protocol_of(server, listener)
        if program is None or not self.runtime.extensions.protocol(spoken).http:
            return Passed("net/http: HTTP/1.x transport connection broken: malformed HTTP response")
        if request.scheme == "https":
            return Passed("http: server gave HTTP response to HTTPS client")
        kind, own = self.runtime.kind_of(server), control_plane_address(world)
        asked = WebRequest(
            request.method, request.path, request.address, port, own,
            {"host": f"{request.address}:{request.port}"},
        )  # fmt: skip
        answer = kind.respond(world, server, program, asked)
        if answer is None:
            return Passed("EOF")
        note_request(world, server, own, request.path, answer.status)
        return Passed("", answer.status, answer.body, answer.content_type)
