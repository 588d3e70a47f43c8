"""Probes, with the messages of the kubelet."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from sregym_apps.model import ServiceProgram, expand, is_on

from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ProbeResult
from sregym_cluster_embedded.network.connect import dial
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.links import LINKS
from sregym_cluster_embedded.network.outcomes import Backend, Outcome
from sregym_cluster_embedded.network.paths import packet_path
from sregym_cluster_embedded.network.resolver import NODE_DNS
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.flags import facts_with_flags
from sregym_cluster_embedded.userland.httpd import note_request
from sregym_cluster_embedded.userland.kinds.kind import WebRequest
from sregym_cluster_embedded.userland.life import touch_probes
from sregym_cluster_embedded.userland.process import Process, listener_at, process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_EXITED = (
    "rpc error: code = Unknown desc = failed to exec in container: container is in "
    "CONTAINER_EXITED state"
)
_WORDS = {
    Outcome.NO_ROUTE: "no route to host",
    Outcome.UNREACHABLE: "network is unreachable",
    Outcome.RESET: "connection reset by peer",
}
_AGENT = "kube-probe/1.36"
_LATE = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"


def perform_probe(
    world: World, runtime: Runtime, ref: ContainerRef, probe: dict[str, Any]
) -> ProbeResult:
    """Perform the probe's handler now; the message is what follows `probe failed: `."""
    process = process_of(world, ref)
    if process is None:
        return ProbeResult(False, "container not running")
    if "exec" in probe and not process.running:
        return ProbeResult(False, _EXITED, errored=True)
    if "exec" in probe:
        return _exec(world, runtime, ref, probe)
    aside = _nameless(process, probe) or _elsewhere(world, process, probe)
    if aside is not None:
        return aside
    if world.table(LINKS) and _cut_off(world, process, probe):
        return ProbeResult(False, _silence(process, probe), took_s=_limit_s(probe))
    if process.stopped and "tcpSocket" not in probe:
        return ProbeResult(False, _silence(process, probe), took_s=_limit_s(probe))
    if "httpGet" in probe:
        return _http(world, runtime, process, probe)
    if "tcpSocket" in probe:
        return _tcp(world, process, probe["tcpSocket"])
    if "grpc" in probe:
        return _grpc(world, runtime, process, probe)
    return ProbeResult(True)


def _cut_off(world: World, process: Process, probe: dict[str, Any]) -> bool:
    """Whether packets of the node do not reach the pod, or not in the probe's time."""
    ref, config = process.ref, process.config
    end = Backend(ref.pod_uid, ref.namespace, ref.pod, config.pod_ip, 0, config.node)
    path = packet_path(world, None, end, node=config.node)
    return path.fails is not None or path.latency_ms > probe.get("timeoutSeconds", 1) * 1000


def _nameless(process: Process, probe: dict[str, Any]) -> ProbeResult | None:
    """What comes of a probe to a port by a name that its container does not declare."""
    port = (probe.get("httpGet") or probe.get("tcpSocket") or {}).get("port", 0)
    if isinstance(port, int) or _port(process, port):
        return None
    return ProbeResult(False, f'strconv.Atoi: parsing "{port}": invalid syntax', errored=True)


def _elsewhere(world: World, process: Process, probe: dict[str, Any]) -> ProbeResult | None:
    """What comes of a probe to another host than the pod's, as seen from its node."""
    handler = probe.get("httpGet") or probe.get("tcpSocket") or {}
    host, config = handler.get("host"), process.config
    if not host or host == config.pod_ip:
        return None
    local = host == "localhost" or host.startswith("127.")
    pod = world.store.get(Key("pods", process.ref.namespace, process.ref.pod))
    if local and pod is not None and pod["spec"].get("hostNetwork"):
        return None
    port = _port(process, handler["port"])
    outcome = Outcome.REFUSED
    if not local:
        outcome = dial(world, None, host, port, node=config.node).outcome
    if outcome is Outcome.CONNECTED:
        return ProbeResult(True)
    if outcome is Outcome.TIMEOUT:
        return ProbeResult(False, _silence(process, probe), took_s=_limit_s(probe))
    if outcome is Outcome.NAME:
        why = f"dial tcp: lookup {host} on {NODE_DNS}:53: no such host"
    else:
        why = f"dial tcp {host}:{port}: connect: {_WORDS.get(outcome, 'connection refused')}"
    if "httpGet" not in probe:
        return ProbeResult(False, why)
    scheme, path = handler.get("scheme", "HTTP").lower(), handler.get("path", "/").lstrip("/")
    return ProbeResult(False, f'Get "{scheme}://{_bracketed(host)}:{port}/{path}": {why}')


def _limit_s(probe: dict[str, Any]) -> float:
    return float(probe.get("timeoutSeconds", 1))


def _silence(process: Process, probe: dict[str, Any]) -> str:
    """What the kubelet says when nothing comes back."""
    if "httpGet" in probe:
        handler = probe["httpGet"]
        host = _bracketed(handler.get("host") or process.config.pod_ip)
        path = handler.get("path", "/").lstrip("/")
        scheme, port = handler.get("scheme", "HTTP").lower(), _port(process, handler["port"])
        return f'Get "{scheme}://{host}:{port}/{path}": {_LATE}'
    if "tcpSocket" in probe:
        handler = probe["tcpSocket"]
        place = f"{handler.get('host') or process.config.pod_ip}:{_port(process, handler['port'])}"
        return f"dial tcp {place}: i/o timeout"
    where = f"{process.config.pod_ip}:{_port(process, probe['grpc']['port'])}"
    seconds = probe.get("timeoutSeconds", 1)
    return (
        f'timeout: failed to connect service "{where}" within {seconds}s: context deadline exceeded'
    )


