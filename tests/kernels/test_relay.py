"""Connections of a network of its own are late, stall or are slow without any queueing discipline."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from real.needing import SYSTEM, needs
from real.stores import wait_for
from sregym_nodes.remote import AgentError, NodeAgent
from sregym_nodes.transports import Local

# Seconds for so many rounds of so many bytes through one connection over the loopback.
ROUNDS = """
import socket, sys, threading, time
count, size = map(int, sys.argv[1:])
server = socket.create_server(("127.0.0.1", 0))
def echo():
    with server.accept()[0] as one:
        while data := one.recv(65536):
            one.sendall(data)
threading.Thread(target=echo, daemon=True).start()
begun = time.monotonic()
with socket.create_connection(server.getsockname()) as one:
    for _ in range(count):
        one.sendall(bytes(size))
        left = size
        while left:
            left -= len(one.recv(65536))
print(time.monotonic() - begun)
"""


class Network:
    """One of its own, with an agent in it."""

    def __init__(self, folder: Path) -> None:
        self.name = f"n{os.getpid()}"
        self.head = ("ip", "netns", "exec", self.name, *SYSTEM)
        self.agent = NodeAgent(
            "here", Local(self.head), "harness-1", folder=str(folder / "nodectl")
        )

    def said(self, *words: str) -> str:
        done = subprocess.run([*self.head, *words], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def seconds(self, count: int = 1, size: int = 1) -> float:
        return float(self.said("python3", "-c", ROUNDS, str(count), str(size)))


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    needs("ip", "nft")
    made = Network(tmp_path)
    if subprocess.run(
        ["ip", "netns", "add", made.name], check=False, capture_output=True
    ).returncode:
        pytest.skip("needs network namespaces")
    try:
        made.said("ip", "link", "set", "lo", "up")
        if why := made.agent.examine([link()])[0]["relay"]:
            pytest.skip(why)
        yield made
        made.agent.undo()
        assert (made.agent.changes(), made.said("nft", "list", "ruleset")) == ((), "")
        assert made.seconds(5) < 0.5
    finally:
        subprocess.run(["ip", "netns", "del", made.name], check=True)


def link(**more: Any) -> dict[str, Any]:
    return {"key": "link", "kind": "link", "device": "lo", **more}


def test_late_slow_and_lossy(network: Network) -> None:
    network.agent.apply(link(delay_ms=100), "relay")
    # The first packet of a connection, and both ways of each round.
    assert network.seconds(3) >= 0.7
    network.agent.apply(link(rate_mbit=1), "relay")
    assert network.seconds(1, 50_000) >= 0.4
    network.agent.apply(link(loss=0.5), "relay")
    # Ten packets go each way; that none of twenty is lost happens once in a million times.
    assert network.seconds(10) >= 0.2


def test_who_deletes_the_rules_has_repaired_it(network: Network) -> None:
    network.agent.apply(link(delay_ms=100), "relay")
    (change,) = network.agent.changes()
    network.said(*change["repair"][0])
    assert wait_for(lambda: network.agent.changes() == ())


def test_rules_of_somebody_else(network: Network) -> None:
    network.said("nft", "add table ip shaping")
    try:
        with pytest.raises(AgentError) as caught:
            network.agent.apply(link(delay_ms=100), "relay")
        assert str(caught.value) == (
            "node 'here': nothing was changed, no back end can do 'link' here. relay: there is a table "
            "of rules 'shaping' already (nft list table ip shaping); delete it"
        )
    finally:
        network.said("nft", "delete table ip shaping")
