"""What noise changes through its turns is undone, and nothing else is."""

from __future__ import annotations

from typing import ClassVar

import pytest
from sregym_core.interfaces import NoiseContext
from sregym_core.model import ObjectRef
from sregym_injectors.noise import Disturbance, Schedule, SettingNoise, moments, ready_services
from sregym_kubernetes.node_settings import CpuUse
from sregym_testing import FullShop, MemoryCluster, worker_nodes

CATALOG = FullShop().component("catalog").workload
CONFIG = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="old")


@pytest.fixture
def cluster():
    cluster = MemoryCluster(nodes=worker_nodes(2))
    FullShop().deploy(cluster)
    cluster.clock.advance(1.0)
    return cluster


class Busy(SettingNoise):
    name = "busy"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(50.0, 60.0))

    def settings(self, occurrence, node):
        return [CpuUse(node=node, cores=occurrence.by_level(1.0, 2.0, 4.0))]


class Clutter(Disturbance):
    name = "clutter"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(50.0, 60.0))

    def begin(self, occurrence):
        metadata = {"name": CONFIG.name, "namespace": CONFIG.namespace}
        occurrence.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        occurrence.edit(
            CATALOG, {"metadata": {"labels": {"team": "core"}}, "spec": {"replicas": 2}}
        )
        return "clutter"


def context_of(cluster, level=1, **more):
    return NoiseContext(cluster, FullShop(), (), 7, level, **more)


def begin_and_end(source, context):
    begin = source.next_at(context, 0.0)
    return begin, source.next_at(context, begin)


def test_a_rhythm_has_pauses_that_get_shorter_with_the_level():
    schedule = Schedule(first_s=(10.0, 10.0), pause_s=(100.0, 100.0), lasts_s=(5.0, 5.0))

    def first(level):
        rising = moments(schedule, "busy", 7, level)
        return [(m.at_s, m.occurrence, m.ends) for m, _ in zip(rising, range(3), strict=False)]

    assert first(1) == [(10.0, 0, False), (15.0, 0, True), (115.0, 1, False)]
    assert first(3) == [(10.0, 0, False), (15.0, 0, True), (50.0, 1, False)]
    assert first(0) == []


@pytest.mark.parametrize(("level", "cores"), [(1, 1.0), (2, 2.0), (3, 4.0)])
def test_a_setting_lasts_until_its_end(cluster, level, cores):
    context = context_of(cluster, level)
    begin, end = begin_and_end(Busy(), context)
    said = Busy().disturb(context, begin)
    (found,) = cluster.nodes.settings()
    assert said == f"busy: cpu {found.node}: cores {cores:g}" or said.endswith(f"cores {cores}")
    assert found == CpuUse(node=found.node, cores=cores)
    assert context.subjects == [found.node]
    assert Busy().disturb(context, end) == f"busy: cpu {found.node} is over"
    assert cluster.nodes.settings() == ()
    assert context.memory == {}


def test_what_a_fault_has_set_is_left_as_it_is(cluster):
    faulty = [CpuUse(node=node.name, cores=7.0) for node in cluster.nodes.nodes()]
    for setting in faulty:
        cluster.nodes.apply(setting)
    context = context_of(cluster)
    begin, _ = begin_and_end(Busy(), context)
    assert Busy().disturb(context, begin) == "busy: nobody can be disturbed now"
    Busy().settle(context)
    assert list(cluster.nodes.settings()) == faulty


def test_spared_nodes_are_left_alone(cluster):
    first, second = (node.name for node in cluster.nodes.nodes())
    for occurrence in range(5):
        context = context_of(cluster, excluded_nodes=(first,))
        at = [m.at_s for m, _ in zip(moments(Busy.schedule, "busy", 7, 1), range(9), strict=False)]
        Busy().disturb(context, at[2 * occurrence if occurrence < 4 else 0])
        assert context.subjects in ([second], [])
        Busy().settle(context)


def test_objects_and_fields_are_as_before(cluster):
    before = cluster.get(CATALOG)
    context = context_of(cluster)
    begin, end = begin_and_end(Clutter(), context)
    assert Clutter().disturb(context, begin) == "clutter: clutter"
    assert cluster.get(CONFIG) is not None
    assert cluster.get(CATALOG)["spec"]["replicas"] == 2
    said = Clutter().disturb(context, end)
    assert said == "clutter: Deployment shop/catalog as before; ConfigMap shop/old deleted"
    assert cluster.get(CONFIG) is None
    assert cluster.get(CATALOG)["spec"] == before["spec"]
    assert not cluster.get(CATALOG)["metadata"].get("labels")


def test_what_an_agent_changed_meanwhile_stays(cluster):
    context = context_of(cluster)
    begin, _ = begin_and_end(Clutter(), context)
    Clutter().disturb(context, begin)
    cluster.patch(CATALOG, {"spec": {"replicas": 5}}, "merge")
    Clutter().settle(context)
    assert cluster.get(CATALOG)["spec"]["replicas"] == 5
    assert not cluster.get(CATALOG)["metadata"].get("labels")


def test_what_the_world_refuses_is_told(cluster):
    metadata = {"name": CONFIG.name, "namespace": CONFIG.namespace}
    cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    context = context_of(cluster)
    begin, _ = begin_and_end(Clutter(), context)
    told = "clutter: refused: there is a ConfigMap shop/old already"
    assert Clutter().disturb(context, begin) == told
    Clutter().settle(context)
    assert cluster.get(CONFIG) is not None


def test_without_machines_there_is_nobody_to_disturb():
    cluster = MemoryCluster()
    FullShop().deploy(cluster)
    context = context_of(cluster)
    begin, _ = begin_and_end(Busy(), context)
    assert Busy().disturb(context, begin) == "busy: nobody can be disturbed now"


def test_ready_services_are_neither_stores_nor_spared(cluster):
    context = NoiseContext(cluster, FullShop(), ("front",), 7)
    assert [target.component.name for target in ready_services(context)] == ["catalog"]
