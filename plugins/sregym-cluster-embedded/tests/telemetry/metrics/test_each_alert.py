"""Each alert: its cause makes it wait, then fire after its `for`; it is gone when the cause is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.node import ingress_controller
from sregym_cluster_embedded.telemetry.rules import AlertingRule, State, active
from sregym_cluster_embedded.telemetry.rules.world_rules import groups_of
from sregym_cluster_embedded.world import World

STEP_S = 30
IMAGE = "ghcr.io/acme/booth:1.0"


class Case(NamedTuple):
    """What makes an alert fire, and what ends it.

    Attributes:
        alert: Its name.
        labels: Some of those that it has.
        cause: Changes the cluster.
        repair: Takes the change back.
        severity: Of the rule; the same alert may be worse where users come in.
        within_s: When it has to fire.
        gone_s: When it has to be gone.
    """

    alert: str
    labels: dict[str, str]
    cause: Callable[[Any], None]
    repair: Callable[[Any], None]
    severity: str = "warning"
    within_s: int = 240
    gone_s: int = 480


def container_of(**fields: Any) -> Callable[[dict[str, Any]], None]:
    def change(deployment: dict[str, Any]) -> None:
        deployment["spec"]["template"]["spec"]["containers"][0].update(fields)

    return change


def edited(name: str, **fields: Any) -> Callable[[Any], None]:
    return lambda booth: booth.edit("Deployment", name, container_of(**fields))


def scaled(name: str, replicas: int) -> Callable[[Any], None]:
    def change(deployment: dict[str, Any]) -> None:
        deployment["spec"]["replicas"] = replicas

    return lambda booth: booth.edit("Deployment", name, change)


def pod(restart: str = "Always", **fields: Any) -> Callable[[Any], None]:
    container = {"name": "one", "image": IMAGE, "command": ["sleep", "100000"], **fields}
    spec = {"containers": [container], "restartPolicy": restart, "terminationGracePeriodSeconds": 1}

    def make(booth: Any) -> None:
        metadata = {"name": "one", "namespace": "booth", "labels": {"app": "one"}}
        internal_client.create(booth.world, "pods", {"metadata": metadata, "spec": spec})

    return make


def no_pod(booth: Any) -> None:
    booth.delete("pods", "one")


def service(name: str, port: int, target: int) -> Callable[[Any], None]:
    def change(given: dict[str, Any]) -> None:
        given["spec"]["ports"] = [{"port": port, "targetPort": target, "protocol": "TCP"}]

    return lambda booth: booth.edit("Service", name, change)


def deleted_service(booth: Any) -> None:
    booth.delete("services", "stock")


def service_again(booth: Any) -> None:
    spec = {"selector": {"app": "stock"}, "ports": [{"port": 8081, "targetPort": 8081}]}
    metadata = {"name": "stock", "namespace": "booth"}
    internal_client.create(booth.world, "services", {"metadata": metadata, "spec": spec})


def stateful(booth: Any) -> None:
    labels = {"app": "one"}
    container = {"name": "one", "image": "ghcr.io/acme/none:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"serviceName": "one", "selector": {"matchLabels": labels}, "template": template}
    metadata = {"name": "one", "namespace": "booth"}
    internal_client.create(booth.world, "statefulsets.apps", {"metadata": metadata, "spec": spec})


def not_stateful(booth: Any) -> None:
    booth.delete("statefulsets.apps", "one")


def page(booth: Any) -> None:
    ingress_controller.install(booth.world)
    backend = {"service": {"name": "web", "port": {"number": 8080}}}
    paths = [{"path": "/", "pathType": "Prefix", "backend": backend}]
    spec = {"rules": [{"host": "booth.test", "http": {"paths": paths}}]}
    metadata = {"name": "booth", "namespace": "booth"}
    internal_client.create(
        booth.world, "ingresses.networking.k8s.io", {"metadata": metadata, "spec": spec}
    )
    booth.run(60)
    scaled("web", 0)(booth)


def probed(cause: Callable[[Any], None]) -> Callable[[Any], None]:
    """The same where users come in by web, so that its page is probed."""

    def make(booth: Any) -> None:
        annotations = {"prometheus.io/probe": "true"}
        booth.edit("Service", "web", lambda obj: obj["metadata"].update(annotations=annotations))
        booth.run(60)
        cause(booth)

    return make


SLOW = {"resources": {"requests": {"cpu": "4m"}, "limits": {"cpu": "8m", "memory": "64Mi"}}}
FAST = {"resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "500m", "memory": "64Mi"}}}
CASES = (
    Case("PodStatusError", {"namespace": "booth", "pod": "one", "container": "one"}, pod(image="ghcr.io/acme/none:1"), no_pod),
    Case("FailedPodsDetected", {"namespace": "booth", "pod": "one"}, pod("Never", command=["false"]), no_pod),
    Case("PendingPodsDetected", {"namespace": "booth", "pod": "one"}, pod(resources={"requests": {"cpu": "900"}}), no_pod),
    Case("PodSchedulingFailure", {"namespace": "booth", "pod": "one"}, pod(resources={"requests": {"cpu": "900"}}), no_pod),
    Case("KubePodNotReady", {"namespace": "booth", "pod": "one"}, pod(readinessProbe={"tcpSocket": {"port": 1}}), no_pod),
    Case("DeploymentNotReady", {"namespace": "booth", "deployment": "stock"}, scaled("stock", 0), scaled("stock", 1)),
    Case("StatefulSetNotReady", {"namespace": "booth", "statefulset": "one"}, stateful, not_stateful),
    Case("ContainerCPUThrottling", {"namespace": "booth", "container": "web"}, edited("web", **SLOW), edited("web", **FAST), within_s=600),
    Case("HighRequestErrorRate", {"namespace": "booth", "service_name": "web"}, deleted_service, service_again),
    Case("HighRequestErrorRate", {"namespace": "booth", "service_name": "web", "span_name": "GET /buy"}, probed(deleted_service), service_again, "critical"),
    Case("HighCallErrorRate", {"namespace": "booth", "service_name": "web", "span_name": "Reserve"}, deleted_service, service_again),
    Case("HighWorkloadFailureRate", {"namespace": "booth", "method": "GET", "name": "buy"}, deleted_service, service_again, "critical"),
    Case("HighRequestRate", {"namespace": "booth", "service_name": "web"}, scaled("load", 5), scaled("load", 1)),
    Case("HighRequestLatency", {"namespace": "booth", "service_name": "web"}, edited("web", **SLOW), edited("web", **FAST), within_s=400),
    Case("HighRequestLatency", {"namespace": "booth", "service_name": "web"}, probed(edited("web", **SLOW)), edited("web", **FAST), "critical", within_s=400),
    Case("MessageConsumerLag", {"namespace": "booth", "topic": "views"}, scaled("book", 0), scaled("book", 1), within_s=600, gone_s=900),
    Case("ServiceEndpointDown", {"namespace": "booth", "service": "web"}, service("web", 8080, 9999), service("web", 8080, 8080)),
    Case("HTTPProbeFailure", {"namespace": "booth", "instance": "http://booth.test/"}, page, scaled("web", 2), "critical"),
    Case("HTTPProbeFailure", {"namespace": "booth", "service": "web", "instance": "http://web.booth.svc.cluster.local:8080/"}, probed(scaled("web", 0)), scaled("web", 2), "critical"),
)  # fmt: skip


def rules_of(world: World) -> dict[tuple[str, str], AlertingRule]:
    """All alerting rules of a world, by name and severity."""
    return {
        (rule.name, rule.labels["severity"]): rule
        for group in groups_of(world)
        for rule in group.rules
        if isinstance(rule, AlertingRule)
    }


def test_there_is_a_case_for_each_alert(booth: Any) -> None:
    # Those of the cluster, and those that come with the kinds of servers that are installed.
    assert {(case.alert, case.severity) for case in CASES} == set(rules_of(booth.world))


def state_of(world: World, case: Case) -> State | None:
    wanted = {"alertname": case.alert, "severity": case.severity, **case.labels}.items()
    found = [alert.state for alert in active(world) if wanted <= dict(alert.labels).items()]
    return found[0] if found else None


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.alert}-{case.severity}")
def test_an_alert_waits_fires_and_is_gone(booth: Any, case: Case) -> None:
    hold_s = rules_of(booth.world)[case.alert, case.severity].hold_ms / 1000
    world = booth.world
    booth.run(600 - world.now % STEP_S + 1)
    assert state_of(world, case) is None
    case.cause(booth)
    waited = None
    caused = world.now
    while (state := state_of(world, case)) is not State.FIRING:
        if state is State.PENDING and waited is None:
            waited = world.now
        assert world.now - caused <= case.within_s
        booth.run(STEP_S)
    assert waited is not None
    assert world.now - waited == hold_s
    case.repair(booth)
    booth.run(case.gone_s)
    assert state_of(world, case) is None


def test_the_figure_of_an_alert_is_that_of_the_users(booth: Any) -> None:
    deleted_service(booth)
    booth.run(300)
    (failing,) = booth.ask("sum(rate(locust_requests_num_failures[2m]))").values()
    assert failing == pytest.approx(66.6, rel=0.1)
    told = {
        dict(alert.labels)["alertname"]: dict(alert.annotations)["description"]
        for alert in active(booth.world)
        if dict(alert.labels).get("service_name") == "web"
    }
    words = told["HighRequestErrorRate"].split()
    assert words[1:] == ["requests", "a", "second", "fail", "at", "web", "in", "booth."]
    assert float(words[0]) == pytest.approx(failing, rel=0.05)
    assert set(told) == {"HighRequestErrorRate", "HighCallErrorRate"}
