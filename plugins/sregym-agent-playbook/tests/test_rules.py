"""What the runbook concludes from what was seen."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sregym_agent_playbook import services, surroundings, workloads
from sregym_agent_playbook.observations import Observation, containers
from sregym_agent_playbook.rules import conclude, rules
from sregym_agent_playbook.stores import store_of
from sregym_agents.survey import Listing

SHOP = ("shop",)


def made(kind: str, name: str, **fields: Any) -> dict[str, Any]:
    namespace = fields.pop("namespace", "shop")
    extra = fields.pop("metadata", {})
    return {"kind": kind, "metadata": {"name": name, "namespace": namespace, **extra}, **fields}


def workload(name: str, *, env: Any = (), image: str = "shop", **pod: Any) -> dict[str, Any]:
    ports = [{"containerPort": 80, "name": "http"}]
    container = {"name": name, "image": image, "ports": ports, "env": [*env], **pod.pop("own", {})}
    spec = {"containers": [container], **pod.pop("spec", {})}
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    return made("Deployment", name, spec={"template": template, **pod})


def service(name: str, app: str, port: int | str = 80, **fields: Any) -> dict[str, Any]:
    ports = [{"port": 8080, "targetPort": port}]
    return made("Service", name, spec={"selector": {"app": app}, "ports": ports, **fields})


def texts(source: Any, *objects: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.component, one.text) for one in source(Listing(SHOP, objects))]


def test_the_runbook_has_each_line_once() -> None:
    lines = [(rule.source, rule.matches) for rule in rules()]
    assert len(lines) == len(set(lines)) > 40
    assert all(re.compile(rule.matches) for rule in rules())


@pytest.mark.parametrize(
    ("source", "text", "mechanism"),
    [
        (
            "event",
            "FailedScheduling: 0/3 nodes are available: 3 Insufficient memory.",
            "memory request too large",
        ),
        (
            "event",
            "FailedScheduling: 0/3 nodes: 3 node(s) had untolerated taint(s)",
            "taint that the pod does not tolerate",
        ),
        ("event", 'FailedMount: configmap "x" not found', "missing configmap"),
        (
            "event",
            "FailedCreate: pods x is forbidden: exceeded quota: q",
            "pods are forbidden by a policy of the namespace",
        ),
        ("container", "container x waits: ImagePullBackOff Back-off", "wrong image tag"),
        ("container", "container x ended: OOMKilled exit code 137 ", "memory limit too low"),
        ("log", "SASL: Authentication failed.", "user was dropped"),
        ("change", "data.a.json.address was x is gone", "configuration drift"),
    ],
)
def test_a_line_of_the_runbook(source: str, text: str, mechanism: str) -> None:
    (found,) = conclude([Observation(source, "cart", "Deployment", text)])
    assert found.rule.mechanism == mechanism


def test_a_cause_is_believed_before_a_symptom() -> None:
    found = conclude(
        [
            Observation("log", "web", "Deployment", "connection refused"),
            Observation("workload", "cart", "Deployment", "is scaled to zero: spec.replicas is 0"),
            Observation("workload", "tax", "Deployment", "is scaled to zero: spec.replicas is 0"),
        ]
    )
    assert [(one.seen.component, one.rule.mechanism) for one in found] == [
        ("cart", "scaled to zero"),
        ("tax", "scaled to zero"),
    ]
    assert conclude([]) == []


def test_services_that_lead_nowhere_or_elsewhere() -> None:
    pods = [workload("cart"), workload("web")]
    assert texts(services.services, *pods, service("cart", "cart")) == []
    assert texts(services.services, *pods, service("cart", "cart", "http")) == []
    assert texts(services.services, *pods, service("cart", "tax")) == [
        ("cart", "Service cart selects no pods: app=tax")
    ]
    assert texts(services.services, *pods, service("cart", "cart", 81)) == [
        ("cart", "Service cart forwards to port 81, which its pods do not have")
    ]
    local = service("cart", "cart", internalTrafficPolicy="Local")
    assert texts(services.services, *pods, local) == [
        ("cart", "Service cart serves clients of the same node alone: internalTrafficPolicy Local")
    ]


def test_addresses_that_no_service_has() -> None:
    web = workload("web", env=[{"name": "CART", "value": "cart:8080"}])
    assert texts(services.addresses, web, workload("cart"), service("cart", "cart")) == []
    assert texts(services.addresses, web, workload("cart")) == [
        ("cart", "there is no Service cart, which variable CART of web names")
    ]
    wrong = workload("web", env=[{"name": "CART", "value": "cart:8082"}])
    assert texts(services.addresses, wrong, workload("cart"), service("cart", "cart")) == [
        ("web", "variable CART asks cart at port 8082, where its Service has [8080]")
    ]


def test_what_is_odd_in_a_template() -> None:
    twice = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    probe = {"tcpSocket": {"port": 81}, "periodSeconds": 1, "failureThreshold": 2}
    odd = workload(
        "cart",
        env=twice,
        own={"livenessProbe": probe},
        spec={"dnsPolicy": "None", "dnsConfig": {"nameservers": ["192.0.2.1"]}},
        replicas=0,
        strategy={"rollingUpdate": {"maxUnavailable": "100%"}},
    )
    assert texts(workloads.workloads, workload("web")) == []
    assert [text for _, text in texts(workloads.workloads, odd)] == [
        "is scaled to zero: spec.replicas is 0",
        "takes all pods at once: maxUnavailable is 100%",
        "asks other name servers: dnsPolicy is None, nameservers 192.0.2.1",
        "environment variable A is defined twice",
        "livenessProbe asks port 81, which the container does not declare",
        "livenessProbe gives up 2 s after the start",
    ]


def test_what_differs_from_what_was_applied() -> None:
    applied = '{"data": {"a.json": "{\\"port\\": 1, \\"host\\": \\"db\\"}"}}'
    config = made(
        "ConfigMap",
        "cart",
        metadata={"annotations": {workloads.LAST_APPLIED: applied}},
        data={"a.json": '{"port": 2}', "more": ""},
    )
    cart = workload("cart", spec={"volumes": [{"configMap": {"name": "cart"}}]})
    assert texts(workloads.drift, cart, config) == [
        ("cart", "data.a.json.port was 1 when it was applied and is 2"),
        ("cart", "data.a.json.host was db when it was applied and is gone"),
    ]
    other = made("ConfigMap", "other")
    assert texts(workloads.missing, cart, config) == []
    assert texts(workloads.missing, cart, other) == [("cart", "ConfigMap cart does not exist")]


def test_what_stands_around_an_application() -> None:
    cart = workload("cart")
    wall = made(
        "NetworkPolicy",
        "wall",
        spec={"podSelector": {"matchLabels": {"app": "cart"}}, "policyTypes": ["Ingress"]},
    )
    assert texts(surroundings.policies, cart, wall) == [
        ("cart", "NetworkPolicy wall denies all Ingress traffic")
    ]
    block = "template IN A cart.shop.svc { match cart\\.shop\\.svc\n rcode NXDOMAIN }"
    corefile = {"Corefile": "kubernetes cluster.local\n" + block}
    core = made("ConfigMap", "coredns", namespace="kube-system", data=corefile)
    assert texts(surroundings.name_server, cart, core) == [
        ("cart", "the Corefile has NXDOMAIN for the name of cart")
    ]


def test_how_containers_ended() -> None:
    statuses = [{"name": "cart", "lastState": {"terminated": {"reason": "OOMKilled"}}}]
    pod = made("Pod", "cart-1", spec={}, status={"containerStatuses": statuses})
    owned = {"ownerReferences": [{"kind": "StatefulSet", "name": "cart"}]}
    pod["metadata"] |= owned
    cart = {**workload("cart"), "kind": "StatefulSet"}
    assert texts(containers, cart, pod) == [
        ("cart", "container cart ended: OOMKilled exit code None ")
    ]


def test_the_database_of_a_client() -> None:
    client = workload("cart", env=[{"name": "DB", "value": "cart-db:27017"}])
    seen = Listing(SHOP, [client, workload("cart-db", image="mongo:4"), workload("web")])
    assert [store_of(seen, name) for name in ("cart", "cart-db", "web")] == [
        "cart-db",
        "cart-db",
        "web",
    ]
