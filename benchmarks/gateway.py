"""What it costs an agent that its requests pass the guard, how many the gateway answers, and what fifty sessions cost.

python benchmarks/gateway.py
"""

from __future__ import annotations

import http.client
import json
import resource
import ssl
import statistics
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sregym_agents.guard.background import BackgroundGuard
from sregym_agents.guard.upstream import read_upstream
from sregym_agents.outside import opened
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor import ComponentFactory
from sregym_core.conductor.session import LiveSession
from sregym_core.conductor.timeline import Timeline
from sregym_core.interfaces import Budget, ClusterSpec
from sregym_core.plugins import Plugins
from sregym_core.policy import Policy
from sregym_core.policy.role import ON_CALL
from sregym_core.settings import Settings
from sregym_kubernetes.operations.role import grant

if TYPE_CHECKING:
    from sregym_core.conductor.worlds import Worlds

APPLICATION = "hotel-reservation"
REQUESTS = 300
SESSIONS = 50
PATHS = (
    "/version",
    f"/api/v1/namespaces/{APPLICATION}/pods",
    f"/apis/apps/v1/namespaces/{APPLICATION}/deployments/frontend",
)
TRANSCRIPT = (
    "get pods -n hotel-reservation",
    "get deployments -n hotel-reservation",
    "get events -n hotel-reservation",
    "describe deployment frontend -n hotel-reservation",
    "get service frontend -n hotel-reservation -o yaml",
    "logs deploy/frontend -n hotel-reservation --tail=20",
    "get endpoints frontend -n hotel-reservation",
    "patch service frontend -n hotel-reservation -p {}",
)


def asked(connection: Any, prefix: str, path: str) -> float:
    """Milliseconds of one request on a kept connection."""
    began = time.perf_counter()
    connection.request("GET", prefix + path)
    connection.getresponse().read()
    return (time.perf_counter() - began) * 1000


def overhead(factory: ComponentFactory) -> None:
    """Medians of a request without and with the guard, on kept connections."""
    application = factory.application(APPLICATION)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        spec = ClusterSpec(applications=(application,), folder=Path(folder), options={"pace": "0.001"})  # fmt: skip
        cluster = Embedded().provision(spec)
        stack.callback(cluster.close)
        application.deploy(cluster)
        grant(cluster, application.namespaces)
        cluster.clock.advance(120.0)
        upstream = read_upstream(cluster.open_access().kubeconfig)
        guard = stack.enter_context(BackgroundGuard(upstream, Policy(identity=ON_CALL)))
        tls = upstream.tls or ssl.create_default_context()
        direct = http.client.HTTPSConnection(upstream.host, upstream.port, context=tls)
        address = urlsplit(guard.url)
        through = http.client.HTTPConnection(address.netloc)
        for path in PATHS:
            # Turn by turn, so that what else the machine does meets both alike.
            pairs = [(asked(direct, "", path), asked(through, address.path, path)) for _ in range(REQUESTS)]  # fmt: skip
            without, guarded = (statistics.median(side) for side in zip(*pairs, strict=True))
            print(
                f"{path:<62}{without:6.2f} ms, through the guard {guarded:6.2f} ms: {guarded - without:+.2f} ms"
            )
        direct.close()
        through.close()


def session_of(factory: ComponentFactory, worlds: Worlds, *, served: bool) -> LiveSession:
    """A session in a world of its own."""
    application = factory.application(APPLICATION)
    world = worlds.make(application, 60.0, 0, served)
    timeline = Timeline("benchmark", Plugins(Settings(), found=()))
    timeline.follow(world.cluster.clock)
    policy = Policy(identity=ON_CALL)
    budget = Budget(episode_s=None, wall_s=None)
    return LiveSession(
        world.cluster, timeline, "", application.namespaces, budget, None,
        lambda *_: None, lambda: None, policy,
    )  # fmt: skip


def in_process(factory: ComponentFactory) -> None:
    """The mean over a transcript, CPU of this process."""
    session = session_of(factory, factory.worlds("embedded", {}), served=False)
    for line in TRANSCRIPT:
        session.kubectl(f"kubectl {line}")
    began = time.process_time()
    for _ in range(20):
        for line in TRANSCRIPT:
            session.kubectl(f"kubectl {line}")
    mean = (time.process_time() - began) / 20 / len(TRANSCRIPT) * 1000
    print(
        f"a tool call in process, mean over {len(TRANSCRIPT)} kubectl commands: {mean:.2f} ms CPU"
    )


def rates(factory: ComponentFactory) -> None:
    """Requests of one client on a kept connection, with CPU of the whole process: client and API server too."""
    worlds = factory.worlds("embedded", {})
    listing = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    accept = "application/json, text/event-stream"
    with opened(session_of(factory, worlds, served=False)) as gateway:
        head = {"Authorization": f"Bearer {gateway.token}", "Accept": accept, "Content-Type": "application/json"}  # fmt: skip
        kubernetes, mcp = gateway.endpoints["kubernetes"], gateway.endpoints["mcp"]
        pods = f"/api/v1/namespaces/{APPLICATION}/pods"
        for name, method, url, body, count in (
            ("gateway, status", "GET", f"{gateway.url}/status", b"", 3000),
            ("gateway, tools", "GET", f"{gateway.url}/tools", b"", 3000),
            ("MCP, tools/list", "POST", mcp, listing, 500),
            ("guard, version", "GET", f"{kubernetes}/version", b"", 2000),
            ("guard, pods", "GET", f"{kubernetes}{pods}", b"", 200),
        ):
            address = urlsplit(url)
            line = http.client.HTTPConnection(address.netloc)
            for number in range(count + 20):
                if number == 20:
                    began, busy = time.perf_counter(), time.process_time()
                line.request(method, address.path, body or None, head)
                line.getresponse().read()
            took, used = time.perf_counter() - began, time.process_time() - busy
            line.close()
            print(
                f"{name:<16}{count / took:8.0f} requests/s, {used / count * 1000:6.2f} ms CPU each"
            )


def many(factory: ComponentFactory) -> None:
    """Memory of this process with many sessions that are open at once."""
    worlds = factory.worlds("embedded", {})
    began = time.perf_counter()
    with ExitStack() as stack:
        for _ in range(SESSIONS):
            stack.enter_context(opened(session_of(factory, worlds, served=False)))
        threads = threading.active_count()
        mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        took = time.perf_counter() - began
        print(
            f"{SESSIONS} sessions at once, each with a world, gateway, MCP and guard: {mib:.0f} MiB, {threads} threads, {took:.0f} s to open"
        )


if __name__ == "__main__":
    everything = ComponentFactory(Settings())
    overhead(everything)
    in_process(everything)
    rates(everything)
    many(everything)
