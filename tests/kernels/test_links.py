"""Packets of a guest are late, lost or slow, in either direction, and go as before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from real.guest import Guest
from real.needing import needs
from sregym_nodes.remote import AgentError, NodeAgent

# Seconds for a datagram through the loopback and back.
ROUND = """
import socket, time
one, two = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "ab")
one.bind(("127.0.0.1", 0)); two.bind(("127.0.0.1", 0)); one.settimeout(5); two.settimeout(5)
begun = time.monotonic()
one.sendto(b"x", two.getsockname()); two.sendto(two.recv(9), one.getsockname()); one.recv(9)
print(time.monotonic() - begun)
"""


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    needs("linux.uml", "tc", "ip", "busybox")
    with Guest(tmp_path_factory.mktemp("guest")) as started:
        yield started


@pytest.fixture
def agent(guest: Guest) -> Iterator[NodeAgent]:
    before = left(guest)
    made = guest.agent()
    yield made
    made.undo()
    assert left(guest) == before


def left(guest: Guest) -> str:
    return guest.said("sh", "-c", "tc qdisc show dev lo; ls /sys/class/net")


def link(**more: Any) -> dict[str, Any]:
    return {"key": "link", "kind": "link", "device": "lo", **more}


def unrelayed(guest: Guest) -> str:
    """Why there is no relay either: the guest has none of these modules."""
    kernel = guest.said("uname", "-r").strip()
    return (
        f"relay: kernel {kernel} cannot lead connections elsewhere; load the modules nf_tables, "
        "nft_chain_nat and nft_redir, or take a kernel that has them"
    )


def seconds(guest: Guest) -> float:
    return float(guest.said("/usr/bin/python3", "-c", ROUND))


def test_late(agent: NodeAgent, guest: Guest) -> None:
    assert agent.apply(link(delay_ms=300)).backend == "netem"
    assert seconds(guest) > 0.6
    (change,) = agent.changes()
    (repair,) = change["repair"]
    guest.said(*repair)
    assert agent.changes() == ()


def test_lost(agent: NodeAgent) -> None:
    effect = agent.apply(link(loss=0.3)).effect
    assert 0 < effect["drops"] < 200


def test_slow(agent: NodeAgent) -> None:
    assert agent.apply(link(rate_mbit=1), "tbf").backend == "tbf"


def test_late_on_the_way_in(agent: NodeAgent, guest: Guest) -> None:
    if guest.run(("sh", "-c", "ip link add x0 type ifb && ip link del x0")).exit_code:
        pytest.skip("the guest's kernel has no intermediate devices (ifb)")
    agent.apply(link(delay_ms=300, way="in"))
    assert seconds(guest) > 0.6


def test_what_somebody_else_put_there(agent: NodeAgent, guest: Guest) -> None:
    guest.said(
        "tc",
        "qdisc",
        "add",
        "dev",
        "lo",
        "root",
        "tbf",
        "rate",
        "1mbit",
        "burst",
        "9kb",
        "latency",
        "1s",
    )
    try:
        with pytest.raises(AgentError) as caught:
            agent.apply(link(delay_ms=300))
        assert str(caught.value) == (
            "node 'guest': nothing was changed, no back end can do 'link' here. netem: device lo has "
            "a discipline 'tbf' that somebody else put there; remove it (tc qdisc del dev lo root), or "
            f"take another device; {unrelayed(guest)}"
        )
    finally:
        guest.said("tc", "qdisc", "del", "dev", "lo", "root")


def test_no_way_out(agent: NodeAgent, guest: Guest) -> None:
    with pytest.raises(AgentError) as caught:
        agent.apply(link(delay_ms=300, device=""))
    assert str(caught.value) == (
        "node 'guest': nothing was changed, no back end can do 'link' here. netem: there is no default "
        f"route, so the device to the network is not known; name one; {unrelayed(guest)}"
    )
