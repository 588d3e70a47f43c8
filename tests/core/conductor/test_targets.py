"""Targets: how problems write them, and which node, zone or link is meant in a cluster."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.targets import candidates, is_open
from sregym_core.errors import TargetError, UsageError, WorldError
from sregym_core.interfaces import FaultContext
from sregym_core.model import (
    Component,
    FaultRef,
    Link,
    Namespace,
    Node,
    ObjectRef,
    TargetKind,
    WholeCluster,
    Zone,
    kind_of,
    name_of,
    parse_target,
)
from sregym_core.problems import parse_problem
from sregym_testing import MemoryCluster, Shop, choose_target, worker_nodes

OBJECT = {"api_version": "v1", "kind": "ConfigMap", "namespace": "kube-system", "name": "coredns"}


@pytest.fixture
def cluster() -> MemoryCluster:
    control = Node(name="master", role="control-plane")
    cluster = MemoryCluster(nodes=(control, *worker_nodes(3)))
    Shop().deploy(cluster)
    return cluster


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("cart", "cart"),
        ({"component": "cart"}, "cart"),
        ({"node": "worker-2"}, "node worker-2"),
        ({"node": {"runs": "cart"}}, "the node that runs cart"),
        ({"node": {"role": "worker", "zone": "zone-1"}}, "a worker node in zone zone-1"),
        ({"link": {"from": "web", "to": "cart"}}, "link web - cart"),
        (
            {"link": {"from": {"node": {"runs": "web"}}, "to": {"cluster": True}}},
            "link the node that runs web - the cluster",
        ),
        ({"link": {"from": "web", "to": "cart", "both_ways": False}}, "link web -> cart"),
        ({"zone": "zone-1"}, "zone zone-1"),
        ({"zone": {"runs": "cart"}}, "the zone that runs cart"),
        ({"object": OBJECT}, "ConfigMap kube-system/coredns"),
        ({"namespace": "shop"}, "namespace shop"),
        ({"cluster": True}, "the cluster"),
        (["cart", {"node": {"runs": "web"}}], "cart, the node that runs web"),
    ],
)
def test_what_a_problem_writes(written: Any, said: str) -> None:
    ref = FaultRef.model_validate({"fault": "any", "target": written})
    assert ref.target == said
    assert FaultRef.model_validate(ref.model_dump(mode="json")) == ref
    assert FaultRef.model_validate(ref.model_dump(mode="json", by_alias=True)) == ref


PROBLEM = """\
id: slow
title: Slow
application: shop
layer: os
faults:
  - fault: any
    target:
      {}
