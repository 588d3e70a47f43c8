"""Requests through an ingress controller: what a client sees of routing, backends and certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import IngressProgram

from sregym_cluster_embedded.network import certificates, ingress
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.userland import pages
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer, WebRequest
from sregym_cluster_embedded.userland.process import Process, process_of
from sregym_cluster_embedded.userland.wiring import Address, reach

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.ingress import Route
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_PLAIN_TO_TLS = "The plain HTTP request was sent to HTTPS port"
# How long the proxy waits for a backend that takes no connection.
_CONNECT_S = 5.0


class Passed(NamedTuple):
    """What came of a request to an ingress controller.

    Attributes:
        answer: The answer; None when the client broke off for the certificate.
        untrusted: What the client says against the certificate.
        headers: Further headers of the answer.
        seconds: How long the proxy waited for its backend.
    """

    answer: WebAnswer | None
    untrusted: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


def pass_on(
    world: World,
    server: Process,
    listener: str,
    address: Address,
    host: str,
    method: str,
    *,
    secure: bool,
    insecure: bool,
) -> Passed:
    """Send a request to an ingress controller; `host` is that of the Host header."""
    program = server.behaviour
    if not isinstance(program, IngressProgram):
        raise TypeError(f"{server.program!r} passes nothing on: ask only ingress controllers")
    if not secure and listener == "https":
        return Passed(_page(400, _PLAIN_TO_TLS))
    if secure and not insecure:
        shown = ingress.certificate(world, program.controller, address.host)
        now = world.epoch + world.now
        said = certificates.complaint(shown, address.host, now)
        if said:
            return Passed(None, said)
    found = ingress.route(world, program.controller, host, address.path or "/", secure=secure)
    if found is None:
        return Passed(_page(404))
    if found.redirect:
        place = f"https://{host}{address.path or '/'}"
        return Passed(_page(308), "", (("Location", place),))
    return _from_backend(world, server, found, method, host)


def _from_backend(world: World, server: Process, found: Route, method: str, host: str) -> Passed:
    target = world.service(NETWORK).backends(
        world, found.ingress.namespace, found.service, found.port
    )
    if target.failure is not None or not target.backends:
        return Passed(_page(503))
    chosen = world.seed.pick(target.backends, "ingress", found.ingress, found.path, world.now)
    (end, *_) = reach(world, server, chosen.ip, chosen.port, "http", chosen.ip)
    if end.kind == "timeout":
        return Passed(_page(504), seconds=_CONNECT_S)
    if end.kind or end.ref is None:
        return Passed(_page(502))
    backend = process_of(world, end.ref)
    runtime: Runtime = world.service(RUNTIME)
    program = runtime.program_of(backend) if backend is not None else None
    answer = None
    if backend is not None and program is not None:
        request = WebRequest(
            method, found.path, host, chosen.port, server.config.pod_ip, {"host": host}
        )
        answer = runtime.kind_of(backend).respond(world, backend, program, request)
    return Passed(answer if answer is not None else _page(502))


def _page(status: int, said: str = "") -> WebAnswer:
    """A page of the proxy itself."""
    return WebAnswer(status, pages.page(status, "nginx", said), "text/html")
