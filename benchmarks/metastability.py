"""A system of 20 services, a short loss of capacity, and two policies of retrying.

    python benchmarks/metastability.py                       # what users see, minute by minute
    python benchmarks/metastability.py --plot FILE.svg       # and both curves as a picture
    python benchmarks/metastability.py --figures             # CPU of it all, and of 2,000 services

One service of the second tier loses three of its four replicas for half a minute. Nothing else
differs between the two runs than the timeout of calls and how often they are made again.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from sregym_apps.model import Client, OnError, ServiceModel, parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.traffic.flow_state import FlowState
from sregym_cluster_embedded.traffic.solver import Solver
from sregym_cluster_embedded.traffic.structure import (
    CallRoute,
    CallSite,
    CallStep,
    Destination,
    Operation,
    Part,
    Server,
    Source,
    Structure,
)
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW
from sregym_cluster_embedded.userland.wiring import Target

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

IMAGE = "ghcr.io/acme/market:1.0"
NAMESPACE = "market"
RATE = 200
TRIGGER_S, TROUBLE_S, END_S = 60.0, 30.0, 600.0

# The service that loses replicas, and how many it has.
WEAK, REPLICAS, LEFT = "orders", 4, 1

# The graph of 2,000 services: tiers, services of the next one that each calls, and how many of its
# requests do.
TIERS, FAN_OUT, SHARE = 8, 3, 0.5

CALLS = {
    "gateway": ("orders", "catalogue", "users", "search"),
    "orders": ("payment", "stock", "shipping", "tax"),
    "catalogue": ("prices", "media", "reviews", "currency"),
    "users": ("sessions", "profiles", "mail"),
    "search": ("index", "ranking", "suggest", "advert"),
}


class Policy(NamedTuple):
    """How calls are given up and made again."""

    timeout: str
    retries: int

    def __str__(self) -> str:
        return f"{self.timeout}, {self.retries} {'retry' if self.retries == 1 else 'retries'}"


EAGER, PATIENT = Policy("50ms", 30), Policy("1s", 1)


class Seen(NamedTuple):
    """What users saw in one second: which, requests, good answers."""

    at_s: float
    requests: int
    ok: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, help="write both curves to this SVG file")
    parser.add_argument("--figures", action="store_true", help="measure CPU instead")
    given = parser.parse_args()
    if given.figures:
        figures()
        return
    runs = {str(policy): run(policy) for policy in (EAGER, PATIENT)}
    print(f"{'good answers of users, per minute':<36}" + "".join(f"{n:>7}" for n in range(1, 11)))
    for name, seen in runs.items():
        minutes = [seen[start : start + 60] for start in range(0, len(seen), 60)]
        shares = [sum(s.ok for s in part) / sum(s.requests for s in part) for part in minutes]
        print(f"{name:<36}" + "".join(f"{share:>7.1%}" for share in shares))
    if given.plot:
        given.plot.write_text(picture(runs))
        print(f"written: {given.plot}")


def figures() -> None:
    """Print what the promised figures are here."""
    rows = []
    for policy in (EAGER, PATIENT):
        best = min(evolution_ms(policy) for _ in range(3))
        rows.append((f"ten minutes of 20 services, {policy}, CPU", best, 50))
    rows.append(("a graph of 2,000 services, one steady solution, CPU", solution_ms(2000), 20))
    for name, measured, promised in rows:
        print(f"{name:<58} {measured:>9.1f} ms {f'< {promised} ms':>12}")


def run(policy: Policy) -> list[Seen]:
    """What users see second by second over ten minutes, with trouble in the second one."""
    world = opened(policy)
    start = world.now
    trouble(world, start)
    traffic, found = world.service(REQUEST_FLOW), []
    for second in range(int(END_S)):
        (window,) = traffic.window(world, start + second, start + second + 1)
        found.append(Seen(second, window.totals.requests, window.totals.ok))
    return found


def trouble(world: World, start: float) -> None:
    """Ten minutes, in the second of which replicas are missing for half a minute."""
    world.run_until(start + TRIGGER_S)
    scale(world, LEFT)
    world.run_until(start + TRIGGER_S + TROUBLE_S)
    scale(world, REPLICAS)
    world.run_until(start + END_S)


def evolution_ms(policy: Policy) -> float:
    """CPU of ten minutes, all layers of the cluster included."""
    world = opened(policy)
    began = time.process_time()
    trouble(world, world.now)
    return (time.process_time() - began) * 1000


def opened(policy: Policy) -> World:
    """The system at rest, all pods ready."""
    world = build(Blueprint(models=(market(policy),)))
    names = [*CALLS, *(callee for callees in CALLS.values() for callee in callees)]
    internal_client.create(world, "namespaces", {"metadata": {"name": NAMESPACE}})
    for name in dict.fromkeys(names):
        create(world, name, REPLICAS if name == WEAK else 1)
    world.run_until(world.now + 60)
    create(world, "load", 1)
    world.run_until(world.now + 60)
    return world


def create(world: World, name: str, replicas: int) -> None:
    """A Deployment and, for what is called, a Service."""
    labels = {"app": name}
    limits = {"cpu": f"{1000 // replicas}m", "memory": "512Mi"}
    container = {"name": name, "image": IMAGE, "command": [name], "resources": {"limits": limits}}
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
    metadata = {"name": name, "namespace": NAMESPACE}
    internal_client.create(world, "deployments.apps", {"metadata": metadata, "spec": spec})
    if name != "load":
        port = {"port": 8080, "targetPort": 8080}
        service = {"metadata": metadata, "spec": {"selector": labels, "ports": [port]}}
        internal_client.create(world, "services", service)


def scale(world: World, replicas: int) -> None:
    """Let the weak service have so many replicas."""
    found = world.store.get(Key("deployments.apps", NAMESPACE, WEAK))
    assert found is not None
    spec = {**found["spec"], "replicas": replicas}
    internal_client.update(world, "deployments.apps", {**found, "spec": spec})


def market(policy: Policy) -> ServiceModel:
    """The service model of the system."""
    names = list(dict.fromkeys([*CALLS, *(c for callees in CALLS.values() for c in callees)]))
    programs: dict[str, Any] = {name: program(name, policy) for name in names}
    programs["load"] = {
        "kind": "load-generator",
        "target": f"http://gateway.{NAMESPACE}:8080",
        "rate": RATE,
        "timeout_s": 5,
        "mix": {"order": {"request": "GET /order", "weight": 1}},
    }
    image = {
        "repository": IMAGE.partition(":")[0],
        "tags": ["1.0"],
        "size_mib": 20,
        "env": {"PATH": "/bin"},
        "binaries": {f"/bin/{name}": name for name in programs},
    }
    model = {"application": "market", "images": [image], "programs": programs}
    return parse_service_model(yaml.safe_dump(model), "market.yaml")


def program(name: str, policy: Policy) -> dict[str, Any]:
    """One service: its share of the work, and whom it calls."""
    edge = name == "gateway"
    retry = {"times": policy.retries, "on": ["timeout", "refused", "unavailable", "reset"]}
    clients = {
        callee: {
            "protocol": "grpc",
            "address": f"{callee}:8080",
            "timeout": policy.timeout,
            "retry": retry,
        }
        for callee in CALLS.get(name, ())
    }
    return {
        "startup": [{"listen": "main"}],
        "listeners": {"main": {"protocol": "http" if edge else "grpc", "port": 8080}},
        "clients": clients,
        "operations": {
            "Do": {
                "listener": "main",
                "cpu_ms": 0.4 if edge else 2.0,
                **({"route": "GET /order"} if edge else {}),
                "calls": [{"call": f"{callee}.Do"} for callee in CALLS.get(name, ())],
            }
        },
    }


def solution_ms(size: int) -> float:
    """CPU of one steady solution of a graph of so many services, its structure being known."""
    structure = graph(size)
    times = []
    for _ in range(7):
        began = time.process_time()
        numbers = FlowState(structure)
        settled = Solver(structure, numbers, [1.0]).settle()
        times.append((time.process_time() - began) * 1000)
        assert settled
        assert all(rate > 0 for rate in numbers.rate)
    return min(times)


def graph(size: int) -> Structure:
    """Services in tiers, each of which calls some of the next tier on a part of its requests."""
    made = Structure()
    tier = size // TIERS
    client = Client(protocol="grpc", address="service:8080", timeout_s=1)
    for index in range(size):
        ref = ContainerRef(NAMESPACE, f"service-{index}", str(index), "main", 0)
        made.servers.append(
            Server(ref, 1.0, True, 1.0, "node", 1, operations=[index], deadline_ms=1000)
        )
        sites = []
        for step in range(FAN_OUT if index >= tier else 0):
            below = index // tier * tier - tier
            callee = below + (index * FAN_OUT + step * 7) % tier
            target = Target(1.0, "", made.servers[callee].ref, "main", {})
            route = CallRoute(made.routes, 1.0, target, callee)
            made.routes += 1
            spot = len(made.sites)
            sites.append(
                CallSite(spot, "next", client, "Do", "", OnError(), 1.0, step, (route,), 1000.0)
            )
            made.sites.append(sites[-1])
        steps = tuple(CallStep(site, SHARE) for site in sites)
        made.operations.append(
            Operation(ref, "Do", index, 0.5, 0.0, 0.35, steps, tuple(sites), (), 1000.0)
        )
    ends = [Destination(1 / tier, index, "500", None, 0.0) for index in range(size - tier, size)]
    users = ContainerRef(NAMESPACE, "load", "load", "main", 0)
    parts = (Part("all", 1.0, tuple(ends)),)
    made.sources.append(Source(users, 50.0, 0.0, 0.0, 5.0, parts))
    return made


def picture(runs: dict[str, list[Seen]]) -> str:
    """Good answers over time, one curve for each run, as SVG."""
    wide, high, left, top = 860, 320, 56, 24
    right, bottom = wide - 16, high - 44

    def x(at_s: float) -> float:
        return left + (right - left) * at_s / END_S

    def y(share: float) -> float:
        return bottom - (bottom - top) * share

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
        f'<rect x="{x(TRIGGER_S):.1f}" y="{top}" width="{x(TROUBLE_S) - left:.1f}" '
        f'height="{bottom - top}" fill="#f3dcc8"/>',
        f'<text x="{x(TRIGGER_S + TROUBLE_S) + 6:.1f}" y="{y(0.5):.1f}" fill="#8a5a2b">'
        f"{REPLICAS - LEFT} of {REPLICAS} replicas missing</text>",
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(
            f'<path d="M{left} {y(share):.1f}H{right}" stroke="#dddddd"/>'
            f'<text x="{left - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>'
        )
    for minute in range(0, int(END_S) // 60 + 1):
        parts.append(
            f'<text x="{x(minute * 60):.1f}" y="{bottom + 18}" text-anchor="middle">{minute}</text>'
        )
    parts.append(
        f'<text x="{(left + right) / 2:.1f}" y="{high - 8}" text-anchor="middle">minutes</text>'
        f'<text x="{left}" y="{top - 9}">requests of users that end well</text>'
    )
    for (name, seen), colour in zip(runs.items(), ("#b3261e", "#1b6e3c"), strict=True):
        points = " ".join(f"{x(s.at_s):.1f},{y(s.ok / s.requests):.1f}" for s in seen)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        height = y(0.0) - 10 if seen[-1].ok * 2 < seen[-1].requests else y(1.0) + 18
        parts.append(
            f'<text x="{right - 8}" y="{height:.1f}" text-anchor="end" fill="{colour}">'
            f"calls given up after {name}</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()
