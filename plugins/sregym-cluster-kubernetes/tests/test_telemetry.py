"""Services of observability behind Services of the cluster, and a set of them to install."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
import urllib3
from kubernetes.client import ApiClient, Configuration
from sregym_cluster_kubernetes.options import ClusterOptions
from sregym_cluster_kubernetes.telemetry.command import _options, _with
from sregym_cluster_kubernetes.telemetry.examining import modalities
from sregym_cluster_kubernetes.telemetry.installing import (
    install,
    manifests,
    not_ready,
    remove,
)
from sregym_cluster_kubernetes.telemetry.places import (
    ServicePlace,
    found_among,
    parse_place,
)
from sregym_cluster_kubernetes.telemetry.service_requests import request_through_proxy
from sregym_cluster_kubernetes.telemetry.services import Services
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import ClusterError, Finding, ServiceAnswer
from sregym_core.model import ObjectRef
from sregym_testing import MemoryCluster, Program

PROXY = "/api/v1/namespaces/watch/services/prometheus:9090/proxy"


class ApiServer(BaseHTTPRequestHandler):
    """Passes on to a Prometheus that answers with what it was asked, and to nothing else."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if not path.startswith(PROXY):
            words = f"services {path.split('/')[6]!r} not found".replace("'", '"')
            self._send(404, {"kind": "Status", "reason": "NotFound", "message": words})
        elif "wrong" in path:
            self._send(400, {"status": "error", "error": "parse error"})
        else:
            told = {"path": path.removeprefix(PROXY), "query": query, "method": self.command}
            self._send(200, {**told, "token": self.headers.get("authorization", "")})

    do_POST = do_GET

    def _send(self, status: int, content: Any) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def client() -> Iterator[ApiClient]:
    with HTTPServer(("127.0.0.1", 0), ApiServer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        configuration = Configuration()
        configuration.host = f"http://127.0.0.1:{server.server_port}"
        configuration.api_key["authorization"] = "Bearer secret"
        with ApiClient(configuration) as made:
            yield made
        server.shutdown()
        thread.join()


def service(name: str, namespace: str = "watch", label: str = "", *ports: int) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": label} if label else {}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"metadata": metadata, "spec": {"ports": [{"port": port} for port in ports or (80,)]}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("watch/prometheus", "watch/prometheus:9090"),
        ("watch/prometheus-server:80", "watch/prometheus-server:80"),
        ("https:watch/p:web/prefix/", "https:watch/p:web/prefix"),
        ("prometheus", "None"),
        ("watch/Prometheus", "None"),
        ("watch/p:80:90", "None"),
    ],
)
def test_a_service_as_users_write_it(text: str, expected: str) -> None:
    assert str(parse_place("prometheus", text)) == expected


def test_the_way_through_the_api_server() -> None:
    place = ServicePlace("watch", "p", "web", "/prefix", "https")
    assert place.proxied("/api/v1/label/a b/values") == (
        "/api/v1/namespaces/watch/services/https:p:web/proxy/prefix/api/v1/label/a%20b/values"
    )


def test_services_are_found_by_name_before_label() -> None:
    objects = [
        service("metrics", "a", "prometheus", 80),
        service("prometheus-server", "b", "", 80, 9090),
        service("headless-loki", "b"),
        service("my-alerts", "b", "alertmanager", 9093),
        {"metadata": {"name": "jaeger", "namespace": "b"}, "spec": {}},
    ]
    assert {name: str(place) for name, place in found_among(objects).items()} == {
        "prometheus": "b/prometheus-server:9090",
        "alertmanager": "b/my-alerts:9093",
    }


def test_questions_go_through_the_proxy_with_credentials(client: ApiClient) -> None:
    place = ServicePlace("watch", "prometheus", "9090")
    query = [("query", "up{a='b c'}"), ("match[]", "x")]
    answer = request_through_proxy(client, "prometheus", place, "/api/v1/query", query, "GET")
    assert (answer.status, json.loads(answer.body)) == (
        200,
        {
            "path": "/api/v1/query",
            "query": "query=up%7Ba%3D%27b+c%27%7D&match%5B%5D=x",
            "method": "GET",
            "token": "Bearer secret",
        },
    )
    assert request_through_proxy(client, "prometheus", place, "/wrong", (), "GET").status == 400


