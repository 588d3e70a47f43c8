"""A small cluster in memory for tests of faults: objects, and pods that follow their workloads.

`MemoryCluster` implements the core's `Cluster`. It stores and patches objects and brings the pods
of workloads in line with their templates each time its clock advances: rolling updates keep old
pods until new ones are ready, a pod whose ConfigMap is missing does not start, and a test may say
which other pods do not (`starts`) and what answers `exec` (`executor`). `Shop` is an application of
four components with one of everything that a fault may hold on to. Give both to the contract of
the core's test kit:

    class TestMyFault(InjectorContract):
        @pytest.fixture
        def provision(self) -> Provision:
            return lambda spec: MemoryCluster()

        @pytest.fixture
        def case(self) -> FaultCase:
            return FaultCase(MyFault(), Shop(), component="catalog")

What it does not know: defaulting, validation, networking, processes. Symptoms are the business of
a simulated or real cluster; here a test looks at state.
"""

from __future__ import annotations

from sregym_injectors.testing.application import Shop, component
from sregym_injectors.testing.clock import MemoryClock
from sregym_injectors.testing.cluster import MemoryCluster

__all__ = ["MemoryClock", "MemoryCluster", "Shop", "component"]
