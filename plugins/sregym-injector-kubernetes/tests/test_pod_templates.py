"""Faults that are one change of a pod template: what they change, and what counts as repaired."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from sregym_core.model import Change, Outcome
from sregym_injector_kubernetes.placement import NodeSelector, RequestTooLarge, SpreadImpossible
from sregym_injector_kubernetes.probes import LivenessProbeWrong, ReadinessProbeWrong
from sregym_injector_kubernetes.starting import CommandWrong, CpuLimit, InitHang, RunAsNonRoot
from sregym_testing import FullShop

CATALOG = FullShop().component("catalog").workload
HEALTHZ = {
    "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
    "initialDelaySeconds": 5,
    "periodSeconds": 5,
    "failureThreshold": 1,
}


def pod(cluster):
    return cluster.get(CATALOG)["spec"]["template"]["spec"]


def change(cluster, spec):
    cluster.patch(CATALOG, {"spec": {"template": {"spec": spec}}})


def container(**fields):
    return {"containers": [{"name": "catalog", **fields}]}


@pytest.mark.parametrize(
    ("fault", "parameters", "what", "before", "after", "told"),
    [
        (NodeSelector(), {"key": "disk", "value": "ssd"}, "nodeSelector", "", "disk=ssd", "has the node selector disk=ssd"),
        (
            SpreadImpossible(), {}, "topologySpreadConstraints", "", "over topology.kubernetes.io/rack, required",
            "spreads its pods over topology.kubernetes.io/rack, which no node has",
        ),
        (
            SpreadImpossible(), {"by": "anti-affinity"}, "affinity.podAntiAffinity", "1 replicas",
            "required, one pod on each node, 1 replicas", "keeps 1 pods apart on 0 nodes",
        ),
        (
            RequestTooLarge(), {"memory": "900Gi"}, "containers[name=catalog].resources.requests.memory", "64Mi", "900Gi",
            "requests 900Gi of memory",
        ),
        (
            LivenessProbeWrong(), {}, "containers[name=catalog].livenessProbe", "", "HTTP GET /healthz port 8080",
            "has the livenessProbe HTTP GET /healthz port 8080",
        ),
        (
            ReadinessProbeWrong(), {"by": "tcp", "port": 9}, "containers[name=catalog].readinessProbe",
            "connection to port 8083", "connection to port 9", "has the readinessProbe connection to port 9",
        ),
        (
            LivenessProbeWrong(), {"by": "exec"}, "containers[name=catalog].livenessProbe", "", "command /bin/health-check",
            "has the livenessProbe command /bin/health-check",
        ),
        (CommandWrong(), {"command": ("geo",)}, "containers[name=catalog].command", "", "geo", "has the command geo"),
        (
            InitHang(), {"waits_for": "vault"}, "initContainers", "", "wait-for-legacy-config waits for vault",
            "has an init container that waits for vault",
        ),
        (
            RunAsNonRoot(), {}, "containers[name=catalog].securityContext.runAsNonRoot", "", "true",
            "has runAsNonRoot: true and names no user",
        ),
        (CpuLimit(), {"millicores": 7}, "containers[name=catalog].resources.limits.cpu", "", "7m", "has a CPU limit of 7m"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "mechanism") else "",
)  # fmt: skip
def test_what_changes_and_is_told(cluster, at, fault, parameters, what, before, after, told):
    context = at(fault, "catalog", **parameters)
    assert fault.present(context).outcome == Outcome.PASS

    fault.inject(context)

    assert fault.ground_truth(context).changed == Change(what=what, before=before, after=after)
    check = fault.present(context)
    assert (check.outcome, check.got) == (Outcome.FAIL, f"Deployment shop/catalog {told}")


@pytest.mark.parametrize(
    ("fault", "parameters", "repair", "outcome"),
    [
        (NodeSelector(), {}, {"nodeSelector": None}, Outcome.PASS),
        (SpreadImpossible(), {}, {"topologySpreadConstraints": None}, Outcome.PASS),
        (RequestTooLarge(), {"memory": "900Gi"}, container(resources={"requests": {"memory": "64Mi"}}), Outcome.PASS),
        (LivenessProbeWrong(), {}, container(livenessProbe=None), Outcome.PASS),
        # The manifest has a readiness probe: one that is gone is no repair.
        (LivenessProbeWrong(), {}, container(livenessProbe=None, readinessProbe=None), Outcome.FAIL),
        (ReadinessProbeWrong(), {}, container(readinessProbe=None), Outcome.FAIL),
        (
            ReadinessProbeWrong(), {}, container(readinessProbe={"httpGet": None, "tcpSocket": {"port": 8083}}),
            Outcome.PASS,
        ),
        (CommandWrong(), {}, container(command=None), Outcome.PASS),
        (CommandWrong(), {}, container(command=["catalog"]), Outcome.PASS),
        (InitHang(), {}, {"initContainers": None}, Outcome.PASS),
        (RunAsNonRoot(), {}, container(securityContext={"runAsUser": 1000}), Outcome.PASS),
        (RunAsNonRoot(), {}, container(securityContext=None), Outcome.PASS),
        (CpuLimit(), {}, container(resources={"limits": {"cpu": "200m"}, "requests": {"cpu": "100m"}}), Outcome.PASS),
        (CpuLimit(), {}, container(resources={"limits": {"cpu": "50m"}, "requests": {"cpu": "10m"}}), Outcome.FAIL),
    ],
)  # fmt: skip
def test_repairs(cluster, at, fault, parameters, repair, outcome):
    context = at(fault, "catalog", **parameters)
    fault.inject(context)
    change(cluster, repair)
    assert fault.present(context).outcome == outcome


def test_what_an_init_container_waits_for_may_come_after_all(cluster, at):
    context = at(InitHang(), "catalog")
    InitHang().inject(context)
    cluster.create(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "legacy-config-service", "namespace": "shop"},
            "spec": {"ports": [{"port": 80}]},
        }
    )
    assert InitHang().present(context).outcome == Outcome.PASS


def test_the_other_handler_goes(cluster, at):
    ReadinessProbeWrong().inject(at(ReadinessProbeWrong(), "catalog"))
    assert {
        key: value
        for key, value in pod(cluster)["containers"][0]["readinessProbe"].items()
        if value is not None
    } == HEALTHZ


def test_the_reference_fix_gives_back_what_was_changed_alone(at):
    """Another fault of the same pods has a repair of its own."""
    context = at(NodeSelector(), "front")
    patch, wait = NodeSelector().reference_fix(context)
    assert str(patch) == (
        "kubectl patch deployment/front -n shop --type=json -p "
        """'[{"op": "remove", "path": "/spec/template/spec/nodeSelector"}]'"""
    )
    assert str(wait) == "kubectl rollout status deployment/front -n shop --timeout=300s"


def test_a_request_that_is_no_quantity():
    with pytest.raises(ValidationError) as caught:
        RequestTooLarge.Parameters(memory="much")
    assert caught.value.errors()[0]["msg"] == (
        "Value error, 'much' is no quantity of memory; write it as 64Mi, 1G or a number of bytes"
    )
