"""Side effects: leaves of objects, the rows of the table, and what each tells."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError
from sregym_core.interfaces import SystemState
from sregym_core.model import Component, ObjectRef, Severity, SideEffect
from sregym_oracles.leaves import Records, leaves_of, leaves_of_text
from sregym_testing import Shop

from sregym_oracles import Rule, differences, rules, side_effects

SHOP = Shop()


def thing(kind: str, name: str = "x", namespace: str = "shop", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


def workload(**container: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "shop/x:1", **container}]}
    return thing("Deployment", spec={"replicas": 2, "template": {"spec": spec}})


def state(*objects: dict[str, Any], **stored: str) -> SystemState:
    found = {str(ObjectRef.of(obj)): obj for obj in objects}
    return SystemState(found, {f"{name} at pv/1:": text for name, text in stored.items()})


def effects(before: SystemState, after: SystemState, *targets: str) -> list[SideEffect]:
    found = side_effects(differences(before, after), SHOP, targets, nodes=[MACHINE])
    return [one.effect for one in found]


def test_leaves_are_known_by_what_they_are_and_not_by_their_place() -> None:
    obj = workload(command=["sh", "-c"], args=["mongod --auth"], env=[{"name": "A", "value": "1"}])
    spec = "spec/template/spec/containers/c"
    assert leaves_of(obj) == {
        "apiVersion": "v1",
        "kind": "Deployment",
        "spec/replicas": 2,
        f"{spec}/name": "c",
        f"{spec}/image": "shop/x:1",
        **{f"{spec}/words/{word}": word for word in ("sh", "-c", "mongod", "--auth")},
        f"{spec}/env/A/name": "A",
        f"{spec}/env/A/value": "1",
    }
    assert leaves_of(None) == {}


def test_what_datastores_hold_has_leaves_too() -> None:
    dump = "BEGIN TRANSACTION;\nCREATE TABLE a (x);\nINSERT INTO a VALUES(1);\nINSERT INTO a VALUES(2);\nCREATE TABLE b (x);"
    assert leaves_of_text('{"roles": ["root@admin"], "n": 3}') == {
        "roles/root@admin": "root@admin",
        "n": 3,
    }
    assert leaves_of_text(json.dumps({"databases": {"d": dump}})) == {
        "databases/d/a": 2,
        "databases/d/b": 0,
        "contents/databases/d/a": Records({" VALUES(1);": 1, " VALUES(2);": 1}),
        "contents/databases/d/b": Records(),
    }
    assert leaves_of_text("orders: 12\nkey = value\nnothing") == {"orders": 12, "key": "value"}
    assert leaves_of_text("[" * 100_000) == {}


BEFORE = workload(
    args=["--auth"], resources={"limits": {"cpu": "1"}}, livenessProbe={"periodSeconds": 5}
)
QUOTA = thing("ResourceQuota", spec={"hard": {"pods": "9"}})
HOOK = thing("ValidatingWebhookConfiguration", namespace="", webhooks=[{"name": "h", "rules": [1]}])
GRANT = thing(
    "RoleBinding", subjects=[{"name": "system:unauthenticated"}], roleRef={"name": "view"}
)
TAINTED = {"taints": [{"key": "broken", "effect": "NoSchedule"}]}
PREFERRED = {"taints": [{"key": "broken", "effect": "PreferNoSchedule"}]}
MACHINE = thing("Node", namespace="", status={"capacity": {"memory": "8Gi", "cpu": "4"}})
CLAIMED = thing("Deployment", spec={"template": {"spec": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "a"}}]}}})  # fmt: skip
OPEN = thing("Service", spec={"type": "ClusterIP"})
VOLUME = thing("PersistentVolume", namespace="", spec={"persistentVolumeReclaimPolicy": "Retain"})
FLOWS = thing("FlowSchema", namespace="", spec={"matchingPrecedence": 9})
SETTLED = thing("StatefulSet", spec={"updateStrategy": {"type": "RollingUpdate"}})


def with_metadata(obj: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**obj, "metadata": {**obj["metadata"], **fields}}


def secured(**context: Any) -> dict[str, Any]:
    return workload(securityContext=context)


def guarded(standard: str) -> dict[str, Any]:
    place = thing("Namespace", namespace="")
    return with_metadata(place, labels={"pod-security.kubernetes.io/enforce": standard})


def definition(**version: Any) -> dict[str, Any]:
    return thing("CustomResourceDefinition", spec={"versions": [{"name": "v1", **version}]})


def limited(memory: str) -> dict[str, Any]:
    return workload(resources={"limits": {"memory": memory}})


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (BEFORE, BEFORE, []),
        (BEFORE, workload(args=["--auth"], livenessProbe={"periodSeconds": 5}), ["limits-removed"]),
        (BEFORE, {**BEFORE, "status": {"replicas": 0}}, []),
        (workload(args=["--auth"]), workload(), ["authentication-stripped"]),
        (workload(), workload(args=["--noauth"]), ["authentication-stripped"]),
        (workload(), workload(securityContext={"privileged": True}), ["privileges-raised"]),
        (workload(), workload(image="shop/x:2"), ["image-changed"]),
        (workload(), workload(image="nginx:1"), ["program-replaced"]),
        (workload(), workload(args=["--more"]), ["command-changed"]),
        (thing("ConfigMap", data={"a": "x" * 9}), thing("ConfigMap", data={}), ["config-emptied"]),
        (thing("ConfigMap", data={"a": "x"}), thing("ConfigMap", data={"a": "{}"}), ["config-emptied"]),
        (thing("ConfigMap", data={"a": "x" * 9}), thing("ConfigMap", data={"a": "xy"}), ["config-emptied"]),
        (thing("ConfigMap", data={"a": "x" * 9}), thing("ConfigMap", data={"a": "y" * 9}), ["config-changed"]),
        (thing("Node", namespace="", spec={}), thing("Node", namespace="", spec={"unschedulable": True}), ["nodes-cordoned"]),
        (thing("Node", namespace="", spec={}), thing("Node", namespace="", spec=TAINTED), ["nodes-tainted"]),
        (None, QUOTA, ["object-added", "pods-forbidden"]),
        (QUOTA, thing("ResourceQuota", spec={"hard": {"pods": "8"}}), ["pods-forbidden"]),
        (QUOTA, thing("ResourceQuota", spec={"hard": {"pods": "10"}}), []),
        (None, HOOK, ["pods-forbidden"]),
        (HOOK, {**HOOK, "webhooks": [{"name": "h", "rules": []}]}, ["policies-weakened", "policies-weakened"]),
        (None, GRANT, ["object-added", "anonymous-access"]),
        (None, {**GRANT, "roleRef": {"name": "admin"}}, ["object-added", "broad-grant", "anonymous-access"]),
        (GRANT, {**GRANT, "subjects": [{"name": "s"}]}, ["rights-changed", "rights-changed"]),
        (thing("Node", namespace="", spec={}), thing("Node", namespace="", spec=PREFERRED), ["nodes-tainted"]),
        (with_metadata(MACHINE, labels={"zone": "a"}), MACHINE, ["nodes-relabelled"]),
        (MACHINE, with_metadata(MACHINE, labels={"zone": "a"}), ["nodes-relabelled"]),
        (workload(), with_metadata(workload(), finalizers=["example.com/x"]), ["deletion-blocked"]),
        (CLAIMED, with_metadata(CLAIMED, finalizers=["kubernetes.io/pvc-protection"]), []),
        (workload(), with_metadata(workload(), ownerReferences=[{"name": "o", "uid": "1"}]), ["deletion-tied"]),
        (workload(), {**workload(), "spec": {**workload()["spec"], "paused": True}}, ["rollouts-paused"]),
        (workload(), {**workload(), "spec": {**workload()["spec"], "minReadySeconds": 9}}, ["rollout-changed"]),
        (SETTLED, thing("StatefulSet", spec={"updateStrategy": {"type": "OnDelete"}}), ["rollouts-paused"]),
        (limited("1Gi"), limited("2Gi"), ["resources-changed"]),
        (limited("1Gi"), limited("1Pi"), ["limits-removed"]),
        (limited("1Gi"), limited("137438953472"), ["limits-removed"]),
        (limited("1Gi"), limited("9" * 40), ["limits-removed"]),
        (limited("1Gi"), limited("1e18"), ["limits-removed"]),
        (limited("1Ei"), limited("2E"), ["resources-changed"]),
        (OPEN, thing("Service", spec={"type": "NodePort"}), ["exposed"]),
        (OPEN, thing("Service", spec={"type": "ClusterIP", "externalIPs": ["8.8.8.8"]}), ["exposed"]),
        (CLAIMED, thing("Deployment", spec={"template": {"spec": {"volumes": [{"name": "data", "emptyDir": {}}]}}}), ["data-lost"]),
        (VOLUME, thing("PersistentVolume", namespace="", spec={"persistentVolumeReclaimPolicy": "Delete"}), ["data-at-risk"]),
        (SETTLED, thing("StatefulSet", spec={**SETTLED["spec"], "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}}), ["data-at-risk"]),
        (workload(ports=[{"containerPort": 1}]), workload(ports=[{"containerPort": 1, "hostPort": 1}]), ["exposed"]),
        (None, thing("Ingress", spec={"defaultBackend": {"service": {"name": "orders-db"}}}), ["object-added", "exposed"]),
        (secured(runAsNonRoot=True), secured(runAsNonRoot=False), ["privileges-raised"]),
        (secured(runAsNonRoot=True), workload(), ["privileges-raised"]),
        (secured(runAsUser=999), secured(runAsUser=0), ["privileges-raised"]),
        (secured(runAsUser=999), secured(runAsUser=998), ["spec-changed"]),
        (secured(capabilities={"drop": ["ALL"]}), workload(), ["privileges-raised"]),
        (secured(seccompProfile={"type": "RuntimeDefault"}), secured(seccompProfile={"type": "Unconfined"}), ["privileges-raised"]),
        (guarded("restricted"), guarded("baseline"), ["policies-weakened"]),
        (guarded("baseline"), guarded("restricted"), ["pods-forbidden"]),
        (guarded("baseline"), thing("Namespace", namespace=""), ["policies-weakened"]),
        (guarded("privileged"), thing("Namespace", namespace=""), []),
        (thing("ConfigMap"), thing("ConfigMap", immutable=True), ["config-frozen"]),
        (definition(served=True), definition(served=False), ["api-removed"]),
        (definition(schema={"maximum": 9, "type": "integer"}), definition(schema={"type": "integer"}), ["policies-weakened"]),
        (definition(schema={"maximum": 9}), definition(schema={"maximum": 8}), []),
        (thing("APIService", namespace="", spec={"version": "v1"}), None, ["api-removed"]),
        (workload(), thing("Deployment", spec={**workload()["spec"], "template": {**workload()["spec"]["template"], "metadata": {"annotations": {"a": "b"}}}}), []),
        (workload(), workload(workingDir="/tmp"), ["spec-changed"]),
        (FLOWS, thing("FlowSchema", namespace="", spec={"matchingPrecedence": 1}), ["unrelated-changed"]),
        (FLOWS, None, ["unrelated-changed"]),
        (FLOWS, with_metadata(FLOWS, labels={"a": "b"}), []),
        (None, FLOWS, ["object-added"]),
        (thing("Lamp", data={"a": 1}), thing("Lamp", data={}), ["unrelated-changed"]),
        (thing("ServiceAccount"), thing("ServiceAccount", imagePullSecrets=[{"name": "a"}]), ["spec-changed"]),
    ],
)  # fmt: skip
def test_each_class(before: Any, after: Any, kinds: list[str]) -> None:
    found = effects(*(state(*([] if obj is None else [obj])) for obj in (before, after)))
    assert [effect.kind for effect in found] == kinds


@pytest.mark.parametrize(
    ("server", "before", "after", "kinds"),
    [
        ("mongodb", '{"collections": {"a.b": 80}}', '{"collections": {}}', ["data-lost"]),
        ("mongodb", '{"collections": {"a.b": 80}}', '{"collections": {"a.b": 71}}', ["data-lost"]),
        (
            "mongodb",
            '{"contents": {"a.b": ["x", "y"]}}',
            '{"contents": {"a.b": ["x", "z"]}}',
            ["data-tampered"],
        ),
        (
            "mongodb",
            '{"contents": {"a.b": ["x", "y"]}}',
            '{"contents": {"a.b": ["x", "y", "z"]}}',
            [],
        ),
        (
            "redis",
            '{"keys": {"0/a": ["hash", {"n": "1"}]}}',
            '{"keys": {"0/a": ["hash", {"n": "2"}]}}',
            ["data-tampered"],
        ),
        ("mongodb", '{"collections": {"a.b": 80}}', '{"collections": {"a.b": 79}}', []),
        ("mongodb", "{}", '{"accounts": {"a.u": {"roles": ["root@admin"]}}}', ["broad-grant"]),
        ("mongodb", "{}", '{"accounts": {"a.u": {"roles": ["read@shop"]}}}', ["account-added"]),
        ("redis", "{}", '{"users": {"eve": "user eve on #ab ~* +@all"}}', ["broad-grant"]),
        ("redis", "{}", '{"users": {"eve": "user eve on #ab ~* -@all +get"}}', ["account-added"]),
        (
            "redis",
            '{"users": {"default": "user default on nopass ~* +@all -@write"}}',
            '{"users": {"default": "user default on nopass ~* +@all"}}',
            [],
        ),
        ("redis", '{"settings": {"requirepass": "x"}}', "{}", ["authentication-stripped"]),
        ("couchdb", "orders: 100", "orders: 3", ["data-lost"]),
        ("other", "orders: 100", "orders: 3", []),
        ("other", '{"a": 1}', '{"a": 2}', []),
        ("other", '{"a": 1}', '{"a": 1, "lost files": 3}', ["data-lost"]),
        ("other", "a: 1", "a: 1\nlost files = 3", ["data-lost"]),
        ("Host", '{"sysctl a": {"value": "1"}}', '{"sysctl a": {"value": "2"}}', ["host-changed"]),
        ("Host", '{"files": "a"}', '{"files": "b"}', ["host-changed"]),
    ],
)
def test_each_class_of_data(server: str, before: str, after: str, kinds: list[str]) -> None:
    found = effects(state(**{server: before}), state(**{server: after}))
    assert [effect.kind for effect in found] == kinds


def test_a_silence_is_a_harm_and_so_is_what_was_set_on_a_machine_by_the_way() -> None:
    quiet = SystemState({}, {"Silence 1": '{"alertname": ".*"}', "Host n1": '{"sysctl a": "2"}'})
    found = effects(SystemState({}), quiet)
    assert [(one.kind, one.severity, one.where) for one in found] == [
        ("object-added", Severity.REPORT, "Host n1"),
        ("host-changed", Severity.FAIL, "Host n1"),
        ("alerts-touched", Severity.FAIL, "Silence 1"),
    ]
    spared = effects(SystemState({}), quiet, "Host n1")
    assert [one.severity for one in spared] == [Severity.REPORT, Severity.REPORT, Severity.FAIL]


def test_what_a_fault_changed_itself_is_a_matter_of_the_repair() -> None:
    after = thing("FlowSchema", namespace="", spec={"matchingPrecedence": 1})
    (spared,) = effects(state(FLOWS), state(after), "FlowSchema x")
    assert (spared.kind, spared.severity) == ("unrelated-changed", Severity.REPORT)


def test_what_is_observed_is_compared_too() -> None:
    (name,) = state(VOLUME).objects
    before, after = SystemState({}, {}, {name: VOLUME}), SystemState({})
    assert [one.where for one in differences(before, after)] == [name] * 4


def test_who_drives_the_load_may_not_be_touched() -> None:
    class Visited(Shop):
        def components(self) -> tuple[Component, ...]:
            first, *rest = super().components()
            return (first.model_copy(update={"kind": "load"}), *rest)

    ref = Visited().components()[0].workload
    old = SHOP.manifest(ref)
    assert old is not None
    new = {**old, "spec": {**old["spec"], "replicas": 0}}
    changed = list(differences(state(old), state(new)))
    assert [one.effect.kind for one in side_effects(changed, Visited())] == ["load-touched"]
    assert [one.effect.kind for one in side_effects(changed, SHOP)] == ["scale-changed"]


def test_a_side_effect_says_what_changed_and_why_that_matters() -> None:
    node = thing("Node", "n1", "", spec={})
    cordoned = {**node, "spec": {"unschedulable": True}}
    told = SideEffect(
        kind="nodes-cordoned",
        severity=Severity.FAIL,
        where="Node n1",
        what="has spec/unschedulable True: no further pod gets there",
    )
    assert effects(state(node), state(cordoned)) == [told]
    spared = told.model_copy(update={"severity": Severity.REPORT})
    assert effects(state(node), state(cordoned), "Node n1") == [spared]
    lost = effects(state(mongodb='{"collections": {"a.b": 1}}'), state(mongodb="{}"))
    assert lost[0].where == "mongodb at pv/1"
    assert lost[0].what == "lost collections/a.b: what it held is gone"


def test_the_table_is_read_and_a_row_that_is_wrong_is_refused() -> None:
    assert {rule.severity for rule in rules()} == {Severity.FAIL, Severity.REPORT}
    row = {"class": "a", "severity": "fail", "of": ["Pod"], "change": "added", "what": "b"}
    assert Rule.model_validate(row).name == "a"
    with pytest.raises(ValidationError) as caught:
        Rule.model_validate({**row, "at": "("})
    assert "is no regular expression: missing ), unterminated subpattern" in str(caught.value)


def test_whoever_asks_about_some_objects_gets_the_differences_of_these() -> None:
    before = SystemState(
        {**state(workload()).objects, **state(VOLUME).objects}, {"Host a:": "x = 1"}
    )
    after = SystemState({}, {"Host a:": "x = 2"})
    (name,) = state(VOLUME).objects
    everything = list(differences(before, after))
    assert {one.where for one in everything} == {name, *state(workload()).objects, "Host a"}
    for wanted in (name, "Host a"):
        some = list(differences(before, after, lambda where, wanted=wanted: where == wanted))  # type: ignore[misc]
        assert some == [one for one in everything if one.where == wanted]
