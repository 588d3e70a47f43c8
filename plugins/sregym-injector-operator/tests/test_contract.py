from __future__ import annotations

import json

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError
from sregym_core.interfaces import Application, ClusterSpec, CommandResult, FaultContext
from sregym_core.model import Component, ObjectRef, Outcome
from sregym_injector_operator.api_slow import ApiSlow
from sregym_injector_operator.cr_misoperation import CrMisoperation
from sregym_injector_operator.crd_skew import CrdSkew
from sregym_injector_operator.operator_bug import OperatorBug
from sregym_testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryCluster,
    PluginContract,
    Provision,
    choose_target,
)

DEFINITION = "groves.gardens.example.com"


class TestPlugin(PluginContract):
    distribution = "sregym-injector-operator"


class TestCustomResources(InjectorContract):
    @pytest.fixture
    def case(self, garden: Application) -> FaultCase:
        return FaultCase(CrMisoperation(), garden, "garden-apple")


def test_what_fits(garden: Application):
    fault = CrMisoperation()
    reasons = {part.name: fault.mismatch_reason(part) for part in garden.components()}
    assert reasons == {
        "cart": "a Deployment is no custom resource",
        "web": "a Deployment is no custom resource",
        "garden-apple": "",
    }


class TestDefinitions(InjectorContract):
    @pytest.fixture
    def case(self, garden: Application) -> FaultCase:
        return FaultCase(CrdSkew(), garden, "garden-apple")

    def test_reference_fix_repairs(self, case: FaultCase, provision: Provision) -> None:
        """kubectl in memory knows no definitions: its patch is made by the cluster itself."""
        cluster, shop = provision(ClusterSpec()), case.application
        shop.deploy(cluster)
        part = shop.component("garden-apple")
        assert part is not None
        context = FaultContext(cluster, shop, part, case.fault.Parameters(), UndoJournal())
        case.fault.inject(context)
        assert case.fault.present(context).outcome == Outcome.FAIL
        (fix,) = case.fault.reference_fix(context)
        ref = ObjectRef.of(next(o for o in shop.manifests() if o["metadata"]["name"] == DEFINITION))
        assert fix.argv[:3] == ("kubectl", "patch", f"customresourcedefinition/{DEFINITION}")
        cluster.patch(ref, json.loads(fix.argv[-1]), "merge")
        assert case.fault.present(context).outcome == Outcome.PASS


def test_whose_definition_can_get_ahead(garden: Application):
    fault, tree = CrdSkew(), garden.component("garden-apple")
    assert [fault.mismatch_reason(part) for part in garden.components()] == [
        "a Deployment is no custom resource",
        "a Deployment is no custom resource",
        "",
    ]
    assert tree is not None
    other = tree.workload.model_copy(update={"kind": "Orchard"})
    part = tree.model_copy(update={"workload": other})
    context = FaultContext(MemoryCluster(), garden, part, fault.Parameters(), UndoJournal())
    with pytest.raises(UsageError) as caught:
        fault.ground_truth(context)
    assert str(caught.value) == (
        "fault 'crd-skew' on component 'garden-apple': no manifest of application 'garden' defines "
        "Orchard; add its CustomResourceDefinition"
    )


class OperatedShop(FullShop):
    """The shop, whose catalog is an operator of which a wrong build is known."""

    def components(self) -> tuple[Component, ...]:
        """Those of the shop."""
        builds = {"builds": {"misreconciling": "shop/catalog:2.0.0-rc.1"}}
        return tuple(
            part.model_copy(update=builds) if part.name == "catalog" else part
            for part in super().components()
        )


class TestOperators(InjectorContract):
    @pytest.fixture
    def case(self) -> FaultCase:
        return FaultCase(OperatorBug(), OperatedShop(), "catalog")


def test_which_operators_are_known_to_go_wrong():
    fault, shop = OperatorBug(), OperatedShop()
    unknown = "no build of an operator is known of it that reconciles wrongly"
    assert {part.name: fault.mismatch_reason(part) for part in shop.components()} == {
        "catalog": "",
        "catalog-db": unknown,
        "front": unknown,
        "visitors": "it is the load generator, which stands for users",
    }
    front = shop.component("front")
    assert front is not None
    context = FaultContext(MemoryCluster(), shop, front, fault.Parameters(), UndoJournal())
    with pytest.raises(UsageError) as caught:
        fault.change(context)
    assert str(caught.value) == (
        "no build of component 'front' is known that reconciles wrongly; name one with the parameter "
        "image"
    )


class TestStarvedKubelets(InjectorContract):
    @pytest.fixture
    def provision(self) -> Provision:
        """Nodes in memory give no signs of life: what waits for them finds them ready."""

        def made(_spec: ClusterSpec) -> MemoryCluster:
            cluster = MemoryCluster()
            wait = "kubectl wait --for=condition=Ready=true nodes --all --timeout=600s"
            cluster.answers[wait] = CommandResult(0)
            return cluster

        return made

    @pytest.fixture
    def case(self) -> FaultCase:
        return FaultCase(ApiSlow(), FullShop(), {"cluster": True})


def test_kubelets_are_fed_again_by_whoever_repairs_it():
    """By seats for the level, by a flow that comes before, or by another level."""
    shop, fault = FullShop(), ApiSlow()
    level = ObjectRef(
        api_version="flowcontrol.apiserver.k8s.io/v1",
        kind="PriorityLevelConfiguration",
        name="node-inventory",
    )
    flow = level.model_copy(update={"kind": "FlowSchema"})
    usual = {
        "apiVersion": flow.api_version,
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "system"},
        "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 30}},
    }
    repairs = [
        (level, {"spec": {"limited": {"nominalConcurrencyShares": 40}}}),
        (level, {"spec": {"limited": {"borrowingLimitPercent": 100}}}),
        (flow, {"spec": {"priorityLevelConfiguration": {"name": "system"}}}),
    ]
    outcomes = []
    for ref, patch in repairs:
        cluster = MemoryCluster()
        shop.deploy(cluster)
        cluster.create(usual)
        target = choose_target(shop, {"cluster": True}, cluster)
        context = FaultContext(cluster, shop, target, fault.Parameters(), UndoJournal())
        fault.inject(context)
        before = fault.present(context).got
        cluster.patch(ref, patch, "merge")
        outcomes.append((before, fault.present(context).outcome))
    starved = "FlowSchema node-inventory starves leases, nodes/status, pods/status"
    assert outcomes == [(starved, Outcome.PASS)] * 3
