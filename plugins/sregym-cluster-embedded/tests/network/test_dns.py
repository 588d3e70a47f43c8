"""What the cluster DNS answers: records of all kinds, by the Corefile that is loaded."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.network import coredns, upstream
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.records import Record, Reply
from sregym_cluster_embedded.network.resolver import hostname_of, hosts_of
from sregym_cluster_embedded.store import Key, Object

MANIFESTS = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "registry.example/shop/web:1.0"}]}
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80, targetPort: 8080, name: http}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  clusterIP: 10.96.40.10
  selector: {app: db}
  ports: [{port: 80, name: http}, {port: 53, name: dns, protocol: UDP}]
---
apiVersion: v1
kind: Service
metadata: {name: outside}
spec: {type: ExternalName, externalName: db.example}
---
apiVersion: v1
kind: Service
metadata: {name: alias}
spec: {type: ExternalName, externalName: web.shop.svc.cluster.local}
---
apiVersion: v1
kind: Service
metadata: {name: dangling}
spec: {type: ExternalName, externalName: nothing.shop.svc.cluster.local}
---
apiVersion: v1
kind: Service
metadata: {name: empty}
spec: {clusterIP: None, selector: {app: nobody}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  containers: [{name: c, image: "registry.example/library/busybox:1.36", command: [sleep, "1d"]}]
"""
SERVER = "10.96.0.10"
ZONE = "shop.svc.cluster.local"


@pytest.fixture
def client(shop: Any) -> Object:
    shop.apply(MANIFESTS.replace('"1d"', '"86400"'))
    shop.run(10)
    pod: Object = shop.world.store.get(Key("pods", "shop", "client"))
    return pod


def ask(shop: Any, client: Object, name: str, kind: str = "A", server: str = SERVER) -> Reply:
    network = shop.world.service(NETWORK)
    reply: Reply = network.query(shop.world, client, server, name, kind)
    return reply


def configure(shop: Any, inner: str, zone: str = ".:53") -> None:
    """Let the name server have loaded this Corefile."""
    (pod,) = shop.pods("kube-system")
    coredns.load(shop.world, pod["metadata"]["uid"], f"{zone} {{\n{inner}\n}}\n")


KUBERNETES = (
    "kubernetes cluster.local in-addr.arpa {\n  pods insecure\n}\nforward . /etc/resolv.conf"
)


def addresses(shop: Any) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["status"]["podIP"] for pod in shop.pods()}


@pytest.mark.parametrize(
    ("name", "kind", "status", "records"),
    [
        (f"web.{ZONE}", "A", "ok", [(f"web.{ZONE}", "A", "10.96.40.10")]),
        (f"WEB.{ZONE}.", "A", "ok", [(f"web.{ZONE}", "A", "10.96.40.10")]),
        (f"web.{ZONE}", "AAAA", "nodata", []),
        (f"nothing.{ZONE}", "A", "nxdomain", []),
        (f"empty.{ZONE}", "A", "nxdomain", []),
        ("web.elsewhere.svc.cluster.local", "A", "nxdomain", []),
        (ZONE, "A", "nodata", []),
        ("elsewhere.svc.cluster.local", "A", "nxdomain", []),
        ("svc.cluster.local", "A", "nodata", []),
        ("cluster.local", "A", "nodata", []),
        ("dns-version.cluster.local", "TXT", "ok", [("dns-version.cluster.local", "TXT", '"1.1.0"')]),
        (
            f"alias.{ZONE}",
            "A",
            "ok",
            [(f"alias.{ZONE}", "CNAME", f"web.{ZONE}"), (f"web.{ZONE}", "A", "10.96.40.10")],
        ),
        (f"alias.{ZONE}", "AAAA", "nodata", []),
        (f"alias.{ZONE}", "CNAME", "ok", [(f"alias.{ZONE}", "CNAME", f"web.{ZONE}")]),
        (f"outside.{ZONE}", "A", "ok", [(f"outside.{ZONE}", "CNAME", "db.example")]),
        (f"dangling.{ZONE}", "A", "nodata", []),
        (f"_http._tcp.web.{ZONE}", "A", "ok", [(f"_http._tcp.web.{ZONE}", "A", "10.96.40.10")]),
        (f"_http._udp.web.{ZONE}", "SRV", "nxdomain", []),
        (
            f"_dns._udp.web.{ZONE}",
            "SRV",
            "ok",
            [(f"_dns._udp.web.{ZONE}", "SRV", f"0 100 53 web.{ZONE}")],
        ),
        (
            f"web.{ZONE}",
            "SRV",
            "ok",
            [
                (f"web.{ZONE}", "SRV", f"0 50 80 web.{ZONE}"),
                (f"web.{ZONE}", "SRV", f"0 50 53 web.{ZONE}"),
            ],
        ),
        ("10-1-2-3.shop.pod.cluster.local", "A", "ok", [("10-1-2-3.shop.pod.cluster.local", "A", "10.1.2.3")]),
        ("10-1-2-3.none.pod.cluster.local", "A", "nxdomain", []),
        ("10-1-2.shop.pod.cluster.local", "A", "nxdomain", []),
        ("10.40.96.10.in-addr.arpa", "PTR", "ok", [("10.40.96.10.in-addr.arpa", "PTR", f"web.{ZONE}")]),
        ("9.9.96.10.in-addr.arpa", "PTR", "nxdomain", []),
        ("shop.example", "A", "nxdomain", []),
    ],
)  # fmt: skip
def test_answers_of_the_cluster_zone(
    shop: Any, client: Object, name: str, kind: str, status: str, records: list[tuple[str, ...]]
) -> None:
    reply = ask(shop, client, name, kind)
    assert (reply.status, [tuple(record[:3]) for record in reply.records]) == (status, records)


