"""What clients see through an ingress controller: hosts, paths, pages, redirects, certificates."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.pki.authority import issue
from sregym_cluster_embedded.api.pki.certificates import Subject, Terms
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubectl import DirectAccess, run
from sregym_cluster_embedded.network import certificates, ingress
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import World

CONTROLLER = "k8s.io/ingress-nginx"
DOOR = "http://ingress-nginx-controller.ingress-nginx"
OBJECTS = """
- resource: deployments.apps
  metadata: {name: web, namespace: default}
  spec:
    replicas: 1
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
- resource: services
  metadata: {name: web, namespace: default}
  spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
- resource: services
  metadata: {name: nobody, namespace: default}
  spec: {selector: {app: nobody}, ports: [{port: 80}]}
- resource: pods
  metadata: {name: client, namespace: default}
  spec:
    containers:
    - {name: client, image: "registry.example/library/busybox:1.36", command: [sleep, "100000"]}
- resource: ingresses.networking.k8s.io
  metadata: {name: shop, namespace: default}
  spec:
    ingressClassName: nginx
    rules:
    - host: shop.test
      http:
        paths:
        - {path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}
        - {path: /nobody, pathType: Prefix, backend: {service: {name: nobody, port: {number: 80}}}}
        - {path: /exact, pathType: Exact, backend: {service: {name: gone, port: {number: 80}}}}
