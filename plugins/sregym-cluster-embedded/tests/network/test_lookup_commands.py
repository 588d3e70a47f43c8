"""nslookup, dig, host and getent print what the real ones print, on a whole cluster."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.network.links import Link
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.world import World

MODEL = """
application: tools
images:
  - repository: ghcr.io/acme/tools
    tags: ["1"]
    size_mib: 20
    entrypoint: [sleep, "86400"]
    tools: [debian, dnsutils, curl]
"""
MANIFESTS = """
kind: services
metadata: {name: web, namespace: default}
spec: {clusterIP: 10.96.40.10, selector: {app: web}, ports: [{port: 80, name: http}]}
---
kind: services
metadata: {name: alias, namespace: default}
spec: {type: ExternalName, externalName: web.default.svc.cluster.local}
---
kind: pods
metadata: {name: box, namespace: default}
spec: {containers: [{name: main, image: "registry.example/library/busybox:1.36", command: [sleep, "86400"]}]}
---
kind: pods
metadata: {name: tools, namespace: default}
spec: {containers: [{name: main, image: "ghcr.io/acme/tools:1"}]}
"""
HEAD = "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n"
BIND = "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10#53\n\n"
SILENCE = ";; connection timed out; no servers could be reached\n\n"


@pytest.fixture(scope="module")
def opened(recorded_images: Any) -> World:
    tools = parse_service_model(MODEL, "tools.yaml")
    world = build(Blueprint(models=(*recorded_images, tools)))
    for manifest in yaml.safe_load_all(MANIFESTS):
        internal_client.create(world, manifest.pop("kind"), manifest)
    world.run_until(world.now + 60)
    return world


@pytest.fixture
def world(opened: World) -> World:
    return opened.fork()


def run(world: World, pod: str, command: str) -> tuple[int, str, str]:
    ref = next(ref for ref in world.table("userland.processes") if ref.pod == pod)
    result: Any = world.service(RUNTIME).exec(world, ref, tuple(command.split()), "")
    return result.exit_code, result.stdout, result.stderr


WEB = "web.default.svc.cluster.local"


@pytest.mark.parametrize(
    ("pod", "command", "expected"),
    [
        ("box", f"nslookup {WEB}", (0, f"{HEAD}Name:\t{WEB}\nAddress: 10.96.40.10\n\n\n", "")),
        (
            "box",
            "nslookup web",
            (
                1,
                f"{HEAD}Name:\t{WEB}\nAddress: 10.96.40.10\n\n"
                "** server can't find web.svc.cluster.local: NXDOMAIN\n\n"
                "** server can't find web.cluster.local: NXDOMAIN\n\n\n"
                "** server can't find web.svc.cluster.local: NXDOMAIN\n\n"
                "** server can't find web.cluster.local: NXDOMAIN\n\n",
                "",
            ),
        ),
        (
            "box",
            "nslookup -type=ns cluster.local",
            (
                0,
                f"{HEAD}cluster.local\tnameserver = kube-dns.kube-system.svc.cluster.local\n\n",
                "",
            ),
        ),
        (
            "box",
            f"nslookup -type=srv _http._tcp.{WEB}",
            (0, f"{HEAD}_http._tcp.{WEB}\tservice = 0 100 80 {WEB}\n\n", ""),
        ),
        (
            "box",
            "nslookup 10.96.40.10",
            (0, f"{HEAD}10.40.96.10.in-addr.arpa\tname = {WEB}\n\n", ""),
        ),
        ("box", f"nslookup {WEB} 10.96.0.99", (1, SILENCE, "")),
        (
            "box",
            f"nslookup {WEB} 192.0.2.9",
            (1, SILENCE, "nslookup: write to '192.0.2.9': Network is unreachable\n"),
        ),
        ("box", "nslookup x nothing", (1, "", "nslookup: bad address 'nothing'\n")),
        ("box", "nslookup -type=xx a", (1, "", 'nslookup: invalid query type "xx"\n')),
        ("tools", "nslookup web", (0, f"{BIND}Name:\t{WEB}\nAddress: 10.96.40.10\n\n", "")),
        (
            "tools",
            "nslookup alias",
            (
                0,
                f"{BIND}alias.default.svc.cluster.local\tcanonical name = {WEB}.\n"
                f"Name:\t{WEB}\nAddress: 10.96.40.10\n\n",
                "",
            ),
        ),
        (
            "tools",
            "nslookup nothing",
            (1, f"{BIND}** server can't find nothing: NXDOMAIN\n\n", ""),
        ),
        (
            "tools",
            "nslookup web 10.96.0.99",
            (
                1,
                ";; communications error to 10.96.0.99#53: timed out\n" * 3
                + ";; no servers could be reached\n\n",
                "",
            ),
        ),
        ("tools", "nslookup 10.96.40.10", (0, f"10.40.96.10.in-addr.arpa\tname = {WEB}.\n\n", "")),
        ("tools", "dig -v", (0, "DiG 9.18.28\n", "")),
        ("tools", f"dig +noall +answer {WEB}", (0, f"{WEB}. 30 IN\tA\t10.96.40.10\n", "")),
        (
            "tools",
            "dig @nothing web",
            (1, "", "dig: couldn't get address for 'nothing': not found\n"),
        ),
        (
            "tools",
            "dig @192.0.2.9 web +tries=1",
            (
                9,
                ";; UDP setup with 192.0.2.9#53(192.0.2.9) for web failed: network unreachable.\n"
                ";; no servers could be reached\n",
                "",
            ),
        ),
        (
            "tools",
            "dig +nothing web",
            (
                1,
                "",
                """Invalid option: +nothing