def test_a_headless_service_has_an_address_a_name_and_a_place_for_each_pod(
    shop: Any, client: Object
) -> None:
    ips = addresses(shop)
    reply = ask(shop, client, f"_http._tcp.db.{ZONE}", "SRV")
    assert sorted(reply.records) == [
        Record(f"_http._tcp.db.{ZONE}", "SRV", f"0 50 8080 db-{number}.db.{ZONE}", 30)
        for number in range(2)
    ]
    assert sorted(reply.additional) == [
        Record(f"db-{number}.db.{ZONE}", "A", ips[f"db-{number}"], 30) for number in range(2)
    ]
    assert sorted(ask(shop, client, f"db.{ZONE}").addresses()) == sorted([ips["db-0"], ips["db-1"]])
    assert ask(shop, client, f"db-1.db.{ZONE}").addresses() == (ips["db-1"],)
    assert ask(shop, client, f"db-2.db.{ZONE}").status == "nxdomain"
    pointer = ".".join(reversed(ips["db-1"].split("."))) + ".in-addr.arpa"
    # Only in the Service that it names as its subdomain a pod has its own name.
    dashed = ips["db-1"].replace(".", "-")
    assert [record.data for record in ask(shop, client, pointer, "PTR").records] == [
        f"db-1.db.{ZONE}",
        f"{dashed}.web.{ZONE}",
    ]


GATED = """
apiVersion: v1
kind: Pod
metadata: {name: gated, labels: {app: gated}}
spec:
  hostname: gated
  subdomain: gated
  readinessGates: [{conditionType: example.com/open}]
  containers: [{name: db, image: "registry.example/shop/web:1.0"}]
---
apiVersion: v1
kind: Service
metadata: {name: gated}
spec: {clusterIP: None, selector: {app: gated}, ports: [{port: 80}]}
"""


@pytest.mark.parametrize("published", [False, True])
def test_a_pod_that_is_not_ready_has_no_name(shop: Any, client: Object, published: bool) -> None:
    more = f"publishNotReadyAddresses: {str(published).lower()}, clusterIP: None"
    shop.apply(GATED.replace("clusterIP: None", more))
    shop.run(10)
    found = (addresses(shop)["gated"],) if published else ()
    for name in (f"gated.{ZONE}", f"gated.gated.{ZONE}"):
        reply = ask(shop, client, name)
        assert (reply.status, reply.addresses()) == ("ok" if published else "nxdomain", found)


def test_a_service_without_pods_has_no_address_of_theirs(shop: Any, client: Object) -> None:
    internal_client.delete(shop.world, Key("statefulsets.apps", "shop", "db"))
    shop.run(40)
    assert ask(shop, client, f"db.{ZONE}").status == "nxdomain"
    assert ask(shop, client, f"web.{ZONE}").addresses() == ("10.96.40.10",)


