"""Clients over TLS are who their credentials say, whatever client they are."""

from __future__ import annotations

import shutil
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from sregym_cluster_embedded.api.access import tokens
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.secure import client_credentials
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.kubectl.fallback import run_binary
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import World


class Served(NamedTuple):
    """An endpoint over TLS, its world, and a folder for files."""

    url: str
    world: World
    folder: Path

    def kubectl(self, line: str, **credentials: Any) -> tuple[int, str, str]:
        path = self.folder / "kubeconfig"
        authority = certificate_authority(self.world)
        write_kubeconfig(path, self.url, authority=authority, **credentials)
        done = run_binary(path, line.split(), timeout_s=60)
        return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def served(make_shop: Callable[..., Any], tmp_path: Path) -> Iterator[Served]:
    world = make_shop(epoch=int(time.time())).world
    with ApiEndpoint(LiveWorld(world, Stepped()), secure=True) as endpoint:
        yield Served(endpoint.url, world, tmp_path)


def account_token(world: World, namespace: str, name: str, lifetime_s: int) -> str:
    account = world.store.get(Key("serviceaccounts", namespace, name))
    assert account is not None
    return tokens.issue(world, account, lifetime_s)


def test_kubectl_is_who_its_certificate_says(served: Served) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    credentials = client_credentials(served.world, "root", ("system:masters",))
    code, out, err = served.kubectl("auth whoami -o json", credentials=credentials)
    assert (code, err) == (0, "")
    info = orjson.loads(out)["status"]["userInfo"]
    [credential] = info["extra"]["authentication.kubernetes.io/credential-id"]
    assert (info["username"], info["groups"]) == (
        "root",
        ["system:masters", "system:authenticated"],
    )
    assert credential.startswith("X509SHA256=")
    assert served.kubectl("get ns default -o name", credentials=credentials)[:2] == (
        0,
        "namespace/default\n",
    )


def test_kubectl_with_the_token_of_an_account_may_what_the_account_may(served: Served) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    token = account_token(served.world, "default", "default", 600)
    assert served.kubectl("get secrets", token=token) == (
        1,
        "",
        'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:default:'
        'default" cannot list resource "secrets" in API group "" in the namespace "default"\n',
    )


def strict(world: World) -> ssl.SSLContext:
    """Clients as Python's are from 3.13 on."""
    context = ssl.create_default_context(cadata=certificate_authority(world))
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


def request(served: Served, path: str, **headers: str) -> tuple[int, dict[str, Any]]:
    context = strict(served.world)
    asked = urllib.request.Request(served.url + path, headers=headers)
    try:
        with urllib.request.urlopen(asked, context=context) as answer:
            return answer.status, orjson.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, orjson.loads(error.read())


def test_a_client_without_credentials_is_nobody(served: Served) -> None:
    code, status = request(served, "/api/v1/namespaces/default/pods")
    assert (code, status["message"]) == (
        403,
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" '
        'in the namespace "default"',
    )
    assert request(served, "/version")[0] == 200


def test_a_token_that_is_none_or_has_expired_is_refused(served: Served) -> None:
    token = account_token(served.world, "default", "default", 600)
    refused = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }
    assert request(served, "/api", Authorization="Bearer bogus") == (401, refused)
    assert request(served, "/api", Authorization=f"Bearer {token}")[0] == 200
    served.world.run_until(served.world.now + 601)
    assert request(served, "/api", Authorization=f"Bearer {token}") == (401, refused)


@pytest.mark.parametrize(
    "header",
    [
        b"Authorization: Bearer \xff.\xff.\xff",
        b"Authorization: Bearer e30.eyJpc3MiOiJrdWJlcm5ldGVzL3NlcnZpY2VhY2NvdW50In0.\xff",
        b"Impersonate-User: \xff\xfe",
        b"Impersonate-Extra-%ff: x",
    ],
)
def test_headers_that_are_no_text_are_refused(served: Served, header: bytes) -> None:
    host, _, port = served.url.removeprefix("https://").partition(":")
    context = strict(served.world)
    with (
        socket.create_connection((host, int(port)), timeout=60) as plain,
        context.wrap_socket(plain, server_hostname=host) as secure,
    ):
        secure.sendall(
            b"GET /api/v1/pods HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + header + b"\r\n\r\n"
        )
        answer = b"".join(iter(lambda: secure.recv(65536), b""))
    status = int(answer.split(b" ", 2)[1])
    assert status in (400, 401, 403)


def test_who_speaks_plain_http_is_told_so(served: Served) -> None:
    port = int(served.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET /api HTTP/1.1\r\nHost: x\r\n\r\n")
        received = b""
        while piece := connection.recv(65536):
            received += piece
    assert received == (
        b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
    )
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    admin = {"credentials": client_credentials(served.world, "admin", ("system:masters",))}
    with socket.create_connection(("127.0.0.1", port), timeout=60) as silent:
        assert served.kubectl("get --raw /readyz", **admin)[:2] == (0, "ok")
        silent.sendall(b"\x00\x01garbage")
        with suppress(ConnectionError):
            while silent.recv(65536):
                pass
    assert served.kubectl("get --raw /readyz", **admin)[:2] == (0, "ok")
