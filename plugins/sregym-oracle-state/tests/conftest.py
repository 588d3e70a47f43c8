"""The shop with a wrong target port: a fault, a repair, and the world as an oracle gets it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from pydantic import BaseModel
from sregym_core.interfaces import Baseline, Command, Fault, FaultContext, OracleContext
from sregym_core.model import (
    Change,
    Check,
    Component,
    FaultRef,
    GroundTruth,
    ObjectRef,
    Outcome,
    Problem,
    Timing,
)
from sregym_kubernetes.operations.objects import capture
from sregym_oracle_state.oracle import StateOracle
from sregym_testing import MemoryCluster, Program, ShopWithTraffic
from sregym_testing.oracles import OracleCase

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_testing.oracles import Situation

WRONG_PORT = 9999


class PortParameters(BaseModel):
    """None."""


class TargetPort(Fault):
    """Points a Service at a port on which nobody listens."""

    name: ClassVar[str] = "service-target-port"
    title: ClassVar[str] = "A Service leads to a wrong port"
    layer: ClassVar[str] = "kubernetes"
    Parameters: ClassVar[type[BaseModel]] = PortParameters

    def fits(self, component: Component) -> bool:
        return component.service is not None

    def inject(self, context: FaultContext) -> None:
        service = context.cluster.get(context.component.service)
        context.journal.restore(context.component.service, service)
        ports = [{**service["spec"]["ports"][0], "targetPort": WRONG_PORT}]
        context.cluster.patch(context.component.service, {"spec": {"ports": ports}}, "merge")

    def present(self, context: FaultContext) -> Check:
        service = context.cluster.get(context.component.service)
        wanted = context.component.ports[0].target_port
        port = service["spec"]["ports"][0]["targetPort"] if service else None
        return Check(
            name="target-port",
            outcome=Outcome.PASS if port == wanted else Outcome.FAIL,
            expected=f"targetPort {wanted}",
            got="no Service" if service is None else f"targetPort {port}",
        )

    def ground_truth(self, context: FaultContext) -> GroundTruth:
        return GroundTruth(
            component=context.component.name,
            kind="Service",
            object_name=context.component.name,
            namespace=context.component.namespace,
            mechanism="service-target-port-mismatch",
            changed=Change(what="spec.ports[0].targetPort"),
        )

    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return ()


class Undo:
    """A journal that keeps what it is told."""

    def __init__(self) -> None:
        self.entries: list[tuple[ObjectRef, Any]] = []

    def restore(self, ref: ObjectRef, before: Any) -> None:
        self.entries.append((ref, before))

    def command(self, *arguments: Any) -> None:
        self.entries.append(arguments)


@dataclass
class Shop:
    """A deployed shop with its baseline and a fault that can be put into `catalogue`."""

    cluster: MemoryCluster
    application: ShopWithTraffic
    context: OracleContext

    def deployment(self, name: str) -> ObjectRef:
        return ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name=name)

    def service(self, name: str) -> ObjectRef:
        return ObjectRef(api_version="v1", kind="Service", namespace="shop", name=name)

    def written(self) -> dict[str, Any]:
        """All that somebody wrote; each write of an object gives it another resourceVersion."""
        objects = capture(self.cluster, ("shop",))
        return {
            name: {field: value for field, value in obj.items() if field != "status"}
            for name, obj in objects.items()
        }

    def inject(self) -> None:
        for fault, fault_context in self.context.faults:
            fault.inject(fault_context)

    def repair(self) -> None:
        for _, fault_context in self.context.faults:
            ref = fault_context.component.service
            ports = [{"port": 9090, "targetPort": 9090}]
            self.cluster.patch(ref, {"spec": {"ports": ports}}, "merge")

    def edit_container(self, name: str, **changes: Any) -> None:
        """Change fields of a Deployment's container; None removes one."""
        found = self.cluster.get(self.deployment(name))
        container = found["spec"]["template"]["spec"]["containers"][0]
        for field, value in changes.items():
            container[field] = value
            if value is None:
                del container[field]
        self.cluster.replace(found)

    def recreate(self, ref: ObjectRef) -> None:
        """Delete an object and create it again as it is now."""
        found = self.cluster.get(ref)
        self.cluster.delete(ref)
        self.cluster.create(found)


def make_shop(programs: dict[str, Program] | None = None, **timing: float) -> Shop:
    application = ShopWithTraffic()
    cluster = MemoryCluster({**ShopWithTraffic.programs(), **(programs or {})})
    application.deploy(cluster)
    cluster.clock.advance(120)
    objects = {str(ObjectRef.of(o)): cluster.get(ObjectRef.of(o)) for o in application.manifests()}
    problem = Problem(
        id="wrong_port_shop",
        title="Wrong port",
        application="shop",
        layer="kubernetes",
        faults=(FaultRef(fault="service-target-port", target="catalogue"),),
        timing=Timing(**{"repair_s": 120, "window_s": 60, **timing}),
    )
    component = application.component("catalogue")
    fault = TargetPort()
    fault_context = FaultContext(cluster, application, component, PortParameters(), Undo())
    context = OracleContext(
        cluster=cluster,
        application=application,
        problem=problem,
        ground_truths=(fault.ground_truth(fault_context),),
        faults=((fault, fault_context),),
        baseline=Baseline(objects, {}, application.traffic(cluster, 60)),
    )
    return Shop(cluster, application, context)


@pytest.fixture
def shop() -> Shop:
    return make_shop()


@pytest.fixture
def build_shop() -> Any:
    return make_shop


@pytest.fixture
def case(build_shop: Any) -> OracleCase:
    """Both sides, for the contract that every oracle must hold to."""

    def world(*acts: Callable[[Shop], None]) -> Situation:
        def build(provision: Any) -> OracleContext:
            shop = build_shop(repair_s=40)
            for act in acts:
                act(shop)
            return shop.context

        return build

    return OracleCase(
        oracle=StateOracle(),
        passing={"untouched": world(), "repaired": world(Shop.inject, Shop.repair)},
        failing={"not repaired": world(Shop.inject)},
    )


@pytest.fixture
def two_faults() -> Any:
    """A context in which the same fault was put into a second component as well."""

    def make(shop: Shop) -> OracleContext:
        fault, first = shop.context.faults[0]
        second = replace(first, target=shop.application.component("orders"))
        return replace(shop.context, faults=((fault, first), (fault, second)))

    return make
