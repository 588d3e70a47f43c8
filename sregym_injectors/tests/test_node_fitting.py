"""Why faults of machines say no to a node."""

from __future__ import annotations

from typing import Any

from sregym_core.model import Component, Node, ObjectRef
from sregym_injectors.node_fitting import runs_no_store, runs_nothing_that_matters


def running(**fields: Any) -> Node:
    ref = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="part")
    given = {"name": "part", "namespace": "shop", "workload": ref, "container": "main"}
    part = Component(**{**given, "image": "acme/part:1", "operations": ("buy",), **fields})
    return Node(name="a", component=part)


def test_nodes_that_nobody_would_miss() -> None:
    nodes = (
        *(Node(name="a"), running(kind="load"), running(operations=()), running()),
        *(running(needed=False), running(needed=True)),
    )
    assert [runs_nothing_that_matters(node) for node in nodes] == [
        "it is not said which component of the application runs there (`runs`)",
        "part is the load generator, which stands for users",
        "no request of users passes through part",
        "",
        "users do without part",
        "",
    ]


def test_nodes_whose_disks_nobody_would_miss() -> None:
    claim = {"claim": "data", "path": "/data"}
    nodes = (
        Node(name="a"),
        running(),
        running(kind="datastore"),
        running(kind="datastore", volumes=(claim,)),
    )
    unsaid = "it is not said which component of the application runs there (`runs`)"
    assert [runs_no_store(node) for node in nodes] == [unsaid, "part is no datastore", "", ""]
    assert [runs_no_store(node, on_volume=True) for node in nodes] == [
        unsaid,
        "part is no datastore",
        "part has no claim that keeps it on its node",
        "",
    ]
    written = (*nodes[2:], running(kind="datastore", changed=False))
    assert [runs_no_store(node, changed=True) for node in written] == [
        "",
        "",
        "hardly any request of users changes what part keeps",
    ]