Usage:  dig [@global-server] [domain] [q-type] [q-class] {q-opt}
            {global-d-opt} host [@local-server] {local-d-opt}
            [ host [@local-server] {local-d-opt} [...]]

Use "dig -h" (or "dig -h | more") for complete list of options
""",
            ),
        ),
        ("tools", f"dig +short {WEB}", (0, "10.96.40.10\n", "")),
        ("tools", "dig +short -x 10.96.40.10", (0, f"{WEB}.\n", "")),
        ("tools", "dig +short +search web", (0, "10.96.40.10\n", "")),
        ("tools", "dig +short web", (0, "", "")),
        ("tools", "host web", (0, f"{WEB} has address 10.96.40.10\n", "")),
        ("tools", "host nothing", (1, "Host nothing not found: 3(NXDOMAIN)\n", "")),
        (
            "tools",
            "host 10.96.40.10",
            (0, f"10.40.96.10.in-addr.arpa domain name pointer {WEB}.\n", ""),
        ),
        ("tools", "getent hosts web", (0, f"10.96.40.10     {WEB}\n", "")),
        ("tools", "getent hosts nothing", (2, "", "")),
        ("tools", "getent hosts web nothing", (2, f"10.96.40.10     {WEB}\n", "")),
        ("tools", "getent group root", (0, "root:x:0:\n", "")),
        ("tools", "getent passwd nobody-here", (2, "", "")),
        (
            "tools",
            "curl -sk https://kubernetes.default.svc/api",
            (
                0,
                '{\n  "kind": "Status",\n  "apiVersion": "v1",\n  "metadata": {},\n'
                '  "status": "Failure",\n'
                '  "message": "forbidden: User \\"system:anonymous\\" cannot get path \\"/api\\"",\n'
                '  "reason": "Forbidden",\n  "details": {},\n  "code": 403\n}',
                "",
            ),
        ),
    ],
)
def test_words(world: World, pod: str, command: str, expected: tuple[int, str, str]) -> None:
    assert run(world, pod, command) == expected


def test_dig_in_full(world: World) -> None:
    code, out, err = run(world, "tools", f"dig {WEB}")
    varying = r"(id: |COOKIE: |WHEN: )[^\n(]*"
    assert (code, re.sub(varying, r"\1...", out), err) == (
        0,
        f"""
; <<>> DiG 9.18.28 <<>> {WEB}
;; global options: +cmd
;; Got answer:
;; WARNING: .local is reserved for Multicast DNS
;; You are currently testing what happens when an mDNS query is leaked to DNS
;; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: ...
;; flags: qr aa rd; QUERY: 1, ANSWER: 1, AUTHORITY: 0, ADDITIONAL: 1
;; WARNING: recursion requested but not available

;; OPT PSEUDOSECTION:
; EDNS: version: 0, flags:; udp: 1232
; COOKIE: ...(echoed)
;; QUESTION SECTION:
;{WEB}.	IN	A

;; ANSWER SECTION:
{WEB}. 30 IN	A	10.96.40.10

;; Query time: 1 msec
;; SERVER: 10.96.0.10#53(10.96.0.10) (UDP)
;; WHEN: ...
;; MSG SIZE  rcvd: 115

