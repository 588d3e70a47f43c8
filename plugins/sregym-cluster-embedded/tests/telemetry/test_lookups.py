"""What CoreDNS logs: lookups of the calls that were made, while its plugin `log` was on."""

from __future__ import annotations

from dataclasses import replace

from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ContainerRef
from sregym_cluster_embedded.telemetry.coredns_query_log import logged_lookups
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.segments import SERVED, CallFlow, Flow, note
from sregym_cluster_embedded.userland.process import Process, save
from sregym_cluster_embedded.world import SimulationSpec, World


def process(world: World, name: str, ip: str, program: str) -> Process:
    ref = ContainerRef("shop", name, f"uid-{name}", "main", 0)
    config = ContainerConfig(ref, "image", None, None, {}, None, {}, None, None, "node1", ip, name)
    return save(world, Process(config, ("run",), {}, "/", program, {}, world.now))


def call(host: str, ok: float, *errors: tuple[str, str, float]) -> CallFlow:
    return CallFlow("c", host, None, "get", "", 0, 2.0, 0.0, ok, errors, Time(), Time())


def cluster(*calls: CallFlow, logged: str = "0.0 all;") -> tuple[World, Process]:
    """A CoreDNS and one caller whose only operation makes these calls, for a minute."""
    world = World(SimulationSpec(), 7, 1_795_000_000)
    server = process(world, "coredns", "10.244.0.2", "coredns")
    server = save(world, replace(server, settings={"corefile logged": logged}))
    caller = process(world, "web", "10.244.1.5", "web")
    flow = Flow("buy", 2.0, 1.0, (), Time())._replace(calls=calls)
    note(world, SERVED, caller.ref, (flow,))
    world.run_until(60.0)
    return world, server


def texts(world: World, server: Process, first: float = 0.0, until: float = 60.0) -> list[str]:
    return [line.text for line in logged_lookups(world, server, first, until, None)]


def questions(found: list[str]) -> list[str]:
    """Type, name and answer of each line."""
    words = [line.split() for line in found]
    return [f"{word[4][1:]} {word[6]} {word[11]}" for word in words]


def test_names_that_are_not_there_are_asked_with_every_call() -> None:
    world, server = cluster(call("stock", 0.0, ("dns", "no such host", 1.0)))
    found = texts(world, server)
    # Two calls a second, four names each, two records of each name.
    assert len(found) == 60 * 2 * 4 * 2
    assert questions(found[:8]) == [
        f"{kind} {name}. NXDOMAIN"
        for name in (
            "stock.shop.svc.cluster.local", "stock.svc.cluster.local", "stock.cluster.local", "stock",
        )
        for kind in ("A", "AAAA")
    ]  # fmt: skip
    assert found[0].startswith("[INFO] 10.244.1.5:")
    assert (
        '"A IN stock.shop.svc.cluster.local. udp 46 false 512" NXDOMAIN qr,aa,rd 139 0.0'
        in found[0]
    )
    assert ' "AAAA IN stock. udp 23 false 512" NXDOMAIN qr,rd,ra 98 0.0' in found[7]


def test_names_that_are_there_are_asked_now_and_then() -> None:
    world, server = cluster(call("stock.other", 1.0))
    found = texts(world, server)
    assert sorted(set(questions(found))) == [
        "A stock.other.shop.svc.cluster.local. NXDOMAIN",
        "A stock.other.svc.cluster.local. NOERROR",
        "AAAA stock.other.shop.svc.cluster.local. NXDOMAIN",
        "AAAA stock.other.svc.cluster.local. NOERROR",
    ]
    assert len(found) == 2 * 4


def test_addresses_and_what_gets_no_answer_are_not_looked_up() -> None:
    world, server = cluster(
        call("10.96.0.7", 1.0), call("x", 0.0, ("dns", "read udp: i/o timeout", 1.0))
    )
    assert texts(world, server) == []


def test_only_while_the_plugin_was_there_and_of_its_classes() -> None:
    failing = call("stock", 0.5, ("dns", "no such host", 0.5))
    world, server = cluster(failing, logged="0.0 ;20.0 all;40.0 success;50.0 ;")
    times = [line.at for line in logged_lookups(world, server, 0.0, 60.0, None)]
    assert (min(times) >= 20.0, max(times) < 50.0) == (True, True)
    assert {line.rsplit(" ", 4)[1] for line in texts(world, server, 40.0)} <= {"NOERROR"}
    assert texts(*cluster(failing, logged="0.0 ;")) == []


def test_parts_make_the_whole_and_the_tail_is_its_end() -> None:
    world, server = cluster(call("stock", 0.5, ("dns", "server misbehaving", 0.5)))
    whole = [*logged_lookups(world, server, 0.0, 60.0, None)]
    parts = [
        line for n in range(120) for line in logged_lookups(world, server, n / 2, n / 2 + 0.5, None)
    ]
    assert parts == whole
    tail = [*logged_lookups(world, server, 0.0, 60.0, 15)]
    assert tail == whole[-len(tail) :]
    assert len(tail) >= 15


def test_servers_share_the_lookups() -> None:
    world, server = cluster(call("stock", 0.0, ("dns", "no such host", 1.0)))
    alone = texts(world, server)
    other = process(world, "coredns-2", "10.244.0.3", "coredns")
    other = save(world, replace(other, settings=server.settings, started_at=0.0))
    both = (texts(world, server), texts(world, other))
    assert sorted(both[0] + both[1]) == sorted(alone)
    assert all(len(one) == len(alone) // 2 for one in both)


def test_who_is_gone_answers_nothing_more() -> None:
    world, server = cluster(call("stock", 0.0, ("dns", "no such host", 1.0)))
    alone = texts(world, server)
    ended = process(world, "coredns-2", "10.244.0.3", "coredns")
    save(world, replace(ended, settings=server.settings, started_at=0.0, ended_at=30.0))
    assert len(texts(world, server, 0.0, 30.0)) == len(alone) // 4
    assert texts(world, server, 30.1) == [*texts(*cluster(call("stock", 0.0, ("dns", "no such host", 1.0))), 30.1)]  # fmt: skip
