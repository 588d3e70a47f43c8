"""Webhooks that are programs in pods, as the API server reaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sregym_apps.model import Line

from sregym_cluster_embedded.api.dynamic.webhook_client import Answer, Call, CallFailed
from sregym_cluster_embedded.machines import control_plane_address
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.network.trust import distrust
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.kinds.kind import WebRequest
from sregym_cluster_embedded.userland.life import write_log
from sregym_cluster_embedded.userland.process import Process, listener_at

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.connect import ConnectResult
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_LATE = "context deadline exceeded"
_PLAIN = "http: server gave HTTP response to HTTPS client"
_WORDS = {
    Outcome.REFUSED: "connection refused",
    Outcome.UNREACHABLE: "network is unreachable",
    Outcome.NO_ROUTE: "no route to host",
    Outcome.NO_PORT: "cannot assign requested address",
}


class Reviewers:
    """Offered to the API: sends calls of webhooks to pods.

    Args:
        runtime: The container runtime.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    def __call__(self, world: World, call: Call) -> Answer:
        """Send a call to the pod behind a Service.

        Raises:
            CallFailed: No answer came, as Go's client words it.
        """
        namespace, name, port = call.endpoint or ("", "", 0)
        pod = world.store.get(Key("pods", namespace, name)) or {"metadata": {"uid": ""}}
        address = pod.get("status", {}).get("podIP", "")
        dialled: ConnectResult = world.service(NETWORK).dial(
            world, None, address, port, node=_control_plane(world)
        )
        if dialled.outcome is Outcome.RESET:
            text = f"read tcp {call.address}: read: connection reset by peer"
            raise CallFailed(text)
        if dialled.outcome is not Outcome.CONNECTED and dialled.outcome not in _WORDS:
            raise CallFailed(_LATE, call.timeout_s)
        found = listener_at(world, pod["metadata"]["uid"], port)
        if dialled.outcome is not Outcome.CONNECTED or found is None:
            why = _WORDS.get(dialled.outcome, _WORDS[Outcome.REFUSED])
            text = f"dial tcp {call.address}: connect: {why}"
            raise CallFailed(text)
        return self._answer(world, call, *found)

    def _answer(self, world: World, call: Call, server: Process, listener: str) -> Answer:
        program = self.runtime.program_of(server)
        if program is None:
            raise CallFailed(_PLAIN)
        kind, parts = self.runtime.kind_of(server), urlsplit(call.url)
        host = parts.hostname or ""
        shown = kind.certificate(world, server, listener, host)
        if shown is None:
            spoken = self.runtime.protocol_of(server, listener)
            http = self.runtime.extensions.protocol(spoken).http
            raise CallFailed(_PLAIN if http else "EOF")
        own = control_plane_address(world)
        bundle = call.ca_bundle.decode(errors="replace")
        if why := distrust(shown, host, bundle, world.epoch + world.now):
            port = 40000 + int(world.seed.fraction("webhook", server.ref, world.now) * 20000)
            said = (
                f"http: TLS handshake error from {own}:{port}: remote error: tls: bad certificate"
            )
            write_log(world, server.ref, program, (Line(text=said, level="error"),))
            text = f"tls: failed to verify certificate: {why}"
            raise CallFailed(text)
        request = WebRequest(
            "POST", f"{parts.path}?{parts.query}", host, parts.port or 443, own,
            {"content-type": "application/json"}, secure=True,
            body=call.body.decode(errors="surrogateescape"),
        )  # fmt: skip
        answer = kind.respond(world, server, program, request)
        if answer is None:
            raise CallFailed("EOF")
        if answer.seconds >= call.timeout_s:
            raise CallFailed(_LATE, call.timeout_s)
        body = answer.body.encode(errors="surrogateescape")
        return Answer(answer.status, body, answer.content_type, answer.seconds)


def _control_plane(world: World) -> str:
    """The node of the API server; empty when it stands on none of them."""
    own = control_plane_address(world)
    return next(
        (
            node["metadata"]["name"]
            for node in world.store.list("nodes", "")
            for address in node.get("status", {}).get("addresses", ())
            if address["address"] == own
        ),
        "",
    )