""",
        "",
    )


def test_when_no_name_server_runs(world: World) -> None:
    deployment = world.store.get(Key("deployments.apps", "kube-system", "coredns"))
    assert deployment is not None
    spec = {**deployment["spec"], "replicas": 0}
    internal_client.update(world, "deployments.apps", {**deployment, "spec": spec})
    world.run_until(world.now + 40)
    refused = "nslookup: write to '10.96.0.10': Connection refused\n"
    assert run(world, "box", "nslookup web") == (1, SILENCE, refused)
    assert run(world, "box", f"nslookup -type=a {WEB}") == (
        1,
        SILENCE,
        "nslookup: read: Connection refused\n" * 2,
    )
    lost = ";; communications error to 10.96.0.10#53: connection refused\n"
    nobody = ";; no servers could be reached\n"
    assert run(world, "tools", "host web") == (1, lost * 2 + nobody, "")
    assert run(world, "tools", "dig +short web") == (9, lost * 3 + nobody, "")
    head = "\n; <<>> DiG 9.18.28 <<>> web\n;; global options: +cmd\n"
    assert run(world, "tools", "dig web") == (9, lost * 3 + head + nobody, "")


def test_tools_read_the_resolver_file_that_stands_there(world: World) -> None:
    script = f"echo nameserver 10.96.0.99 > /etc/resolv.conf; nslookup {WEB}"
    ref = next(ref for ref in world.table("userland.processes") if ref.pod == "box")
    result: Any = world.service(RUNTIME).exec(world, ref, ("sh", "-c", script), "")
    assert (result.exit_code, result.stdout) == (1, SILENCE)


def test_ping_tells_latency_and_loss(world: World) -> None:
    tools = world.store.get(Key("pods", "default", "tools"))
    box = world.store.get(Key("pods", "default", "box"))
    assert tools is not None
    assert box is not None
    ip, own = tools["status"]["podIP"], box["metadata"]["uid"]
    code, out, _ = run(world, "box", f"ping -c 2 {ip}")
    assert (code, out.count(" ttl=6"), "2 packets received, 0% packet loss" in out) == (0, 2, True)
    links.set_link(world, f"pod:{own}", "*", Link(latency_ms=100, loss=0.5))
    code, out, _ = run(world, "box", f"ping -c 20 {ip}")
    times = [
        float(line.partition("time=")[2].split()[0]) for line in out.splitlines() if "ttl" in line
    ]
    assert code == 0
    assert 3 <= len(times) <= 17
    assert all(100 <= taken < 101 for taken in times)
    assert (
        f"20 packets transmitted, {len(times)} packets received, {100 - 5 * len(times)}% packet loss"
        in out
    )
    links.cut(world, f"pod:{own}", "*")
    assert run(world, "box", f"ping -c 1 -W 1 {ip}") == (
        1,
        f"PING {ip} ({ip}): 56 data bytes\n\n--- {ip} ping statistics ---\n"
        "1 packets transmitted, 0 packets received, 100% packet loss\n",
        "",
    )


def test_pods_in_the_network_of_their_node(world: World) -> None:
    for name, image in (("host", "shop/web:1.0"), ("other", "library/busybox:1.36")):
        container = {"name": "main", "image": f"registry.example/{image}"}
        if name == "other":
            container["command"] = ["sleep", "86400"]
        metadata = {"name": name, "namespace": "default"}
        spec = {"nodeName": "node2", "hostNetwork": True, "containers": [container]}
        internal_client.create(world, "pods", {"metadata": metadata, "spec": spec})
    world.run_until(world.now + 20)
    assert run(world, "other", "hostname") == (0, "node2\n", "")
    assert run(world, "other", "cat /etc/hosts") == (
        0,
        "# Kubernetes-managed hosts file (host network).\n127.0.0.1\tlocalhost\n"
        "::1\tlocalhost ip6-localhost ip6-loopback\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n"
        "10.77.0.3\tnode2\n",
        "",
    )
    assert run(world, "other", "wget -q -O - http://localhost:8080/healthz") == (0, "ok\n", "")
    refused = "wget: can't connect to remote host (127.0.0.1): Connection refused\n"
    assert run(world, "box", "wget -q -O - http://localhost:8080/healthz") == (1, "", refused)


def test_a_name_server_that_fails_is_no_name_that_is_wrong(world: World) -> None:
    def asked(host: str) -> tuple[int, str, str]:
        ref = next(ref for ref in world.table("userland.processes") if ref.pod == "tools")
        argv = ("bash", "-c", f"exec 3<>/dev/tcp/{host}/80")
        result: Any = world.service(RUNTIME).exec(world, ref, argv, "")
        return result.exit_code, result.stdout, result.stderr

    tail = "bash: line 1: /dev/tcp/{}/80: Invalid argument\n"
    said = "bash: nothing: Name or service not known\n"
    assert asked("nothing") == (1, "", said + tail.format("nothing"))
    deployment = world.store.get(Key("deployments.apps", "kube-system", "coredns"))
    assert deployment is not None
    spec = {**deployment["spec"], "replicas": 0}
    internal_client.update(world, "deployments.apps", {**deployment, "spec": spec})
    world.run_until(world.now + 40)
    said = "bash: web: Temporary failure in name resolution\n"
    assert asked("web") == (1, "", said + tail.format("web"))