@pytest.mark.parametrize(
    ("inner", "name", "status", "found"),
    [
        # A template takes the names that its patterns fit, and denies the others.
        ("template IN A svc.cluster.local {\n rcode NXDOMAIN\n}", f"web.{ZONE}", "nxdomain", ()),
        ("template IN A svc.cluster.local {\n rcode SERVFAIL\n}", f"web.{ZONE}", "servfail", ()),
        ("template IN A {\n match ^web\\.\n answer \"{{ .Name }} 5 IN A 10.9.9.9\"\n fallthrough\n}", f"web.{ZONE}", "ok", ("10.9.9.9",)),
        ("template IN A {\n match ^web\\.\n answer \"{{ .Name }} 5 IN A 10.9.9.9\"\n}", f"db-0.db.{ZONE}", "nxdomain", ()),
        ("template IN AAAA {\n rcode NXDOMAIN\n}", f"web.{ZONE}", "ok", ("10.96.40.10",)),
        ("template IN A {\n match ^ip-(?P<a>[0-9]*)\\.\n answer \"{{ .Name }} IN A 10.0.0.{{ .Group.a }}\"\n fallthrough\n}", "ip-7.org", "ok", ("10.0.0.7",)),
        # Hosts without fallthrough spoil every other name.
        ("hosts {\n 10.9.9.9 web.shop.svc.cluster.local\n fallthrough\n}", f"web.{ZONE}", "ok", ("10.9.9.9",)),
        ("hosts {\n 10.9.9.9 web.shop.svc.cluster.local\n fallthrough\n}", f"alias.{ZONE}", "ok", ("10.96.40.10",)),
        ("hosts {\n 10.9.9.9 other.org\n}", f"web.{ZONE}", "servfail", ()),
        ("hosts other.org {\n 10.9.9.9 a.other.org\n}", f"web.{ZONE}", "ok", ("10.96.40.10",)),
        # Rewritten names are answered as others, under the name that was asked for.
        (f"rewrite name shop.example web.{ZONE}", "shop.example", "ok", ("10.96.40.10",)),
        (f"rewrite name exact web.{ZONE} nothing.{ZONE}", f"web.{ZONE}", "nxdomain", ()),
        ("rewrite name suffix .corp.org .shop.svc.cluster.local", "web.corp.org", "ok", ("10.96.40.10",)),
        ("rewrite name regex (.*)\\.corp\\.org {1}.shop.svc.cluster.local", "web.corp.org", "ok", ("10.96.40.10",)),
        ("rewrite stop {\n name regex (.*)\\.corp\\.org {1}.shop.svc.cluster.local\n answer auto\n}", "web.corp.org", "ok", ("10.96.40.10",)),
        ("rewrite continue name prefix w- web\nrewrite name suffix .x. .shop.svc.cluster.local.", "w-.x", "ok", ("10.96.40.10",)),
        ("rewrite type A AAAA", f"web.{ZONE}", "nodata", ()),
        ("rewrite\nrewrite name\nhosts {\n ttl x\n fallthrough\n}", f"web.{ZONE}", "ok", ("10.96.40.10",)),
        ("rewrite name regex ( x", f"web.{ZONE}", "ok", ("10.96.40.10",)),
        ("acl {\n block type A net *\n}", f"web.{ZONE}", "refused", ()),
        ("acl cluster.local {\n drop\n}", f"web.{ZONE}", "timeout", ()),
    ],
)  # fmt: skip
def test_plugins_before_the_cluster_zone(
    shop: Any, client: Object, inner: str, name: str, status: str, found: tuple[str, ...]
) -> None:
    configure(shop, f"{inner}\n{KUBERNETES}")
    reply = ask(shop, client, name)
    assert (reply.status, reply.addresses()) == (status, found)
    assert all(record.name == name for record in reply.records[:1])


@pytest.mark.parametrize(
    ("inner", "name", "kind", "status"),
    [
        # Without `kubernetes` the names of the cluster are asked of the node's server.
        ("forward . /etc/resolv.conf", f"web.{ZONE}", "A", "nxdomain"),
        ("errors", f"web.{ZONE}", "A", "servfail"),
        ("kubernetes cluster.local {\n namespaces default\n}", f"web.{ZONE}", "A", "nxdomain"),
        ("kubernetes cluster.local", "10-1-2-3.shop.pod.cluster.local", "A", "nxdomain"),
        ("kubernetes cluster.local {\n pods verified\n}", "10-1-2-3.shop.pod.cluster.local", "A", "nxdomain"),
        ("kubernetes cluster.local {\n noendpoints\n}", f"db.{ZONE}", "A", "nxdomain"),
        ("kubernetes other.local", f"web.{ZONE}", "A", "servfail"),
        ("forward . 192.0.2.53", "shop.example", "A", "servfail"),
        ("forward . 10.96.0.10", "shop.example", "A", "servfail"),
    ],
)  # fmt: skip
def test_a_corefile_that_lacks_something(
    shop: Any, client: Object, inner: str, name: str, kind: str, status: str
) -> None:
    configure(shop, inner)
    assert ask(shop, client, name, kind).status == status