def _exec(world: World, runtime: Runtime, ref: ContainerRef, probe: dict[str, Any]) -> ProbeResult:
    command = tuple(probe["exec"].get("command", ()))
    process, network = process_of(world, ref), world.service(NETWORK)
    before = network.looks(world)
    result = runtime.exec(world, ref, command, "", looks=True)
    # What it sees of its own container changes by what tells its probes: processes, files, commands.
    # Others do not, nor does a script that runs there.
    if network.looks(world) != before or process is None or process.behaviour is None:
        touch_probes(world, ref)
    if result.error:
        exec_id = world.seed.hexadecimal(64)
        text = (
            "rpc error: code = Unknown desc = failed to exec in container: failed to start exec "
            f'"{exec_id}": {result.error}'
        )
        return ProbeResult(False, text, errored=True)
    seconds = probe.get("timeoutSeconds", 1)
    if result.duration_s > seconds:
        text = f'command timed out: "{" ".join(command)}" timed out after {seconds}s'
        return ProbeResult(False, text, took_s=float(seconds))
    return ProbeResult(result.exit_code == 0, result.stdout + result.stderr)


def _tcp(world: World, process: Process, handler: dict[str, Any]) -> ProbeResult:
    host = handler.get("host") or process.config.pod_ip
    port = _port(process, handler["port"])
    if listener_at(world, process.ref.pod_uid, port) is None:
        return ProbeResult(False, f"dial tcp {host}:{port}: connect: connection refused")
    return ProbeResult(True)


def _grpc(world: World, runtime: Runtime, process: Process, probe: dict[str, Any]) -> ProbeResult:
    port = _port(process, probe["grpc"]["port"])
    found = listener_at(world, process.ref.pod_uid, port)
    seconds = probe.get("timeoutSeconds", 1)
    if found is not None and found[0].wait_s > seconds:
        text = f"timeout: health rpc did not complete within {seconds}s"
        return ProbeResult(False, text, took_s=float(seconds))
    if found is None or runtime.protocol_of(*found) != "grpc":
        where = f"{process.config.pod_ip}:{port}"
        text = f'timeout: failed to connect service "{where}" within {seconds}s: context deadline exceeded'
        return ProbeResult(False, text, took_s=float(seconds))
    program = found[0].behaviour
    served = program.listeners.get(found[1]) if isinstance(program, ServiceProgram) else None
    unhealthy = "" if served is None else served.unhealthy
    if unhealthy and is_on(expand(unhealthy, facts_with_flags(world, found[0]))):
        return ProbeResult(False, 'service unhealthy (responded with "NOT_SERVING")')
    return ProbeResult(True)


def _http(world: World, runtime: Runtime, process: Process, probe: dict[str, Any]) -> ProbeResult:
    handler = probe["httpGet"]
    host = handler.get("host") or process.config.pod_ip
    port = _port(process, handler["port"])
    scheme = handler.get("scheme", "HTTP").lower()
    path = handler.get("path", "/")
    url = f"{scheme}://{_bracketed(host)}:{port}{path if path.startswith('/') else '/' + path}"
    found = listener_at(world, process.ref.pod_uid, port)
    if found is None:
        return ProbeResult(
            False, f'Get "{url}": dial tcp {host}:{port}: connect: connection refused'
        )
    server, listener = found
    program = runtime.program_of(server)
    spoken = runtime.protocol_of(server, listener)
    if program is None or not runtime.extensions.protocol(spoken).http:
        broken = "net/http: HTTP/1.x transport connection broken: malformed HTTP response"
        return ProbeResult(False, f'Get "{url}": {broken}')
    kind = runtime.kind_of(server)
    secure = scheme == "https"
    if secure and kind.certificate(world, server, listener, host) is None:
        return ProbeResult(False, f'Get "{url}": http: server gave HTTP response to HTTPS client')
    gateway = ".".join([*process.config.pod_ip.split(".")[:3], "1"])
    headers = {"host": f"{host}:{port}", "user-agent": _AGENT}
    headers.update(
        {entry["name"].lower(): entry["value"] for entry in handler.get("httpHeaders", ())}
    )
    named = headers["host"].partition(":")[0]
    request = WebRequest("GET", path, named, port, gateway, headers, secure)
    answer = kind.respond(world, server, program, request)
    late = answer is not None and answer.seconds + server.wait_s > probe.get("timeoutSeconds", 1)
    if answer is None or late or server.served_at is None:
        return ProbeResult(False, f'Get "{url}": {_LATE}', took_s=_limit_s(probe))
    note_request(world, server, gateway, path, answer.status)
    if not 200 <= answer.status < 400:
        return ProbeResult(False, f"HTTP probe failed with statuscode: {answer.status}")
    return ProbeResult(True)


def _port(process: Process, port: int | str) -> int:
    if isinstance(port, int) or str(port).isdecimal():
        return int(port)
    for declared in process.config.spec.get("ports", ()):
        if declared.get("name") == port:
            return int(declared["containerPort"])
    return 0


def _bracketed(host: str) -> str:
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host
