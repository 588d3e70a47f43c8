"""How an ingress controller takes the requests of a load generator: certificate, route, backends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import IngressProgram, expand

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.network import certificates, ingress
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.wiring import Address, reach

if TYPE_CHECKING:
    from sregym_apps.model import LoadGeneratorProgram

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.network.ingress import Route
    from sregym_cluster_embedded.userland.dependency_tracking import UntrackedReads
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.userland.wiring import Target
    from sregym_cluster_embedded.world import World


class IngressRequest(NamedTuple):
    """What a load generator asks an ingress controller for, besides the path.

    Attributes:
        url: Its target, taken apart.
        secure: Whether it comes by TLS.
        host: Of the Host header.
        judged: Whether it looks at certificates.
        trusted: File with certificates of authorities; empty for those of its image.
    """

    url: Address
    secure: bool
    host: str
    judged: bool
    trusted: str


class Passed(NamedTuple):
    """What becomes of requests at an ingress controller.

    Attributes:
        status: What the client counts, where they end there.
        backends: Where they go otherwise, and the path that is asked for there.
    """

    status: str
    backends: tuple[tuple[Target, str], ...] = ()


def request_shape(
    program: LoadGeneratorProgram, process: Process, url: str, where: Address
) -> IngressRequest:
    """What requests to a target are like."""
    facts = process.facts()
    host = expand(program.host, facts) or where.host
    trusted = expand(program.trusted, facts)
    return IngressRequest(where, url.startswith("https:"), host, program.verifies, trusted)


def passed(
    world: World, process: Process, controller: Process, listener: str, asked: IngressRequest, path: str,
    look: UntrackedReads,
) -> Passed:  # fmt: skip
    """What becomes of requests of a load generator that reach a controller."""
    program = controller.behaviour
    assert isinstance(program, IngressProgram)
    if asked.secure != (listener == "https"):
        return Passed("read" if asked.secure else "400")
    found = look.at(_route, world, program.controller, asked.host, path, asked.secure)
    # A client that is sent to TLS goes there.
    secure = asked.secure or (found is not None and found.redirect)
    if secure and asked.judged:
        name, node = asked.url.host, process.config.node
        judge = (program.controller, name, node, process.ref, asked.trusted)
        if look.at(_complaint, world, *judge):
            return Passed("connect")
    if found is None:
        return Passed("404")
    ends = look.at(_ends, world, found.ingress.namespace, found.service, found.port)
    if not ends:
        return Passed("503")
    return Passed(
        "",
        tuple(
            (replace(target, share=target.share / len(ends)), found.path)
            for ip, port in ends
            for target in reach(world, controller, ip, port, "http", ip, look)
        ),
    )


def gateway_status(kind: str) -> str:
    """What a proxy answers for a backend that it did not get through to."""
    return "504" if kind == "timeout" else "502"


def _route(world: World, controller: str, host: str, path: str, secure: bool) -> Route | None:
    return ingress.route(world, controller, host, path, secure=secure)


def _ends(
    world: World, namespace: str, service: str, port: int | str
) -> tuple[tuple[str, int], ...]:
    """Addresses and ports behind a Service: a controller looks at its endpoints itself."""
    target = world.service(NETWORK).backends(world, namespace, service, port)
    return () if target.failure else tuple((end.ip, end.port) for end in target.backends)


def _complaint(
    world: World, controller: str, host: str, node: str, client: ContainerRef, trusted: str
) -> str:
    """What a client says against the certificate that it is shown, by the clock of its node."""
    shown = ingress.certificate(world, controller, host)
    known = trusted and shown.issuer in _authorities(world, client, trusted)
    now = machines.clock(world, node)
    return certificates.complaint(shown, host, now, trusted=bool(known))


def _authorities(world: World, client: ContainerRef, path: str) -> tuple[str, ...]:
    """Whose signatures a client trusts for a file of its container."""
    process = process_of(world, client)
    if process is None:
        return ()
    runtime: Runtime = world.service(RUNTIME)
    found = certificates.read(runtime.files(world, process).read(path) or "")
    return () if found is None else (found.subject,)