def test_a_server_for_another_zone_refuses(shop: Any, client: Object) -> None:
    configure(shop, KUBERNETES, zone="example.org:53")
    assert ask(shop, client, f"web.{ZONE}").status == "refused"


def test_names_from_outside_come_through_the_forwarder(shop: Any, client: Object) -> None:
    upstream.write_name(shop.world, "db.example", "198.51.100.7")
    reply = ask(shop, client, f"outside.{ZONE}")
    assert [tuple(record[:3]) for record in reply.records] == [
        (f"outside.{ZONE}", "CNAME", "db.example"),
        ("db.example", "A", "198.51.100.7"),
    ]
    upstream.set_status(shop.world, "timeout")
    assert ask(shop, client, "db.example").status == "servfail"


@pytest.mark.parametrize(
    ("name", "status", "found", "tried"),
    [
        ("web", "ok", ("10.96.40.10",), f"web.{ZONE}"),
        ("web.shop", "ok", ("10.96.40.10",), f"web.{ZONE}"),
        ("alias", "ok", ("10.96.40.10",), f"alias.{ZONE}"),
        (f"web.{ZONE}.", "ok", ("10.96.40.10",), f"web.{ZONE}"),
        ("nothing", "nxdomain", (), "nothing"),
        ("outside", "nodata", (), "outside"),
        ("10.1.2.3", "ok", ("10.1.2.3",), "10.1.2.3"),
        ("localhost", "ok", ("127.0.0.1",), "localhost"),
    ],
)
def test_processes_look_names_up_with_search_domains(
    shop: Any, client: Object, name: str, status: str, found: tuple[str, ...], tried: str
) -> None:
    looked = shop.world.service(NETWORK).lookup(shop.world, client, name)
    assert (looked.status, looked.addresses, looked.name) == (status, found, tried)


def test_a_silent_server_costs_ten_seconds(shop: Any, client: Object) -> None:
    internal_client.delete(shop.world, Key("services", "kube-system", "kube-dns"))
    looked = shop.world.service(NETWORK).lookup(shop.world, client, "web")
    assert (looked.status, looked.seconds, looked.name) == ("timeout", 10.0, f"web.{ZONE}")


def test_a_pod_with_its_own_resolver(shop: Any, client: Object) -> None:
    spec = {
        "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["10.96.0.10"], "searches": ["svc.cluster.local"]},
        "hostAliases": [{"ip": "10.1.2.3", "hostnames": ["fixed.org"]}],
    }
    pod = {**client, "spec": {**client["spec"], **spec}}
    network = shop.world.service(NETWORK)
    assert network.resolver(pod).text() == "search svc.cluster.local\nnameserver 10.96.0.10\n"
    # One dot is enough without ndots, so the name is tried as it is first.
    assert network.lookup(shop.world, pod, "web.shop").name == f"web.{ZONE}"
    assert network.lookup(shop.world, pod, "web").status == "nxdomain"
    assert network.lookup(shop.world, pod, "fixed.org").addresses == ("10.1.2.3",)


@pytest.mark.parametrize(
    ("spec", "name", "hosts"),
    [
        ({}, "client", {"localhost": "127.0.0.1", "client": "10.244.0.9"}),
        ({"hostname": "h"}, "h", {"localhost": "127.0.0.1", "h": "10.244.0.9"}),
        (
            {"hostname": "h", "subdomain": "s", "setHostnameAsFQDN": True},
            "h.s.shop.svc.cluster.local",
            {
                "localhost": "127.0.0.1",
                "h": "10.244.0.9",
                "h.s.shop.svc.cluster.local": "10.244.0.9",
            },
        ),
        (
            {"hostname": "x" * 62 + "-y"},
            "x" * 62,
            {"localhost": "127.0.0.1", "x" * 62: "10.244.0.9"},
        ),
        ({"hostNetwork": True}, "node2", {"localhost": "127.0.0.1", "node2": "10.77.0.3"}),
    ],
)
def test_what_pods_call_themselves(
    shop: Any, spec: dict[str, Any], name: str, hosts: dict[str, str]
) -> None:
    pod = {
        "metadata": {"name": "client", "namespace": "shop"},
        "spec": {"nodeName": "node2", **spec},
        "status": {"podIP": "10.244.0.9", "hostIP": "10.77.0.3"},
    }
    assert (hostname_of(pod), hosts_of(shop.world, pod)) == (name, hosts)
