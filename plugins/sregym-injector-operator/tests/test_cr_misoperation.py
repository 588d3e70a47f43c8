"""What is set in a custom resource, and what counts as repaired."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Application, FaultContext
from sregym_core.model import ObjectRef, Outcome
from sregym_injector_operator.cr_misoperation import CrMisoperation
from sregym_testing import MemoryCluster

FAULT = CrMisoperation()
GROVE = ObjectRef(
    api_version="gardens.example.com/v1", kind="Grove", namespace="shop", name="garden"
)
At = Callable[..., FaultContext]


@pytest.fixture
def at(garden: Application) -> At:
    cluster = MemoryCluster()
    garden.deploy(cluster)
    cluster.clock.advance(1.0)

    def make(**parameters: Any) -> FaultContext:
        component = garden.component("garden-apple")
        assert component is not None
        values = FAULT.Parameters(**parameters)
        return FaultContext(cluster, garden, component, values, UndoJournal())

    return make


def spec(context: FaultContext) -> Any:
    live = context.cluster.get(GROVE)
    assert live is not None
    return live["spec"]


def set_to(context: FaultContext, fields: Any) -> str:
    context.cluster.patch(GROVE, {"spec": fields}, "merge")
    check = FAULT.present(context)
    return "" if check.outcome is Outcome.PASS else check.got


def test_the_number_of_the_components_own_pods_is_what_it_sets_by_itself(at: At):
    context = at()
    FAULT.inject(context)
    assert spec(context)["apple"] == {"replicas": 100000, "limits": {"memory": "64Mi"}}
    assert spec(context)["pear"]["replicas"] == 2
    truth = FAULT.ground_truth(context)
    assert (truth.changed.what, truth.changed.before, truth.changed.after) == (
        "spec.apple.replicas",
        "3",
        "100000",
    )
    assert (truth.kind, truth.object_name) == ("Grove", "garden")
    assert "wrong replicas" in truth.mechanism_phrases
    assert [command.argv for command in FAULT.reference_fix(context)] == [
        (
            *("kubectl", "patch", "grove/garden", "-n", "shop", "--type=merge", "-p"),
            '{"spec": {"apple": {"replicas": 3}}}',
        ),
        (
            *("kubectl", "rollout", "status", "statefulset/garden-apple", "-n", "shop"),
            "--timeout=300s",
        ),
    ]


def test_a_number_is_right_when_it_is_nearer_to_the_right_one(at: At):
    context = at()
    FAULT.inject(context)
    wrong = "Grove shop/garden has spec.apple.replicas 99999"
    assert set_to(context, {"apple": {"replicas": 99999}}) == wrong
    assert set_to(context, {"apple": {"replicas": 5}}) == ""


def test_a_list_is_wrong_while_a_wrong_entry_is_in_it(at: At):
    right, bad = {"key": "shade", "operator": "Exists"}, {"key": "sun", "effect": "TAKE_EFFECT"}
    context = at(path="spec.tolerations", value=[bad])
    FAULT.inject(context)
    assert spec(context)["tolerations"] == [bad]
    assert set_to(context, {"tolerations": [right, bad]}) != ""
    assert set_to(context, {"tolerations": []}) == ""
    fix = FAULT.reference_fix(context)[0]
    assert fix.argv[-1] == '{"spec": {"tolerations": [{"key": "shade", "operator": "Exists"}]}}'


def test_of_a_map_only_the_named_fields_change_and_count(at: At):
    context = at(path="spec.apple.limits", value={"memory": "1Ki", "cpu": "-1"})
    FAULT.inject(context)
    assert spec(context)["apple"]["limits"] == {"memory": "1Ki", "cpu": "-1"}
    fix = FAULT.reference_fix(context)[0]
    mended = '{"spec": {"apple": {"limits": {"memory": "64Mi", "cpu": null}}}}'
    assert fix.argv[-1] == mended
    assert set_to(context, {"apple": {"limits": {"memory": "64Mi", "cpu": None}}}) == ""


def test_a_field_that_the_manifest_does_not_name_is_taken_away(at: At):
    context = at(path="spec.pear.storageClassName", value="fast-disks")
    FAULT.inject(context)
    check = FAULT.present(context)
    assert check.expected == "spec.pear.storageClassName other than fast-disks"
    assert check.got == "Grove shop/garden has spec.pear.storageClassName fast-disks"
    truth = FAULT.ground_truth(context)
    assert truth.changed.before == ""
    assert "storage class name fast-disks" in truth.mechanism_phrases
    assert set_to(context, {"pear": {"storageClassName": None}}) == ""


def test_a_resource_that_is_gone_is_no_repair(at: At):
    context = at()
    FAULT.inject(context)
    context.cluster.delete(GROVE)
    assert FAULT.present(context).got == "Grove shop/garden does not exist"