def test_what_the_api_server_refuses_is_told(client: ApiClient) -> None:
    with pytest.raises(ClusterError) as refused:
        request_through_proxy(
            client, "loki", ServicePlace("watch", "loki", "3100"), "/ready", (), "GET"
        )
    assert (refused.value.status, refused.value.message) == (
        404,
        "service 'loki' at watch/loki:3100 does not answer: "
        "services \"loki:3100\" not found; see option 'loki' of the cluster",
    )
    client.configuration.host = "http://127.0.0.1:1"
    with pytest.raises(ClusterError) as silent:
        request_through_proxy(
            client, "loki", ServicePlace("watch", "loki", "3100"), "/ready", (), "GET"
        )
    assert silent.value.message.startswith(
        "service 'loki' at watch/loki:3100 cannot be asked, since the cluster does not answer: "
    )


def test_what_is_named_goes_before_what_is_found(client: ApiClient) -> None:
    options = ClusterOptions(telemetry="watch", endpoints={"loki": "http://loki"})
    found = [service("prometheus", "watch", "", 9090), service("loki")]
    services = Services(client, options, lambda place: found if place == "watch" else [])
    assert {name: str(place) for name, place in services.places.items()} == {
        "loki": "http://loki",
        "prometheus": "watch/prometheus:9090",
    }
    with pytest.raises(ClusterError) as absent:
        services.ask("jaeger", "/", (), "GET")
    assert absent.value.message == (
        "this cluster offers no service 'jaeger'; it offers: loki, prometheus"
    )


def test_what_is_behind_a_service_is_served_on_loopback(client: ApiClient) -> None:
    options = ClusterOptions(endpoints={"prometheus": "watch/prometheus", "loki": "http://loki"})
    services = Services(client, options, lambda _: [])

    def asked(name: str, path: str, query: Sequence[tuple[str, str]], method: str) -> ServiceAnswer:
        if path == "/hidden":
            raise ClusterError(403, "Forbidden", "not for you")
        return services.ask(name, path, query, method)

    urls = services.served(asked)
    assert urls["loki"] == "http://loki"
    with urllib3.PoolManager(retries=False) as pool:
        got = pool.request("GET", f"{urls['prometheus']}/api/v1/query?query=up").json()
        posted = pool.request(
            "POST",
            f"{urls['prometheus']}/api/v1/query",
            fields={"query": "up"},
            encode_multipart=False,
        ).json()
        hidden = pool.request("GET", f"{urls['prometheus']}/hidden")
    assert (got["path"], got["query"]) == ("/api/v1/query", "query=up")
    assert (posted["method"], posted["query"]) == ("POST", "query=up")
    assert (hidden.status, hidden.data) == (502, b"not for you\n")
    services.close()


class Told(Services):
    """Answers from a table."""

    def __init__(self, table: dict[str, Any], **endpoints: str) -> None:
        super().__init__(ApiClient(), ClusterOptions(endpoints=endpoints), lambda _: [])
        self._table = table

    def ask(
        self, service: str, path: str, query: Sequence[tuple[str, str]], method: str
    ) -> ServiceAnswer:
        status, content = self._table[path]
        if callable(content):
            content = content(dict(query)["query"])
        return ServiceAnswer(status, json.dumps(content).encode())


def test_which_modalities_an_agent_will_have() -> None:
    def result(query: str) -> dict[str, Any]:
        return {"data": {"result": [1] if "kube_pod_info" in query else []}}

    table = {
        "/api/v1/status/buildinfo": (200, {}),
        "/api/v1/query": (200, result),
        "/api/services": (503, "no storage"),
    }
    services = Told(table, prometheus="http://p", jaeger="watch/jaeger")
    found = list(modalities(services, [service("loki", "logging", "", 3100)]))
    install_it = "or install a small set: sregym telemetry install"
    assert found == [
        Finding(
            "telemetry, metrics",
            True,
            "prometheus at http://p answers, with metrics of objects (kube-state-metrics)",
        ),
        Finding(
            "telemetry, logs",
            True,
            "none: agents will have no logs but those of kubectl; connect Service logging/loki:3100 "
            f"with the option loki=logging/loki:3100, {install_it}",
        ),
        Finding(
            "telemetry, traces",
            False,
            'it answers 503 to /api/services: "no storage"',
            "look at the option 'jaeger'",
        ),
        Finding(
            "telemetry, alerts",
            True,
            f"none: agents will have no alerts, {install_it}",
        ),
    ]


