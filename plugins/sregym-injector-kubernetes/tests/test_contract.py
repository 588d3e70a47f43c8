from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_core.interfaces import Fault
from sregym_core.model import TargetKind
from sregym_injector_kubernetes.maintenance import MaintenanceStuck
from sregym_injector_kubernetes.plugin import sregym_register_injectors
from sregym_injectors.template_change import PodTemplateFault
from sregym_injectors.templates import TemplateFault
from sregym_testing import FaultCase, FullShop, InjectorContract, PluginContract
from sregym_testing.clusters import Provision, open_clusters
from sregym_testing.memory import MemoryProvider, worker_nodes

FAULTS = tuple(registration.load()() for registration in sregym_register_injectors())
ON_COMPONENTS = tuple(fault for fault in FAULTS if TargetKind.COMPONENT in fault.takes)


def of_one_base(fault: Fault) -> bool:
    """Whether all that the contract looks at is done by the base of pod templates."""
    return issubclass(type(fault), PodTemplateFault)


# Nodes in memory have names alone: who asks how large they are goes by the value where there are none.
ON_NODES = ("taint", "volume-elsewhere", "preemption", "maintenance-stuck")
# What heals them is more than kubectl in memory knows; they are played in running applications.
NOT_IN_MEMORY = ("job-backlog", "rbac-missing")
CASES = [
    pytest.param(FaultCase(fault, FullShop(), part.name), id=f"{fault.name}-{part.name}")
    for fault in ON_COMPONENTS
    if fault.name not in NOT_IN_MEMORY
    for part in [part for part in FullShop().components() if fault.fits(part)][
        : 1 if of_one_base(fault) else None
    ]
]
CASES.append(
    pytest.param(
        FaultCase(MaintenanceStuck(), FullShop(), {"node": {"runs": "catalog"}}),
        id="maintenance-stuck",
    )
)
STUCK = [
    pytest.param(FaultCase(fault, FullShop(), "catalog", {"rollout": "stuck"}), id=fault.name)
    # What pods in memory fail from.
    for fault in FAULTS
    if issubclass(type(fault), TemplateFault) and not of_one_base(fault)
]


class TestPlugin(PluginContract):
    distribution = "sregym-injector-kubernetes"


class TestFaults(InjectorContract):
    """Each fault on each component of the shop that it fits; those of one base on one."""

    @pytest.fixture
    def provision(self, case: FaultCase) -> Iterator[Provision]:
        nodes = worker_nodes() if case.fault.name in ON_NODES else ()
        with open_clusters(MemoryProvider(nodes)) as give:
            yield give

    @pytest.fixture(params=CASES)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return request.param


class TestStuckRollouts(InjectorContract):
    """Each fault on pod templates that leaves the old pods serving."""

    @pytest.fixture(params=STUCK)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return request.param


def test_every_fault_is_offered_once():
    offered = [registration.name for registration in sregym_register_injectors()]
    assert offered == [fault.name for fault in FAULTS]
    assert len(set(offered)) == len(offered)


ALL = ["catalog", "catalog-db", "front"]
# Those that do not fit everything but the load generator.
FITTING = {
    "configmap-missing": ["catalog", "catalog-db"],
    "configmap-drift": ["catalog"],
    "probe-impatient": ["catalog-db"],
    "claim-missing": [],
    "flag-flipped": [],
    "env-missing": [],
    "env-wrong": [],
    "rollout-skew": [],
    "env-shadowed": [],
    "pod-sysctl": ["catalog", "front"],
    "autoscaler-wrong": ["catalog", "front"],
    "secret-wrong": [],
    "image-incompatible": [],
    "buggy-build": [],
    "leak": [],
    "store-sized-for-hits": ["catalog-db"],
    "config-stale": [],
    "fallback-missing": [],
    "fan-out": [],
    "protocol-skew": [],
}


def test_what_fits():
    parts = FullShop().components()
    assert [part.name for part in parts] == [*ALL, "visitors"]
    fitting = {f.name: [p.name for p in parts if f.fits(p)] for f in ON_COMPONENTS}
    assert fitting == {f.name: FITTING.get(f.name, ALL) for f in ON_COMPONENTS}