"""
KINDS = "component, node, link, zone, object, namespace, cluster"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "{nod: worker}",
            "slow.yaml, line 7, field 'faults[0].target': this is the name of a component or a "
            f"mapping with one key of: {KINDS}",
        ),
        (
            "{node: {}}",
            "slow.yaml, line 8, field 'faults[0].target.node': a node is chosen by `name`, "
            "`runs`, `role` or `zone`; none is given",
        ),
        (
            "{zone: {}}",
            "slow.yaml, line 8, field 'faults[0].target.zone': a zone is chosen by `name` "
            "or `runs`; none is given",
        ),
        (
            "{link: {from: web, to: {object: cart}}}",
            "slow.yaml, line 8, field 'faults[0].target.link.to': this is the name of a "
            "component or a mapping with one key of: component, node, zone, namespace, cluster",
        ),
        (
            "[]",
            "slow.yaml, line 7, field 'faults[0].target': must have 1 or more items, not 0",
        ),
    ],
)
def test_a_slip_in_a_target_is_named(target: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_problem(PROBLEM.format(target), "slow.yaml")
    assert str(caught.value) == message


def test_the_node_that_runs_a_component(cluster: MemoryCluster) -> None:
    nodes = {
        pod["spec"]["nodeName"]
        for pod in cluster.list("v1", "Pod", "shop")
        if pod["metadata"]["name"].startswith("cart")
    }
    chosen = choose_target(Shop(), {"node": {"runs": "cart"}}, cluster)
    assert isinstance(chosen, Node)
    assert chosen.name in nodes
    assert chosen.component == Shop().component("cart")


def test_a_role_is_chosen_by_the_seed_and_no_node_twice(cluster: MemoryCluster) -> None:
    any_worker = {"node": {"role": "worker"}}
    chosen = [name_of(choose_target(Shop(), any_worker, cluster, seed)) for seed in range(20)]
    assert set(chosen) == {"node worker-1", "node worker-2", "node worker-3"}
    assert chosen == [
        name_of(choose_target(Shop(), any_worker, cluster, seed)) for seed in range(20)
    ]
    control = {"node": {"role": "control-plane"}}
    assert choose_target(Shop(), control, cluster) == Node(name="master", role="control-plane")


def test_links_zones_and_the_rest(cluster: MemoryCluster) -> None:
    link = choose_target(Shop(), {"link": {"from": "web", "to": {"zone": "zone-2"}}}, cluster)
    assert isinstance(link, Link)
    assert link.source == Shop().component("web")
    assert isinstance(link.target, Zone)
    assert [node.name for node in link.target.nodes] == ["worker-2"]
    assert str(link) == "link web - zone zone-2"
    assert choose_target(Shop(), {"object": OBJECT}, cluster) == ObjectRef.model_validate(OBJECT)
    assert choose_target(Shop(), {"namespace": "shop"}, cluster) == Namespace(name="shop")
    assert choose_target(Shop(), {"cluster": True}, cluster) == WholeCluster()
    zone = choose_target(Shop(), {"zone": {"runs": "cart"}}, cluster)
    node = choose_target(Shop(), {"node": {"runs": "cart"}}, cluster)
    assert isinstance(zone, Zone)
    assert isinstance(node, Node)
    assert zone.name == node.zone


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            {"node": "worker-9"},
            "no node of the cluster is node worker-9; nodes: master, worker-1, worker-2, worker-3",
        ),
        ({"zone": "moon"}, "no zone of the cluster is zone moon; zones: zone-1, zone-2, zone-3"),
    ],
)
def test_what_is_not_there(cluster: MemoryCluster, target: Any, message: str) -> None:
    with pytest.raises(WorldError) as caught:
        choose_target(Shop(), target, cluster)
    assert str(caught.value) == message


def test_candidates_of_all_kinds() -> None:
    found = [(name_of(chosen), is_open(asked)) for asked, chosen in _all(tuple(TargetKind))]
    assert found == [
        ("cart", False),
        ("web", False),
        ("the node that runs cart", True),
        ("the node that runs web", True),
        ("a worker node", True),
        ("link web - cart", False),
        ("the zone that runs cart", True),
        ("the zone that runs web", True),
        *((str(ObjectRef.of(obj)), False) for obj in Shop().manifests()),
        ("namespace shop", False),
        ("the cluster", False),
    ]
    assert [kind_of(chosen) for _, chosen in _all((TargetKind.COMPONENT,))] == ["component"] * 2


def _all(kinds: tuple[TargetKind, ...]) -> list[tuple[Any, Any]]:
    return list(candidates(Shop(), kinds))


def test_a_component_that_an_application_names_and_does_not_have() -> None:
    class Careless(Shop):
        def component(self, name: str) -> Component | None:
            return None

        def components(self) -> tuple[Component, ...]:
            cart, web = super().components()
            return (cart.model_copy(update={"callers": ("web",)}), web)

    assert [name_of(chosen) for _, chosen in candidates(Careless(), (TargetKind.LINK,))] == [
        "link web - cart"
    ]


def test_a_fault_that_asks_for_another_kind_of_target(cluster: MemoryCluster) -> None:
    node = choose_target(Shop(), {"node": "worker-1"}, cluster)
    context = FaultContext(cluster, Shop(), node, None, UndoJournal())
    assert context.node == node
    with pytest.raises(TargetError) as caught:
        _ = context.component
    assert str(caught.value) == (
        "a fault asked for its component, but its target is 'node worker-1', a node; a fault says "
        "in `takes` which kinds of targets it takes"
    )


def test_a_target_of_the_model_stays_as_it_is() -> None:
    assert parse_target(parse_target("cart")) == parse_target({"component": "cart"})
