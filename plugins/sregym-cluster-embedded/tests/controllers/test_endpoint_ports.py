"""The ports behind a Service: which subset names them, and the order that clients see."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.controllers.endpoint_ports import Port, in_endpoints, in_slice
from sregym_cluster_embedded.store import Key, Object

SLICES = "endpointslices.discovery.k8s.io"
PODS = """
apiVersion: v1
kind: Pod
metadata: {name: full, labels: {app: web}}
spec:
  containers:
  - name: web
    image: registry.example/shop/web:1.0
    ports: [{name: http, containerPort: 8080}, {name: extra, containerPort: 9000}]
---
apiVersion: v1
kind: Pod
metadata: {name: plain, labels: {app: web}}
spec:
  containers:
  - {name: web, image: "registry.example/shop/web:1.0", ports: [{name: http, containerPort: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports:
  - {name: a, port: 80, targetPort: http, appProtocol: kubernetes.io/h2c}
  - {name: b, port: 90, targetPort: extra}
---
apiVersion: v1
kind: Service
metadata: {name: wrong}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: nope}]}
"""


def names(subset: Object) -> list[str]:
    return [address["targetRef"]["name"] for address in subset["addresses"]]


def test_ports_stand_in_the_order_of_a_hash() -> None:
    """As recorded of the Service of CoreDNS on a real cluster."""
    ports = (
        Port("dns", 53, "UDP", ""),
        Port("dns-tcp", 53, "TCP", ""),
        Port("metrics", 9153, "TCP", ""),
    )
    assert [port["name"] for port in in_slice(ports)] == ["dns", "dns-tcp", "metrics"]
    assert in_slice(ports) == in_slice(ports[::-1])
    assert [port["name"] for port in in_endpoints(ports)] == ["metrics", "dns-tcp", "dns"]


def test_a_port_without_a_name_has_one_in_slices_only() -> None:
    port = Port("", 8080, "TCP", "http")
    rest = {"port": 8080, "protocol": "TCP", "appProtocol": "http"}
    assert in_slice((port,)) == [{"name": "", **rest}]
    assert in_endpoints((port,)) == [rest]


def test_endpoints_have_a_subset_for_each_set_of_pods(shop: Any) -> None:
    shop.apply(PODS)
    shop.run(3)
    endpoints = shop.world.store.get(Key("endpoints", "shop", "web"))
    a = {"name": "a", "port": 8080, "protocol": "TCP", "appProtocol": "kubernetes.io/h2c"}
    b = {"name": "b", "port": 9000, "protocol": "TCP"}
    told = [(sorted(names(subset)), subset["ports"]) for subset in endpoints["subsets"]]
    assert told == [(["full", "plain"], [a]), (["full"], [b])]


def test_a_port_that_no_pod_knows_leaves_endpoints_empty(shop: Any) -> None:
    shop.apply(PODS)
    shop.run(3)
    assert "subsets" not in shop.world.store.get(Key("endpoints", "shop", "wrong"))
    (entry,) = (
        found
        for found in shop.world.store.list(SLICES, "shop")
        if found["metadata"]["labels"]["kubernetes.io/service-name"] == "wrong"
    )
    assert (len(entry["endpoints"]), entry["ports"]) == (2, [])


def test_addresses_are_sorted_as_text(shop: Any) -> None:
    text = PODS.partition("---")[0]
    for number in range(12):
        shop.apply(text.replace("full", f"p{number}"))
        shop.run(1)
    shop.apply(PODS.rpartition("---")[2].replace("nope", "http"))
    shop.run(2)
    (subset,) = shop.world.store.get(Key("endpoints", "shop", "wrong"))["subsets"]
    listed = [address["ip"] for address in subset["addresses"]]
    assert len(listed) == 12
    assert listed == sorted(listed)
