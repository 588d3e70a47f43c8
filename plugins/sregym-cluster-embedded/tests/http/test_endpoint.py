"""The endpoint itself: errors, malformed requests, kubeconfig."""

from __future__ import annotations

import json
import socket
import stat
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.http.aiohttp_server import EndpointError
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint

Answer = tuple[int, Any]


@pytest.fixture(scope="module")
def endpoint(make_shop: Callable[..., Any]) -> Any:
    with ApiEndpoint(LiveWorld(make_shop().world, Stepped())) as serving:
        yield serving


def send(url: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=body, method=method, headers=named)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_it_does_not_say_what_it_is_written_with(endpoint: ApiEndpoint) -> None:
    with urllib.request.urlopen(f"{endpoint.url}/version", timeout=60) as answer:
        names = sorted(answer.headers.keys())
    assert names == [
        "Audit-Id",
        "Cache-Control",
        "Connection",
        "Content-Length",
        "Content-Type",
        "Date",
        "X-Kubernetes-Pf-Flowschema-Uid",
        "X-Kubernetes-Pf-Prioritylevel-Uid",
    ]


def test_each_answer_has_an_id_of_its_own_or_the_clients(endpoint: ApiEndpoint) -> None:
    found = []
    for given in ("", "", "mine"):
        headers = {"Audit-ID": given} if given else {}
        request = urllib.request.Request(f"{endpoint.url}/version", headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            found.append(answer.headers["Audit-Id"])
    assert [len(text) for text in found] == [36, 36, 4]
    assert len(set(found)) == 3
    assert found[2] == "mine"


def test_a_port_in_use_is_said_in_words(
    endpoint: ApiEndpoint, make_shop: Callable[..., Any]
) -> None:
    second = ApiEndpoint(LiveWorld(make_shop().world), port=endpoint.port)
    with pytest.raises(EndpointError) as caught:
        second.start()
    assert str(caught.value) == (
        f"port {endpoint.port} on 127.0.0.1 is in use by another process: "
        "choose another port, or 0 for a free one"
    )
    second.close()


def test_closing_frees_the_port_and_may_be_done_twice(make_shop: Callable[..., Any]) -> None:
    first = ApiEndpoint(LiveWorld(make_shop().world))
    first.start()
    first.close()
    first.close()
    second = ApiEndpoint(LiveWorld(make_shop().world), port=first.port)
    second.start()
    second.close()


def test_malformed_json_is_a_status_of_the_api(endpoint: ApiEndpoint) -> None:
    url = f"{endpoint.url}/api/v1/namespaces/shop/configmaps"
    code, status = send(url, "POST", b"{", Content_Type="application/json")
    assert (code, status["kind"], status["reason"]) == (400, "Status", "BadRequest")


def test_a_body_beyond_the_limit_is_refused(endpoint: ApiEndpoint) -> None:
    url = f"{endpoint.url}/api/v1/namespaces/shop/configmaps"
    code, status = send(url, "POST", b" " * (3 * 1024 * 1024 + 1), Content_Type="application/json")
    assert (code, status) == (
        413,
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "Request entity too large: limit is 3145728",
            "reason": "RequestEntityTooLarge",
            "code": 413,
        },
    )


@pytest.mark.parametrize(
    "raw",
    [
        b"nonsense\r\n\r\n",
        b"GET /api HTTP/9.9\r\n\r\n",
        b"GET /%ff%00%zz?%=%&limit=x HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"GET /api/v1/namespaces/shop/pods/x/exec?command=ls HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_the_server_survives_what_is_no_request(endpoint: ApiEndpoint, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=60) as connection:
        connection.sendall(raw)
        answer = connection.recv(65536)
    assert answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4"))
    assert send(f"{endpoint.url}/version")[0] == 200


def test_exec_without_an_upgrade_is_refused(endpoint: ApiEndpoint, make_shop: Any) -> None:
    namespace = "kube-system"
    pods = send(f"{endpoint.url}/api/v1/namespaces/{namespace}/pods")[1]["items"]
    name = pods[0]["metadata"]["name"]
    path = f"/api/v1/namespaces/{namespace}/pods/{name}/exec?command=ls&stdout=true"
    code, status = send(endpoint.url + path)
    assert (code, status["reason"], status["message"]) == (
        400,
        "BadRequest",
        "Upgrade request required",
    )


def test_the_kubeconfig_is_its_owners_alone_and_names_nothing_unusual(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("old")
    path.chmod(0o644)
    written = write_kubeconfig(path, "http://127.0.0.1:8001", namespace="shop")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert (
        written.read_text()
        == """apiVersion: v1
kind: Config
clusters:
- name: kubernetes
  cluster:
    server: http://127.0.0.1:8001
users:
- name: kubernetes-admin
  user: {}
contexts:
- name: kubernetes-admin@kubernetes
  context:
    cluster: kubernetes
    user: kubernetes-admin
    namespace: shop
current-context: kubernetes-admin@kubernetes
"""
    )


def _descriptors() -> set[str]:
    """What this process has open; the folder that is being read is closed by now."""
    """What is open, each told apart from whatever had its number before."""
    found = set()
    for fd in list(Path("/proc/self/fd").iterdir()):
        with suppress(FileNotFoundError):
            found.add(str(fd.readlink()))
    return found


def test_nothing_is_left_open(make_shop: Callable[..., Any]) -> None:
    before = _descriptors()
    endpoint = ApiEndpoint(LiveWorld(make_shop().world))
    assert _descriptors() - before == set()
    endpoint.start()
    clients = [socket.create_connection(("127.0.0.1", endpoint.port)) for _ in range(2)]
    clients[0].sendall(b"GET /api/v1/pods?watch=true HTTP/1.1\r\nHost: x\r\n\r\n")
    clients[0].recv(1)
    endpoint.close()
    for client in clients:
        client.close()
    assert _descriptors() - before == set()
