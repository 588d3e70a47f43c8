"""NetworkPolicies: what they let through, and that they cost nothing where there are none."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.store import Key, Object

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {{app: {name}, tier: {tier}}}}}
spec: {{nodeName: {node}, containers: [{{name: web, image: "registry.example/shop/web:1.0", ports: [{{containerPort: 8080, name: http}}]}}]}}
"""
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: server}
spec: {clusterIP: 10.96.60.1, selector: {app: server}, ports: [{port: 80, targetPort: 8080}]}
"""


@pytest.fixture
def town(shop: Any) -> Any:
    for name in ("other",):
        shop.namespace(name)
    shop.apply(POD.format(name="server", tier="back", node="node1"))
    shop.apply(POD.format(name="client", tier="front", node="node2"))
    shop.apply(POD.format(name="friend", tier="front", node="node2"), namespace="other")
    shop.apply(SERVICE)
    shop.run(10)
    return shop


def apply(town: Any, spec: str, name: str = "p", namespace: str = "shop") -> None:
    internal_client.create(
        town.world,
        "networkpolicies.networking.k8s.io",
        {
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"podSelector": {}, "policyTypes": ["Ingress"], **yaml.safe_load(spec)},
        },
    )


def pod(town: Any, name: str, namespace: str = "shop") -> Object:
    found: Object = town.world.store.get(Key("pods", namespace, name))
    return found


def outcome(town: Any, source: str, host: str = "server.shop", port: int = 80) -> str:
    name, _, namespace = source.partition(".")
    client = pod(town, name, namespace or "shop")
    return str(town.world.service(NETWORK).dial(town.world, client, host, port).outcome)


def both(town: Any) -> tuple[str, str]:
    """How the pod of the same namespace and the one of the other get to the server."""
    return outcome(town, "client"), outcome(town, "friend.other")


YES, NO = "connected", "timeout"
FROM = "{podSelector: {matchLabels: {app: server}}, ingress: [{from: [%s]}]}"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("{}", (NO, NO)),
        ("{podSelector: {matchLabels: {app: other}}}", (YES, YES)),
        ("{podSelector: {matchExpressions: [{key: tier, operator: In, values: [back]}]}}", (NO, NO)),
        ("{ingress: [{}]}", (YES, YES)),
        (FROM % "{podSelector: {}}", (YES, NO)),
        (FROM % "{podSelector: {matchLabels: {tier: front}}}", (YES, NO)),
        (FROM % "{podSelector: {matchLabels: {tier: back}}}", (NO, NO)),
        (FROM % "{namespaceSelector: {}}", (YES, YES)),
        (FROM % "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}}", (NO, YES)),
        (FROM % "{namespaceSelector: {}, podSelector: {matchLabels: {app: friend}}}", (NO, YES)),
        (FROM % "{podSelector: {}}, {namespaceSelector: {}}", (YES, YES)),
        (FROM % "{ipBlock: {cidr: 10.244.0.0/16}}", (YES, YES)),
        (FROM % "{ipBlock: {cidr: 10.244.0.0/16, except: [10.244.1.0/24]}}", (NO, NO)),
        (FROM % "{ipBlock: {cidr: 10.0.0.0/24}}", (NO, NO)),
        (FROM % "{ipBlock: {cidr: no-range}}", (NO, NO)),
        (FROM % "{ipBlock: {cidr: 10.244.0.0/16, except: [no-range]}}", (NO, NO)),
        ("{ingress: [{ports: [{port: 8080}]}]}", (YES, YES)),
        ("{ingress: [{ports: [{port: 80}]}]}", (NO, NO)),
        ("{ingress: [{ports: [{port: http}]}]}", (YES, YES)),
        ("{ingress: [{ports: [{port: metrics}]}]}", (NO, NO)),
        ("{ingress: [{ports: [{port: 8000, endPort: 8100}]}]}", (YES, YES)),
        ("{ingress: [{ports: [{port: 8000, endPort: 8079}]}]}", (NO, NO)),
        ("{ingress: [{ports: [{protocol: UDP}]}]}", (NO, NO)),
        ("{ingress: [{ports: [{protocol: TCP}]}]}", (YES, YES)),
        ("{policyTypes: [Egress], podSelector: {matchLabels: {app: server}}}", (YES, YES)),
        ("{policyTypes: [Egress], podSelector: {matchLabels: {app: client}}}", ("name", YES)),
        ("{policyTypes: [Egress], egress: [{ports: [{protocol: UDP, port: 53}]}]}", (NO, YES)),
        ("{policyTypes: [Egress], egress: [{ports: [{protocol: UDP, port: 53}]}, {to: [{podSelector: {matchLabels: {app: server}}}], ports: [{port: 8080}]}]}", (YES, YES)),
        ("{policyTypes: [Egress], egress: [{}]}", (YES, YES)),
    ],
)  # fmt: skip
def test_what_gets_through(town: Any, spec: str, expected: tuple[str, str]) -> None:
    apply(town, spec)
    assert both(town) == expected


def test_denied_dns_is_a_look_up_that_times_out(town: Any) -> None:
    apply(town, "{policyTypes: [Egress], podSelector: {matchLabels: {app: client}}}")
    client = pod(town, "client")
    network = town.world.service(NETWORK)
    assert network.lookup(town.world, client, "server").status == "timeout"
    routes = network.routes(town.world, client["metadata"]["uid"], "server", 80)
    assert (routes.error, routes.dns_status, routes.dns_s) == ("dns", "timeout", 10.0)


def test_any_policy_that_allows_is_enough(town: Any) -> None:
    apply(town, "{}", "deny")
    assert both(town) == (NO, NO)
    apply(town, FROM % "{podSelector: {matchLabels: {app: client}}}", "allow")
    assert both(town) == (YES, NO)
    internal_client.delete(town.world, Key("networkpolicies.networking.k8s.io", "shop", "deny"))
    assert both(town) == (YES, NO)
    internal_client.delete(town.world, Key("networkpolicies.networking.k8s.io", "shop", "allow"))
    assert both(town) == (YES, YES)


def test_a_policy_of_another_namespace_says_nothing_here(town: Any) -> None:
    apply(town, "{policyTypes: [Ingress, Egress]}", namespace="other")
    assert both(town) == (YES, "name")


def test_own_node_and_the_pod_itself_always_get_through(town: Any) -> None:
    apply(town, "{policyTypes: [Ingress, Egress]}")
    address = pod(town, "server")["status"]["podIP"]
    network = town.world.service(NETWORK)
    from_node = network.dial(town.world, None, address, 8080, node="node1").outcome
    from_other = network.dial(town.world, None, address, 8080, node="node2").outcome
    assert (from_node, from_other) == (YES, NO)
    assert outcome(town, "server", address, 8080) == YES
    assert outcome(town, "client", "10.77.0.3", 10250) == YES
    assert outcome(town, "client", "10.77.0.2", 6443) == NO


def test_probes_of_the_kubelet_get_through(town: Any) -> None:
    apply(town, "{policyTypes: [Ingress, Egress]}")
    town.run(60)
    ready = {
        entry["type"]: entry["status"] for entry in pod(town, "server")["status"]["conditions"]
    }
    assert ready["Ready"] == "True"


def test_new_labels_count_at_once(town: Any) -> None:
    apply(town, FROM % "{podSelector: {matchLabels: {access: 'yes'}}}")
    uid = pod(town, "client")["metadata"]["uid"]
    network = town.world.service(NETWORK)
    before = network.routes(town.world, uid, "server", 80)
    assert [path.fails for path in before.paths] == [NO]
    client = pod(town, "client")
    labels = {**client["metadata"]["labels"], "access": "yes"}
    metadata = {**client["metadata"], "labels": labels}
    internal_client.update(town.world, "pods", {**client, "metadata": metadata})
    assert network.routes(town.world, uid, "server", 80).paths == ()
