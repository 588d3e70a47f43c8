"""Where connections lead, for the states that Services, endpoints and DNS can be in."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.network.subsystem import Network
from sregym_cluster_embedded.store import Key, Object

MANIFESTS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/shop/web:1.0
        ports: [{name: http, containerPort: 8080}]
        readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: v1
kind: Service
metadata: {name: wrong-port}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 9999}]}
---
apiVersion: v1
kind: Service
metadata: {name: nobody}
spec: {selector: {app: other}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: heads}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: alias}
spec: {type: ExternalName, externalName: web.shop.svc.cluster.local}
"""


@pytest.fixture
def source(shop: Any) -> Object:
    shop.apply(MANIFESTS)
    shop.run(10)
    pod: Object = shop.pods()[0]
    return pod


def reach(shop: Any, source: Object, host: str, port: int) -> str:
    """How a connection ends: the outcome, or why the name was not found."""
    network: Network = shop.world.service(NETWORK)
    resolution = network.lookup(shop.world, source, host)
    if resolution.status != "ok":
        return resolution.status
    return network.dial(shop.world, source, resolution.addresses[0], port).outcome


@pytest.mark.parametrize(
    ("host", "port", "outcome"),
    [
        ("web", 80, Outcome.CONNECTED),
        ("web.shop", 80, Outcome.CONNECTED),
        ("web.shop.svc.cluster.local.", 80, Outcome.CONNECTED),
        ("alias", 80, Outcome.CONNECTED),
        ("heads", 8080, Outcome.CONNECTED),
        ("kubernetes.default", 443, Outcome.CONNECTED),
        ("wrong-port", 80, Outcome.REFUSED),
        ("nobody", 80, Outcome.REFUSED),
        ("web", 81, Outcome.NO_ROUTE),
        ("10.244.0.200", 80, Outcome.NO_ROUTE),
        ("192.0.2.1", 80, Outcome.UNREACHABLE),
        ("missing", 80, "nxdomain"),
        ("web.elsewhere", 80, "nxdomain"),
        ("example.com", 80, "nxdomain"),
    ],
)
def test_connections_end_as_they_should(
    shop: Any, source: Object, host: str, port: int, outcome: str
) -> None:
    assert reach(shop, source, host, port) == outcome


def test_a_service_balances_over_its_ready_pods(shop: Any, source: Object) -> None:
    network: Network = shop.world.service(NETWORK)
    routes = network.routes(shop.world, source["metadata"]["uid"], "web", 80)
    pods = {pod["metadata"]["uid"]: pod["status"]["podIP"] for pod in shop.pods()}
    assert routes.error == ""
    assert routes.dns == "10.96.0.10"
    assert {
        (uid, ip): (weight, port) for weight, uid, ip, port in routes.backends
    } == dict.fromkeys(pods.items(), (0.5, 8080))


def test_a_pod_that_is_not_ready_gets_no_connections(shop: Any, source: Object) -> None:
    shop.runtime.stop_listening(shop.world, source)
    shop.run(10)
    network: Network = shop.world.service(NETWORK)
    routes = network.routes(shop.world, source["metadata"]["uid"], "web", 80)
    other = shop.pods()[1]["metadata"]["uid"]
    assert [uid for _, uid, _, _ in routes.backends] == [other]


def test_without_dns_pods_no_name_is_found(shop: Any, source: Object) -> None:
    key = Key("deployments.apps", "kube-system", "coredns")
    deployment = shop.world.store.get(key)
    internal_client.update(
        shop.world, key.resource, {**deployment, "spec": {**deployment["spec"], "replicas": 0}}
    )
    shop.run(10)
    assert reach(shop, source, "web", 80) == "closed"


def test_without_its_service_the_dns_is_silent(shop: Any, source: Object) -> None:
    internal_client.delete(shop.world, Key("services", "kube-system", "kube-dns"))
    shop.run(1)
    assert reach(shop, source, "web", 80) == "timeout"


def test_a_template_in_the_corefile_denies_names(shop: Any, source: Object) -> None:
    key = Key("configmaps", "kube-system", "coredns")
    config = shop.world.store.get(key)
    denial = "    template IN A svc.cluster.local {\n       rcode NXDOMAIN\n    }\n"
    text = config["data"]["Corefile"].replace("    ready\n", f"    ready\n{denial}")
    internal_client.update(shop.world, "configmaps", {**config, "data": {"Corefile": text}})
    shop.run(1)
    assert reach(shop, source, "web", 80) == Outcome.CONNECTED
    # The file in the pod follows its ConfigMap after about a minute.
    shop.run(90)
    assert reach(shop, source, "web", 80) == "nxdomain"
