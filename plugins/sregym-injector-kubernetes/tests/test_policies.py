"""Faults around a workload: what is said of each way to break it, and what counts as repaired."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import Fault, FaultContext
from sregym_core.model import Change, ObjectRef, Outcome
from sregym_injector_kubernetes.builds import BuggyBuild
from sregym_injector_kubernetes.host_port import HostPort
from sregym_injector_kubernetes.namespace_policy import NamespacePolicy
from sregym_injector_kubernetes.preemption import Preemption
from sregym_injector_kubernetes.rollout_strategy import RolloutStrategy
from sregym_injector_kubernetes.room import RoomMissing
from sregym_injector_kubernetes.scaling import AutoscalerWrong
from sregym_injector_kubernetes.secret_wrong import SecretWrong
from sregym_injector_kubernetes.volumes import VolumeElsewhere
from sregym_injector_kubernetes.waiting import ReadinessGate, SidecarStuck
from sregym_injector_kubernetes.webhooks import WebhookDown
from sregym_testing import FullShop, MemoryCluster

CATALOG = "Deployment shop/catalog"
NAMESPACE = ObjectRef(api_version="v1", kind="Namespace", name="shop")


def policy(kind: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind=kind, namespace="shop", name="team-limits")


WEBHOOK = ObjectRef(
    api_version="admissionregistration.k8s.io/v1",
    kind="ValidatingWebhookConfiguration",
    name="image-policy",
)
DEPLOYMENT = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="catalog")


def template(**spec: Any) -> tuple[ObjectRef, dict[str, Any]]:
    return DEPLOYMENT, {"spec": {"template": {"spec": spec}}}


# Parameters, the change that is told, the defect, and a repair other than the reference fix.
SHARED = {"name": "shm", "mountPath": "/dev/shm"}
CASES: list[tuple[Fault, dict[str, Any], Change, str, tuple[ObjectRef, dict[str, Any]]]] = [
    (
        NamespacePolicy(),
        {},
        Change(what="spec.hard.requests.memory", after="63Mi"),
        "is held back by ResourceQuota team-limits with requests.memory 63Mi",
        (policy("ResourceQuota"), {"spec": {"hard": {"requests.memory": "64Mi"}}}),
    ),
    (
        NamespacePolicy(),
        {"by": "pods"},
        Change(what="spec.hard.pods", after="4"),
        "is held back by ResourceQuota team-limits with pods 4",
        (policy("ResourceQuota"), {"spec": {"hard": {"pods": "5"}}}),
    ),
    (
        NamespacePolicy(),
        {"by": "limit-range"},
        Change(what="spec.limits[0].max.memory", after="8Mi"),
        "is held back by LimitRange team-limits with max.memory 8Mi",
        (policy("LimitRange"), {"spec": {"limits": [{"max": {"memory": "256Mi"}}]}}),
    ),
    (
        NamespacePolicy(),
        {"by": "pod-security"},
        Change(what="metadata.labels[pod-security.kubernetes.io/enforce]", after="restricted"),
        "does not meet the standard restricted, which shop enforces",
        (NAMESPACE, {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}),
    ),
    (
        WebhookDown(),
        {},
        Change(
            what="webhooks[0].clientConfig.service",
            after="Service shop/image-policy, which does not exist, failurePolicy Fail",
        ),
        "gets no pods: ValidatingWebhookConfiguration image-policy asks image-policy.shop.svc, "
        "which nobody serves",
        (WEBHOOK, {"webhooks": [{"name": "a", "clientConfig": {"service": None}}]}),
    ),
    (
        RolloutStrategy(),
        {},
        Change(
            what="strategy.rollingUpdate",
            before="maxUnavailable 25%, maxSurge 25%",
            after="maxUnavailable 100%, maxSurge 0",
        ),
        "takes all pods at once: maxUnavailable 100%, maxSurge 0; Deployment shop/catalog has an "
        "init container migrate-cache that never ends",
        (
            DEPLOYMENT,
            {
                "spec": {
                    "strategy": {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}},
                    "template": {"spec": {"initContainers": None}},
                }
            },
        ),
    ),
    (
        ReadinessGate(),
        {},
        Change(what="readinessGates", after="example.com/load-balancer-attached"),
        "has the readiness gate example.com/load-balancer-attached",
        template(readinessGates=None),
    ),
    (
        SidecarStuck(),
        {},
        Change(what="initContainers", after="config-agent, whose startupProbe looks at port 15020"),
        "has a sidecar config-agent whose startupProbe looks at port 15020",
        template(initContainers=[{"name": "config-agent", "startupProbe": None}]),
    ),
    (
        RoomMissing(),
        {"mib": 70},
        Change(what="initContainers", after="prepare-segments lays out 70 MiB in /dev/shm"),
        "lays out 70 MiB in /dev/shm, which has 64 MiB",
        template(
            volumes=[{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "80Mi"}}],
            initContainers=[{"name": "prepare-segments", "volumeMounts": [SHARED]}],
        ),
    ),
    (
        HostPort(),
        {},
        Change(what="containers[name=catalog].ports[containerPort=9091].hostPort", after="9100"),
        "wants the host port 9100, which DaemonSet node-metrics has",
        template(
            containers=[{"name": "catalog", "ports": [{"containerPort": 9091, "hostPort": None}]}]
        ),
    ),
    (
        AutoscalerWrong(),
        {},
        Change(
            what="HorizontalPodAutoscaler catalog by cpu utilization, "
            "containers[name=catalog].resources.requests.cpu",
            before="100m",
            after="no request",
        ),
        "is scaled by HorizontalPodAutoscaler catalog by cpu, which container catalog does not "
        "request",
        template(containers=[{"name": "catalog", "resources": {"limits": {"cpu": "1"}}}]),
    ),
    (
        Preemption(),
        {},
        Change(what="value, of Deployment nightly-report", after="1000000"),
        "has priority 0 and is kept off by Deployment nightly-report with 1000000",
        (
            DEPLOYMENT.model_copy(update={"name": "nightly-report"}),
            {"spec": {"template": {"spec": {"affinity": None}}}},
        ),
    ),
    (
        BuggyBuild(),
        {"image": "shop/catalog:2.0"},
        Change(
            what="containers[name=catalog].image",
            before="shop/catalog:latest",
            after="shop/catalog:2.0",
        ),
        "has image shop/catalog:2.0",
        template(containers=[{"name": "catalog", "image": "shop/catalog:1.9"}]),
    ),
]


def test_a_build_that_nobody_knows(at: Callable[..., FaultContext]) -> None:
    with pytest.raises(UsageError) as caught:
        BuggyBuild().ground_truth(at(BuggyBuild(), "catalog"))
    assert str(caught.value) == (
        "no buggy build of component 'catalog' is known; name one with the parameter image"
    )


def test_a_secret_that_nobody_asks_for(at: Callable[..., FaultContext]) -> None:
    with pytest.raises(UsageError) as caught:
        SecretWrong().ground_truth(at(SecretWrong(), "catalog", secret="vault"))
    assert str(caught.value) == (
        "no variable of component 'catalog' comes from a Secret 'vault'; it asks for: none"
    )


@pytest.mark.parametrize(("fault", "parameters", "change", "told", "repair"), CASES)
def test_what_is_wrong_and_when_it_no_longer_is(
    cluster: MemoryCluster,
    at: Callable[..., FaultContext],
    fault: Fault,
    parameters: dict[str, Any],
    change: Change,
    told: str,
    repair: tuple[ObjectRef, dict[str, Any]],
) -> None:
    context = at(fault, "catalog", **parameters)
    fault.inject(context)
    assert fault.ground_truth(context).changed == change
    assert fault.present(context).got == f"{CATALOG} {told}"
    cluster.patch(*repair, "strategic" if repair[0].kind == "Deployment" else "merge")
    assert fault.present(context).outcome is Outcome.PASS


def test_a_volume_elsewhere_needs_a_second_node(at: Callable[..., FaultContext]) -> None:
    with pytest.raises(WorldError) as caught:
        VolumeElsewhere().ground_truth(at(VolumeElsewhere(), "catalog"))
    assert str(caught.value) == (
        "a volume on another node needs two nodes that take pods, but the cluster has 0; add a node"
    )


def test_a_volume_elsewhere_stays_where_it_is_while_nodes_are_cordoned(
    cluster: MemoryCluster, at: Callable[..., FaultContext]
) -> None:
    for name, taints in (
        ("a", [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]),
        ("b", [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]),
        ("c", []),
    ):
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
        cluster.create({**node, "spec": {"taints": taints}})
    context = at(VolumeElsewhere(), "catalog")
    assert VolumeElsewhere().ground_truth(context).changed == Change(
        what="nodeSelector",
        before="",
        after="kubernetes.io/hostname=c, with the claim catalog-scratch on b",
    )


def test_the_shop_has_what_these_cases_count() -> None:
    assert [part.replicas for part in FullShop().components()] == [1, 1, 2, 1]
