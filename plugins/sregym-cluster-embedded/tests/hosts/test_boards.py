"""Machines that are switched by their management boards, from a node beside them."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec
from sregym_kubernetes.node_settings import Power

BOARD = ("ipmitool", "-I", "lanplus", "-H", "node2-bmc", "-U", "admin", "-f", "/etc/ipmi.secret")


@pytest.fixture
def cluster():
    cluster = Embedded().provision(ClusterSpec(seed=3))
    yield cluster
    cluster.close()


def test_a_machine_that_is_off_comes_up_by_its_board(cluster):
    access = cluster.nodes
    names = [node.name for node in access.nodes()]
    here, there = names[-1], names[-2]
    board = tuple(word.replace("node2", there) for word in BOARD)
    access.apply(Power(node=there, on=False))
    assert (
        access.run(here, [*board, "chassis", "power", "status"]).stdout == "Chassis Power is off\n"
    )
    assert access.run(here, [*board, "power", "on"]).stdout == "Chassis Power Control: Up/On\n"
    assert not access.read(Power(node=there)).on
    cluster.clock.advance(60.0)
    assert access.read(Power(node=there)).on
    assert access.run(here, [*board, "power", "status"]).stdout == "Chassis Power is on\n"


def test_boards_refuse_whoever_does_not_know_their_word(cluster):
    here, there = (node.name for node in list(cluster.nodes.nodes())[-2:])
    refused = "Error: Unable to establish IPMI v2 / RMCP+ session\n"
    host = ("ipmitool", "-I", "lanplus", "-H", f"{there}-bmc")
    for who in (("-U", "admin", "-P", "admin"), ("-U", "root", "-f", "/etc/ipmi.secret"), ()):
        done = cluster.nodes.run(here, [*host, *who, "power", "off"])
        assert (done.exit_code, done.stderr) == (1, refused)
    unknown = cluster.nodes.run(here, [*BOARD[:4], "node99-bmc", *BOARD[5:], "power", "off"])
    assert unknown.stderr == f"Address lookup for node99-bmc failed\n{refused}"
    assert cluster.nodes.read(Power(node=there)).on