def test_the_set_is_whole() -> None:
    objects = manifests("watch")
    wide = ("Namespace", "ClusterRole", "ClusterRoleBinding")
    assert {obj["metadata"].get("namespace") for obj in objects if obj["kind"] not in wide} == {
        "watch"
    }
    images = sorted(
        container["image"]
        for obj in objects
        if obj["kind"] == "Deployment"
        for container in obj["spec"]["template"]["spec"]["containers"]
    )
    assert images == [
        "docker.io/grafana/alloy:v1.9.0",
        "docker.io/grafana/loki:3.5.0",
        "docker.io/jaegertracing/all-in-one:1.57.0",
        "quay.io/prometheus/alertmanager:v0.28.1",
        "quay.io/prometheus/prometheus:v3.5.0",
        "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.16.0",
    ]
    found = found_among(obj for obj in objects if obj["kind"] == "Service")
    assert {name: str(place) for name, place in found.items()} == {
        "prometheus": "watch/prometheus:9090",
        "loki": "watch/loki:3100",
        "jaeger": "watch/jaeger:16686",
        "alertmanager": "watch/alertmanager:9093",
    }


def standing(cluster: MemoryCluster, kind: str, api_version: str = "v1") -> list[str]:
    return [obj["metadata"]["name"] for obj in cluster.list(api_version, kind)]


def test_it_is_installed_and_removed() -> None:
    images = {
        container["image"]
        for obj in manifests()
        if obj["kind"] == "Deployment"
        for container in obj["spec"]["template"]["spec"]["containers"]
    }
    cluster, said = MemoryCluster({image: Program(start_s=15.0) for image in images}), []
    install(cluster, "watch", said.append)
    assert not_ready(cluster, "watch") == []
    names = ("alertmanager", "alloy", "jaeger", "kube-state-metrics", "loki", "prometheus")
    waiting = f"waiting for {'; '.join(f'{name}-1-0: NotReady' for name in names)}"
    assert said == [waiting, waiting]
    with pytest.raises(UsageError) as twice:
        install(cluster, "watch", said.append)
    assert str(twice.value) == (
        "telemetry cannot be installed: the cluster has namespace 'watch' already; give another "
        "--namespace, or remove what is there: sregym telemetry remove"
    )
    remove(cluster, "watch")
    assert standing(cluster, "ClusterRole", "rbac.authorization.k8s.io/v1") == []
    assert "watch" not in standing(cluster, "Namespace")
    with pytest.raises(UsageError) as absent:
        remove(cluster, "watch")
    assert str(absent.value) == (
        "telemetry is not installed in namespace 'watch'; say with --namespace where it is"
    )


def test_what_does_not_get_ready_is_told_with_its_pods() -> None:
    with pytest.raises(WorldError) as late:
        install(MemoryCluster({}), "watch", lambda _: None)
    assert str(late.value).startswith("telemetry in 'watch' was not ready after 600 s: ")
    assert str(late.value).count("ImagePullBackOff") == 6


def test_a_namespace_of_others_is_left_alone() -> None:
    cluster = MemoryCluster()
    install(cluster, "watch", lambda _: None)
    mine = next(obj for obj in manifests("watch") if obj["kind"] == "Deployment")
    name = {**mine["metadata"], "name": "grafana"}
    cluster.create({**mine, "metadata": name})
    with pytest.raises(UsageError) as refused:
        remove(cluster, "watch")
    assert str(refused.value) == (
        "telemetry in namespace 'watch' is not removed: the namespace holds grafana besides; delete "
        "those, or the set by hand: sregym telemetry show | kubectl delete -f -"
    )


def test_a_namespace_that_does_not_go() -> None:
    class Clinging(MemoryCluster):
        def delete(self, ref: ObjectRef, *more: Any) -> None:
            """A finalizer that nobody removes."""

    cluster = Clinging()
    install(cluster, "watch", lambda _: None)
    with pytest.raises(WorldError) as stuck:
        remove(cluster, "watch")
    assert str(stuck.value) == (
        "namespace 'watch' was deleted, but did not go within 300 s; look at its finalizers"
    )


def test_how_it_is_used() -> None:
    assert _with("kubeconfig", "watch") == "kubeconfig:telemetry=watch"
    assert _with("kubeconfig:mine", "watch") == "kubeconfig:context=mine,telemetry=watch"
    with pytest.raises(UsageError) as refused:
        _options("embedded")
    assert str(refused.value) == (
        "--cluster 'embedded': telemetry is installed on real clusters; give kubeconfig or "
        "kubeconfig:CONTEXT"
    )
