from __future__ import annotations

import pytest
from sregym_core.testing import FaultCase, FullShop, InjectorContract, PluginContract
from sregym_injector_kubernetes.configmap_drift import ConfigMapDrift
from sregym_injector_kubernetes.configmap_missing import ConfigMapMissing
from sregym_injector_kubernetes.image_wrong import ImageWrong
from sregym_injector_kubernetes.placement import NodeSelector, RequestTooLarge, SpreadImpossible
from sregym_injector_kubernetes.probes import LivenessProbeWrong, ReadinessProbeWrong
from sregym_injector_kubernetes.replicas_zero import ReplicasZero
from sregym_injector_kubernetes.resource_limit import ResourceLimit
from sregym_injector_kubernetes.service_missing import ServiceMissing
from sregym_injector_kubernetes.service_selector import ServiceSelector
from sregym_injector_kubernetes.service_target_port import ServiceTargetPort
from sregym_injector_kubernetes.starting import (
    ClaimMissing,
    CommandWrong,
    CpuLimit,
    InitHang,
    RunAsNonRoot,
)
from sregym_injectors.template_change import PodTemplateFault
from sregym_injectors.templates import TemplateFault

FAULTS = (
    ServiceTargetPort(),
    ServiceSelector(),
    ServiceMissing(),
    ConfigMapMissing(),
    ConfigMapDrift(),
    ResourceLimit(),
    ReplicasZero(),
    ImageWrong(),
    NodeSelector(),
    SpreadImpossible(),
    RequestTooLarge(),
    LivenessProbeWrong(),
    ReadinessProbeWrong(),
    CommandWrong(),
    InitHang(),
    ClaimMissing(),
    RunAsNonRoot(),
    CpuLimit(),
)
CASES = [
    pytest.param(FaultCase(fault, FullShop(), part.name), id=f"{fault.name}-{part.name}")
    for fault in FAULTS
    for part in FullShop().components()
    if fault.fits(part)
]
STUCK = [
    pytest.param(FaultCase(fault, FullShop(), "catalog", {"rollout": "stuck"}), id=fault.name)
    # What pods in memory fail from.
    for fault in FAULTS
    if issubclass(type(fault), TemplateFault) and not issubclass(type(fault), PodTemplateFault)
]


class TestPlugin(PluginContract):
    distribution = "sregym-injector-kubernetes"


class TestFaults(InjectorContract):
    """Each fault on each component of the shop that it fits."""

    @pytest.fixture(params=CASES)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return request.param


class TestStuckRollouts(InjectorContract):
    """Each fault on pod templates that leaves the old pods serving."""

    @pytest.fixture(params=STUCK)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return request.param


def test_every_fault_is_offered_once():
    from sregym_injector_kubernetes.plugin import sregym_register_injectors

    offered = {offer.name: offer.load() for offer in sregym_register_injectors()}
    assert offered == {fault.name: type(fault) for fault in FAULTS}


def test_what_fits():
    names = [part.name for part in FullShop().components()]
    fitting = {f.name: [p.name for p in FullShop().components() if f.fits(p)] for f in FAULTS}
    assert names == ["catalog", "catalog-db", "front", "visitors"]
    assert fitting == {
        "service-target-port": ["catalog", "catalog-db", "front"],
        "service-selector": ["catalog", "catalog-db", "front"],
        "service-missing": ["catalog", "catalog-db", "front"],
        "configmap-missing": ["catalog", "catalog-db"],
        "configmap-drift": ["catalog"],
        "resource-limit": ["catalog", "catalog-db", "front"],
        "replicas-zero": ["catalog", "catalog-db", "front"],
        "image-wrong": ["catalog", "catalog-db", "front"],
        "node-selector": ["catalog", "catalog-db", "front"],
        "spread-impossible": ["catalog", "catalog-db", "front"],
        "request-too-large": ["catalog", "catalog-db", "front"],
        "liveness-probe-wrong": ["catalog", "catalog-db", "front"],
        "readiness-probe-wrong": ["catalog", "catalog-db", "front"],
        "command-wrong": ["catalog", "catalog-db", "front"],
        "init-hang": ["catalog", "catalog-db", "front"],
        "claim-missing": [],
        "security-context": ["catalog", "catalog-db", "front"],
        "cpu-limit": ["catalog", "catalog-db", "front"],
    }