"""


@pytest.fixture(scope="module")
def opened(recorded_images: Any) -> World:
    """A cluster with an ingress controller before a web server."""
    world = build(Blueprint(models=recorded_images, ingress_controller=True))
    for entry in yaml.safe_load(OBJECTS):
        internal_client.create(world, entry.pop("resource"), entry)
    world.run_until(world.now + 60)
    return world


def wget(world: World, url: str, host: str = "shop.test") -> tuple[str, str]:
    words = ["exec", "client", "--", "wget", "-q", "-O", "-", "--header", f"Host: {host}", url]
    result = run(DirectAccess(world), words)
    return result.stdout, result.stderr


def secret(world: World, names: tuple[str, ...], since: float, until: float) -> None:
    terms = Terms(1, since, until, names=names)
    signed = issue(world, Subject(names[0]), terms)
    data = {"tls.crt": signed.certificate, "tls.key": signed.key}
    coded = {name: base64.b64encode(text.encode()).decode() for name, text in data.items()}
    obj = {
        "metadata": {"name": "cert", "namespace": "default"},
        "type": "kubernetes.io/tls",
        "data": coded,
    }
    internal_client.create(world, "secrets", obj)
    place = Key("ingresses.networking.k8s.io", "default", "shop")
    found = world.store.get(place)
    assert found is not None
    tls = [{"hosts": ["shop.test"], "secretName": "cert"}]
    internal_client.update(world, place.resource, {**found, "spec": {**found["spec"], "tls": tls}})


def test_a_host_leads_to_its_backend(opened: World) -> None:
    assert wget(opened.fork(), f"{DOOR}/") == ("hello from web 1.0\n", "")


def test_other_hosts_get_the_page_of_the_controller(opened: World) -> None:
    out, err = wget(opened.fork(), f"{DOOR}/", host="other.test")
    assert out == ""
    assert err == (
        "wget: server returned error: HTTP/1.1 404 Not Found\ncommand terminated with exit code 1\n"
    )


@pytest.mark.parametrize("path", ["/nobody", "/nobody/deeper", "/exact"])
def test_a_backend_without_endpoints_is_unavailable(opened: World, path: str) -> None:
    _, err = wget(opened.fork(), f"{DOOR}{path}")
    assert err.splitlines()[0].startswith("wget: server returned error: HTTP/1.1 503")


def test_a_prefix_ends_at_a_slash(opened: World) -> None:
    found = ingress.route(opened, CONTROLLER, "shop.test", "/nobodyelse", secure=False)
    assert found is not None
    assert (found.service, found.port) == ("web", "http")


def test_the_ingress_gets_an_address_and_an_event(opened: World) -> None:
    (entry,) = opened.store.list("ingresses.networking.k8s.io")
    (pod,) = opened.store.list("pods", "ingress-nginx")
    address = {"ip": pod["status"]["hostIP"]}
    assert entry["status"]["loadBalancer"] == {"ingress": [address]}
    (event,) = [e for e in opened.store.list("events", "default") if e["reason"] == "Sync"]
    assert (event["message"], event["source"]["component"]) == (
        "Scheduled for sync",
        "nginx-ingress-controller",
    )


def test_an_ingress_of_an_unknown_class_is_nobodys(opened: World) -> None:
    world = opened.fork()
    place = Key("ingresses.networking.k8s.io", "default", "shop")
    found: Any = world.store.get(place)
    internal_client.update(
        world, place.resource, {**found, "spec": {**found["spec"], "ingressClassName": "x"}}
    )
    assert ingress.route(world, CONTROLLER, "shop.test", "/", secure=False) is None


def test_a_host_with_a_certificate_is_redirected_and_shows_its_dates(opened: World) -> None:
    world = opened.fork()
    now = world.epoch + world.now
    secret(world, ("shop.test",), now - 7200, now - 3600)
    found = ingress.route(world, CONTROLLER, "shop.test", "/", secure=False)
    assert found is not None
    assert found.redirect
    shown = ingress.certificate(world, CONTROLLER, "shop.test")
    assert (shown.subject, shown.names, shown.not_after) == (
        "shop.test",
        ("shop.test",),
        float(int(now - 3600)),
    )
    assert certificates.complaint(shown, "shop.test", now, trusted=True) == (
        "certificate has expired"
    )
    assert certificates.complaint(shown, "shop.test", now) == (
        "unable to get local issuer certificate"
    )


def test_without_a_secret_the_controller_shows_its_own_certificate(opened: World) -> None:
    shown = ingress.certificate(opened, CONTROLLER, "shop.test")
    assert shown.subject == "Kubernetes Ingress Controller Fake Certificate"
    assert certificates.complaint(shown, "shop.test", opened.epoch) == "self-signed certificate"


def test_openssl_tells_of_an_expired_certificate(opened: World) -> None:
    world = opened.fork()
    now = world.epoch + world.now
    secret(world, ("shop.test",), now - 7200, now - 3600)
    netshoot = ["run", "net", "--image=nicolaka/netshoot", "--", "sleep", "9999"]
    run(DirectAccess(world), netshoot, "")
    world.run_until(world.now + 60)
    door = DOOR.removeprefix("http://")
    line = f"openssl s_client -connect {door}:443 -servername shop.test -brief < /dev/null"
    found = run(DirectAccess(world), ["exec", "net", "--", "sh", "-c", line], "")
    ended = datetime.fromtimestamp(int(now - 3600), UTC).strftime("notAfter=%b %e %H:%M:%S %Y GMT")
    assert (found.exit_code, found.stdout, found.stderr) == (
        0,
        "",
        "depth=0 CN = shop.test\nverify error:num=20:unable to get local issuer certificate\n"
        "depth=0 CN = shop.test\nverify error:num=21:unable to verify the first certificate\n"
        f"depth=0 CN = shop.test\nverify error:num=10:certificate has expired\n{ended}\n{ended}\n"
        "CONNECTION ESTABLISHED\nProtocol version: TLSv1.3\n"
        "Ciphersuite: TLS_AES_256_GCM_SHA384\nPeer certificate: CN = shop.test\n"
        "Hash used: SHA256\nSignature type: ECDSA\n"
        "Verification error: certificate has expired\n"
        "Server Temp Key: X25519, 253 bits\nDONE\n",
    )


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (
            "",
            "2\n* ALPN: offers h2,http/1.1\n* ALPN: server accepted h2\n* using HTTP/2\n"
            "> GET / HTTP/2\n< HTTP/2 200 \n",
        ),
        (
            "--http1.1",
            "1.1\n* ALPN: offers http/1.1\n* ALPN: server accepted http/1.1\n"
            "> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n",
        ),
    ],
)
def test_curl_speaks_one_protocol_over_tls(opened: World, option: str, expected: str) -> None:
    world = opened.fork()
    now = world.epoch + world.now
    secret(world, ("shop.test",), now - 3600, now + 3600)
    words = ["run", "curl", "--image=curlimages/curl:8.12.1", "--command", "--", "sleep", "9999"]
    run(DirectAccess(world), words, "")
    world.run_until(world.now + 60)
    to = f"--connect-to ::{DOOR.removeprefix('http://')}:443"
    line = (
        f"curl -sSvk {option} {to} -o /dev/null -w '%{{http_version}}\\n' https://shop.test/ 2>&1 "
        "| grep -E 'ALPN|using HTTP|^[<>] .*HTTP/|^[12.]+$'"
    )
    found = run(DirectAccess(world), ["exec", "curl", "--", "sh", "-c", line], "")
    assert (found.exit_code, found.stdout, found.stderr) == (0, expected, "")
