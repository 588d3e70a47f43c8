"""What each fault changes and tells, and which repairs count."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sregym_core.errors import WorldError
from sregym_core.model import Change, ObjectRef, Outcome
from sregym_injector_network.cluster_dns import (
    CONFIG,
    SERVER,
    DnsConfigInvalid,
    DnsDown,
    DnsNamePoisoned,
    DnsZoneBroken,
)
from sregym_injector_network.corefile import STANDARD, obstacles, with_domain, with_rule
from sregym_injector_network.dns_capacity import DnsOverloaded
from sregym_injector_network.endpoints import EndpointsStale
from sregym_injector_network.policies import (
    PolicyCaller,
    PolicyDeny,
    PolicyDns,
    PolicyPeer,
    PolicyPort,
)
from sregym_injector_network.policy_rules import Traffic, closing
from sregym_injector_network.resolvers import DnsPolicy, HostAliases
from sregym_injector_network.selection import ServiceSelectorWide
from sregym_injector_network.services import ServiceExternalName, ServicePort, ServiceProtocol
from sregym_injector_network.traffic_policy import TrafficPolicy
from sregym_testing import FullShop

CATALOG = FullShop().component("catalog")
WHOLE = {"cluster": True}
NAME = "catalog.shop.svc.cluster.local"


@pytest.mark.parametrize(
    ("fault", "target", "parameters", "changed", "found"),
    [
        (
            ServicePort(), "catalog", {}, ("spec.ports[1].port", "8083", "8084"), "port 8083/TCP is missing",
        ),
        (
            ServiceProtocol(), "catalog-db", {}, ("spec.ports[0].protocol", "TCP", "UDP"), "port 27017/TCP is missing",
        ),
        (
            ServiceExternalName(), "catalog-db", {"host": "db.example.com"},
            ("spec.type", "ClusterIP", "ExternalName db.example.com"),
            "Service shop/catalog-db is an alias of db.example.com",
        ),
        (
            TrafficPolicy(), "catalog-db", {}, ("spec.internalTrafficPolicy", "Cluster", "Local"),
            "Service shop/catalog-db has no endpoint for callers on ",
        ),
        (
            ServiceSelectorWide(), "front", {},
            (
                "spec.selector", "app=front",
                "app.kubernetes.io/part-of=shop, which pods of catalog have too",
            ),
            "selector app.kubernetes.io/part-of=shop also matches catalog-",
        ),
        (
            EndpointsStale(), "catalog", {},
            ("EndpointSlice catalog-static", "", "address 10.244.250.17, which no pod has"),
            "EndpointSlice catalog-static leads to 10.244.250.17, which no pod has",
        ),
        (
            EndpointsStale(), "catalog-db", {},
            (
                "EndpointSlice catalog-db-static", "",
                "only address 10.244.250.17, which no pod has; the Service has no selector",
            ),
            "Service shop/catalog-db has no selector",
        ),
        (
            PolicyDeny(), "catalog", {},
            ("NetworkPolicy catalog-deny-all", "", "denies all ingress and egress"),
            "NetworkPolicy catalog-deny-all stops front to it; NetworkPolicy catalog-deny-all stops whatever it sends",
        ),
        (
            PolicyPeer(), "catalog", {},
            ("NetworkPolicy catalog-allow-clients", "", "lets in pods with access=granted alone"),
            "NetworkPolicy catalog-allow-clients stops front to it",
        ),
        (
            PolicyCaller(), "catalog", {},
            ("NetworkPolicy catalog-callers", "", "lets in callers, but not front"),
            "NetworkPolicy catalog-callers stops front to it",
        ),
        (
            PolicyPort(), "catalog", {},
            ("NetworkPolicy catalog-allow-port", "", "lets callers in at port 8080 alone"),
            "NetworkPolicy catalog-allow-port stops front to it",
        ),
        (
            PolicyDns(), "catalog", {},
            ("NetworkPolicy catalog-egress", "", "lets it speak with pods of namespace shop alone"),
            "NetworkPolicy catalog-egress stops its questions to CoreDNS",
        ),
        (
            DnsNamePoisoned(), "catalog", {},
            ("data.Corefile", "", f"template ANY ANY {NAME} {{;    rcode NXDOMAIN; }}"),
            f"in the Corefile a template answers for {NAME}",
        ),
        (
            DnsZoneBroken(), WHOLE, {"how": "renamed"},
            ("data.Corefile", "kubernetes cluster.local", "kubernetes cluster.internal"),
            "in the Corefile no plugin kubernetes serves kubernetes.default.svc.cluster.local",
        ),
        (
            DnsConfigInvalid(), WHOLE, {}, ("data.Corefile", "", "cahce 30"),
            "the Corefile has the directive cahce",
        ),
        (
            DnsOverloaded(), WHOLE, {},
            ("spec.template.spec.containers[coredns].resources.limits.cpu", "", "2m with 1 replicas"),
            "Deployment kube-system/coredns has 1 replicas with a CPU limit of 2m each",
        ),
        (DnsDown(), WHOLE, {}, ("spec.replicas", "2", "0"), "Deployment kube-system/coredns has spec.replicas 0"),
        (
            DnsPolicy(), "catalog", {}, ("dnsPolicy", "ClusterFirst", "None, name server 8.8.8.8"),
            "Deployment shop/catalog has the dnsPolicy None and asks 8.8.8.8",
        ),
        (
            DnsPolicy(), "catalog", {"policy": "Default"}, ("dnsPolicy", "ClusterFirst", "Default"),
            "Deployment shop/catalog has the dnsPolicy Default and asks whom its node asks",
        ),
        (
            HostAliases(), "catalog", {},
            (
                "hostAliases", "",
                "10.96.250.17 catalog-db catalog-db.shop catalog-db.shop.svc.cluster.local",
            ),
            "Deployment shop/catalog has 10.96.250.17 for catalog-db in its hosts file",
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_what_changes_and_is_found(at, fault, target, parameters, changed, found):
    context = at(fault, target, **parameters)
    what, before, after = changed
    assert fault.ground_truth(context).changed == Change(what=what, before=before, after=after)
    fault.inject(context)
    context.cluster.clock.advance(30.0)
    check = fault.present(context)
    assert (check.outcome, check.got[: len(found)]) == (Outcome.FAIL, found)


def test_a_name_server_of_the_cluster_given_by_hand_is_a_repair(cluster, at):
    cluster.create(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "kube-dns",
                "namespace": "kube-system",
                "labels": {"k8s-app": "kube-dns"},
            },
            "spec": {"clusterIP": "10.96.0.10", "ports": [{"port": 53, "protocol": "UDP"}]},
        }
    )
    context = at(DnsPolicy(), "catalog")
    DnsPolicy().inject(context)
    config = {"dnsConfig": {"nameservers": ["10.96.0.10"]}}
    cluster.patch(CATALOG.workload, {"spec": {"template": {"spec": config}}}, "merge")
    assert DnsPolicy().present(context).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("spec", "stops"),
    [
        ({"podSelector": {}, "policyTypes": ["Ingress"]}, True),
        ({"podSelector": {}, "policyTypes": ["Egress"]}, False),
        ({"podSelector": {"matchLabels": {"app": "other"}}}, False),
        ({"podSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["db"]}]}}, True),
        ({"podSelector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]}}, False),
        ({"podSelector": {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}}, True),
        ({"podSelector": {}, "ingress": [{}]}, False),
        ({"podSelector": {}, "ingress": [{"ports": [{"port": 27017}]}]}, False),
        ({"podSelector": {}, "ingress": [{"ports": [{"port": 20000, "endPort": 30000}]}]}, False),
        ({"podSelector": {}, "ingress": [{"ports": [{"port": 27017, "protocol": "UDP"}]}]}, True),
        ({"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}, True),
        ({"podSelector": {}, "ingress": [{"ports": [{"port": "mongodb"}]}]}, False),
        ({"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "geo"}}}]}]}, False),
        ({"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}]}]}, True),
        ({"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}]}, False),
        ({"podSelector": {}, "ingress": [{"from": [{"namespaceSelector": {}}]}]}, False),
        (
            {
                "podSelector": {},
                "ingress": [{"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "x"}}}]}],
            },
            True,
        ),
    ],
)  # fmt: skip
def test_what_policies_stop(spec, stops):
    policy = {"metadata": {"name": "p", "namespace": "shop"}, "spec": spec}
    traffic = Traffic("ingress", "shop", {"app": "geo"}, "TCP", 27017, "geo to it")
    assert closing([policy], {"app": "db"}, traffic) == (["p"] if stops else [])


def test_another_policy_may_let_traffic_through():
    deny = {"metadata": {"name": "deny", "namespace": "shop"}, "spec": {"podSelector": {}}}
    allow = {
        "metadata": {"name": "allow", "namespace": "shop"},
        "spec": {"podSelector": {}, "ingress": [{}]},
    }
    traffic = Traffic("ingress", "shop", {"app": "geo"}, "TCP", 27017)
    assert [closing(p, {}, traffic) for p in ([deny], [deny, allow])] == [["deny"], []]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (STANDARD, []),
        (with_rule(STANDARD, ("template ANY ANY example.org {", "   rcode NXDOMAIN", "}")), []),
        (with_rule(STANDARD, ("hosts {", f"   10.0.0.9 {NAME}", "}")), [f"a hosts entry answers for {NAME}"]),
        (with_rule(STANDARD, (f"rewrite name {NAME} other.shop.svc.cluster.local",)), [f"a rewrite changes {NAME}"]),
        (with_rule(STANDARD, ("template ANY ANY {", "   rcode NXDOMAIN", "}")), [f"a template answers for {NAME}"]),
        (with_domain(STANDARD, "cluster.internal"), [f"no plugin kubernetes serves {NAME}"]),
        ("# nothing\n", [f"no plugin kubernetes serves {NAME}"]),
    ],
)  # fmt: skip
def test_what_stands_in_the_way_of_a_name(text, found):
    assert obstacles(text, NAME) == found


def test_a_rule_stands_before_the_zone():
    lines = with_rule(STANDARD, ("whoami",)).splitlines()
    assert lines[lines.index("    whoami") + 1].startswith("    kubernetes cluster.local ")


def test_repaired_by_another_corefile(cluster, at):
    context = at(DnsNamePoisoned(), "catalog")
    DnsNamePoisoned().inject(context)
    text = STANDARD.replace("cache 30", "cache 10")
    cluster.patch(CONFIG, {"data": {"Corefile": text}}, "merge")
    assert DnsNamePoisoned().present(context).outcome is Outcome.PASS
    cluster.delete(CONFIG)
    assert DnsNamePoisoned().present(context).got == "ConfigMap kube-system/coredns does not exist"
    cluster.delete(SERVER)
    assert DnsDown().present(at(DnsDown(), WHOLE)).got == (
        "Deployment kube-system/coredns does not exist"
    )


def test_more_pods_of_the_cluster_dns_are_as_good_as_larger_ones(cluster, at):
    fault = DnsOverloaded()
    context = at(fault, WHOLE, millicores=5, enough_millicores=15)
    fault.inject(context)
    assert fault.present(context).outcome is Outcome.FAIL
    assert [str(command) for command in fault.reference_fix(context)] == [
        "kubectl scale deployment/coredns -n kube-system --replicas=3",
        "kubectl rollout status deployment/coredns -n kube-system --timeout=300s",
    ]
    cluster.patch(SERVER, {"spec": {"replicas": 3}}, "merge")
    assert fault.present(context).outcome is Outcome.PASS
    with pytest.raises(
        ValueError, match="3 replicas with 5 millicores are no less than enough_millicores"
    ):
        DnsOverloaded.Parameters(millicores=5, replicas=3, enough_millicores=15)


def test_the_cluster_dns_has_to_serve_the_cluster(cluster, at):
    cluster.patch(CONFIG, {"data": {"Corefile": ".:53 {\n    whoami\n}\n"}}, "merge")
    with pytest.raises(WorldError) as caught:
        DnsZoneBroken().inject(at(DnsZoneBroken(), WHOLE))
    assert str(caught.value) == (
        "the Corefile of the cluster DNS has no line 'kubernetes ZONE', before which a rule could "
        "stand; faults in the cluster DNS need a CoreDNS that serves the cluster's names"
    )


def test_until_all_of_coredns_has_read_its_corefile(cluster, at):
    context = at(DnsZoneBroken(), WHOLE)
    DnsZoneBroken().inject(context)
    assert DnsZoneBroken().outstanding(context) == (
        "Deployment kube-system/coredns still has pods that read the Corefile before"
    )
    cluster.clock.advance(60.0)
    assert DnsZoneBroken().outstanding(context) == ""


def test_nobody_else_to_select(at):
    with pytest.raises(WorldError) as caught:
        ServiceSelectorWide().ground_truth(at(ServiceSelectorWide(), "catalog", victim="visitors"))
    assert str(caught.value) == (
        "the Service of 'catalog' cannot also select pods of visitors: namespace 'shop' has no such "
        "component with a rollout; choose another target or parameter 'victim'"
    )


def test_the_other_callers_are_let_in(cluster, at):
    context = at(PolicyCaller(), "catalog", caller="front")
    two = context.component.model_copy(update={"callers": ("visitors", "front")})
    PolicyCaller().inject(replace(context, target=two))
    policy = cluster.list("networking.k8s.io/v1", "NetworkPolicy", "shop")[0]
    assert policy["spec"]["ingress"] == [
        {
            "from": [
                {
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}},
                    "podSelector": {"matchLabels": {"app": "visitors"}},
                }
            ]
        }
    ]


def test_nobody_to_leave_out(at):
    with pytest.raises(WorldError) as caught:
        PolicyCaller().ground_truth(at(PolicyCaller(), "catalog", caller="catalog-db"))
    assert str(caught.value) == (
        "component 'catalog' has no caller 'catalog-db' that a policy could leave out; its "
        "callers: front"
    )


def test_nobody_to_call(at):
    with pytest.raises(WorldError) as caught:
        HostAliases().ground_truth(at(HostAliases(), "catalog", name="front"))
    assert str(caught.value) == (
        "component 'catalog' does not call front by the name of a Service; it calls: catalog-db; "
        "choose another target or parameter 'name'"
    )


def test_reference_fixes(at):
    policy = PolicyDns().reference_fix(at(PolicyDns(), "catalog"))
    assert [str(command) for command in policy] == [
        "kubectl delete networkpolicy/catalog-egress -n shop",
        "kubectl rollout restart deployment/catalog -n shop",
        "kubectl rollout restart deployment/front -n shop",
        "kubectl rollout status deployment/catalog -n shop --timeout=300s",
        "kubectl rollout status deployment/front -n shop --timeout=300s",
    ]
    assert [str(c) for c in DnsDown().reference_fix(at(DnsDown(), WHOLE))] == [
        "kubectl scale deployment/coredns -n kube-system --replicas=2",
        "kubectl rollout status deployment/coredns -n kube-system --timeout=300s",
    ]


def test_connections_may_be_left_as_they_are(cluster, at):
    context = at(PolicyDeny(), "catalog", restart_clients=False)
    front = FullShop().component("front").workload
    generation = cluster.get(front)["metadata"]["generation"]
    PolicyDeny().inject(context)
    assert cluster.get(front)["metadata"]["generation"] == generation
    policy = ObjectRef(
        api_version="networking.k8s.io/v1",
        kind="NetworkPolicy",
        namespace="shop",
        name="catalog-deny-all",
    )
    assert cluster.get(policy)["spec"] == {
        "podSelector": {"matchLabels": {"app": "catalog"}},
        "policyTypes": ["Ingress", "Egress"],
    }
