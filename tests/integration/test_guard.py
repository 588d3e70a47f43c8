"""The guard before the Kubernetes API: without a fault plane nobody can tell that it is there."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sregym_agents.guard import Guard
from sregym_agents.guard.upstream import Upstream, read_upstream
from sregym_agents.outside import write_kubeconfig
from sregym_core.conductor import ComponentFactory
from sregym_core.model import ApiRequest, ObjectRef
from sregym_core.policy import Policy

NAMESPACE = "hotel-reservation"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


@dataclass
class Sides:
    """The same cluster, with the guard and without."""

    upstream: Upstream
    guard: str
    direct_config: Path
    guard_config: Path
    cluster: Any
    hidden: list[ObjectRef] = field(default_factory=list)
    notes: list[ApiRequest] = field(default_factory=list)

    def noted(self, path: str, count: int = 1) -> list[ApiRequest]:
        """What was noted of a path; a note is written a moment after the last byte."""
        never, found = threading.Event(), list[ApiRequest]()
        for _ in range(6000):
            found = [note for note in self.notes if note.path == path]
            if len(found) >= count:
                break
            never.wait(0.01)
        return found

    def kubectl(self, *words: str, guarded: bool = True) -> tuple[int, str, str]:
        config = self.guard_config if guarded else self.direct_config
        words = ("kubectl", f"--kubeconfig={config}", f"--cache-dir={config}.cache", *words)
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def raw(self, method: str, path: str, body: bytes, headers: Any, guarded: bool) -> Any:
        """Status, headers without the date, and body of an answer; the request bears an id."""
        headers = {**headers, "Audit-ID": "c7e1"}
        if guarded:
            address = urlsplit(self.guard)
            connection = http.client.HTTPConnection(address.netloc, timeout=60)
            path = address.path + path
        else:
            up = self.upstream
            connection = http.client.HTTPSConnection(up.host, up.port, context=up.tls, timeout=60)
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
            head = sorted((name, value) for name, value in answer.getheaders() if name != "Date")
            return answer.status, head, content
        finally:
            connection.close()


@contextmanager
def guarding(upstream: Upstream, sides: dict[str, list[Any]]) -> Iterator[str]:
    ready, urls = threading.Event(), []
    stop: list[Callable[[], None]] = []

    async def run() -> None:
        policy = Policy(lambda: sides["hidden"])
        ending = asyncio.Event()
        loop = asyncio.get_running_loop()
        stop.append(lambda: loop.call_soon_threadsafe(ending.set))
        async with Guard(upstream, policy, "secret", sides["notes"].append).serving() as url:
            urls.append(url)
            ready.set()
            await ending.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(30)
    try:
        yield urls[0]
    finally:
        stop[0]()
        thread.join(30)


@pytest.fixture(scope="module")
def stage(
    factory: ComponentFactory, serve: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sides]:
    """A healthy application; the pace is so slow that time stands still between two answers."""
    folder = tmp_path_factory.mktemp("guarded")
    with serve(factory, folder, 0.0001) as world:
        factory.application("hotel-reservation").deploy(world.cluster)
        world.cluster.clock.advance(180.0)
        upstream = read_upstream(world.access.kubeconfig)
        shared: dict[str, list[Any]] = {"hidden": [], "notes": []}
        with guarding(upstream, shared) as url:
            config = folder / "guarded"
            write_kubeconfig(config, url, "default")
            yield Sides(
                upstream,
                url,
                world.access.kubeconfig,
                config,
                world.cluster,
                shared["hidden"],
                shared["notes"],
            )


@pytest.fixture
def sides(stage: Sides) -> Sides:
    stage.hidden.clear()
    stage.notes.clear()
    return stage


CONFIG_MAP = json.dumps(
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "b"}}
).encode()
JSON = {"Content-Type": "application/json"}
REQUESTS: list[tuple[str, str, bytes, dict[str, str]]] = [
    ("GET", "/version", b"", {}),
    ("GET", "/healthz", b"", {}),
    ("GET", "/api", b"", {"Accept": DISCOVERY}),
    ("GET", "/apis", b"", {"Accept": DISCOVERY}),
    ("GET", "/apis", b"", {}),
    ("GET", "/apis/apps/v1", b"", {}),
    ("GET", "/openapi/v3", b"", {}),
    ("GET", "/api/v1/pods", b"", {}),
    ("GET", "/api/v1/pods?limit=3", b"", {}),
    ("GET", PODS, b"", {"Accept": TABLE}),
    ("GET", PODS, b"", {"Accept-Encoding": "gzip"}),
    ("GET", f"{PODS}?labelSelector=io.kompose.service%3Dfrontend", b"", {}),
    ("GET", f"{PODS}/nobody", b"", {}),
    ("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/frontend", b"", {}),
    ("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/frontend/scale", b"", {}),
    ("GET", f"/api/v1/namespaces/{NAMESPACE}/events", b"", {}),
    ("GET", "/nothing/here", b"", {}),
    ("HEAD", "/version", b"", {}),
    ("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", b"{", JSON),
    ("POST", "/api/v1/namespaces/nowhere/configmaps", CONFIG_MAP, JSON),
    ("DELETE", f"{PODS}/nobody", b"", {}),
    ("PUT", "/api/v1/namespaces/default/configmaps/y", CONFIG_MAP, JSON),
    ("PATCH", f"{PODS}/nobody", b"{}", {"Content-Type": "application/merge-patch+json"}),
    ("OPTIONS", "/api/v1", b"", {}),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda r: f"{r[0]} {r[1]} {r[3]}")
def test_answers_are_the_same_bytes(sides: Sides, request_: Any) -> None:
    direct = sides.raw(*request_, guarded=False)
    assert sides.raw(*request_, guarded=True) == direct
    method, path, *_ = request_
    [note] = sides.noted(path)
    assert (note.method, note.status, note.refused) == (method, direct[0], "")


def test_logs_are_the_same_bytes(sides: Sides) -> None:
    [pod] = sides.cluster.list("v1", "Pod", NAMESPACE, "io.kompose.service=frontend")
    path = f"{PODS}/{pod['metadata']['name']}/log"
    direct = sides.raw("GET", path, b"", {}, guarded=False)
    assert direct[0] == 200
    assert sides.raw("GET", path, b"", {}, guarded=True) == direct


@pytest.mark.parametrize(
    "line",
    [
        "get pods -A -o wide",
        "get all -n hotel-reservation",
        "describe deployment frontend -n hotel-reservation",
        "get events -n hotel-reservation",
        "api-resources",
        "explain pod.spec.containers",
        "auth whoami",
        "exec -n hotel-reservation deploy/mongodb-rate -- cat /etc/hostname",
        "exec -n hotel-reservation deploy/mongodb-rate -- sh -c 'exit 3'",
        "get pods -n hotel-reservation -w --request-timeout=2s",
        "logs -n hotel-reservation deploy/frontend -f --request-timeout=2s",
        "get nothing",
    ],
)
def test_kubectl_prints_the_same(sides: Sides, line: str) -> None:
    words = line.split(" ") if "'" not in line else [*line.split("'")[0].split(), "exit 3"]
    assert timeless(sides.kubectl(*words)) == timeless(sides.kubectl(*words, guarded=False))
    assert sides.notes


def timeless(answer: tuple[int, str, str]) -> tuple[int, str, str]:
    """Without ages, which pass meanwhile, and which of kubectl's timers ended a request first."""
    code, out, err = answer
    return (
        code,
        re.sub(r" +", " ", re.sub(r"\b(\d+[dhms])+\b", "AGE", out)),
        re.sub(r"(context deadline exceeded|net/http: request canceled).*", "late", err),
    )


@pytest.fixture(params=["GET", "POST"], ids=["websockets", "SPDY"])
def upgrade(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    for streams in ("REMOTE_COMMAND", "PORT_FORWARD"):
        monkeypatch.setenv(f"KUBECTL_{streams}_WEBSOCKETS", str(request.param == "GET").lower())
    return request.param


def test_files_are_copied_through(sides: Sides, tmp_path: Path, upgrade: str) -> None:
    [pod] = sides.cluster.list("v1", "Pod", NAMESPACE, "io.kompose.service=mongodb-rate")
    place = f"{NAMESPACE}/{pod['metadata']['name']}:/tmp/copied"
    content = "0123456789abcdef\n" * 20_000
    (tmp_path / "there").write_text(content)
    assert sides.kubectl("cp", str(tmp_path / "there"), place)[0] == 0
    assert sides.kubectl("cp", place, str(tmp_path / "back"))[0] == 0
    assert (tmp_path / "back").read_text() == content
    assert (upgrade, 101) in {(note.method, note.status) for note in sides.notes}


@pytest.mark.usefixtures("upgrade")
def test_ports_are_forwarded_through(sides: Sides) -> None:
    config = f"--kubeconfig={sides.guard_config}"
    words = ["kubectl", config, "port-forward", "-n", NAMESPACE, "svc/frontend", ":5000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as forward:
        assert forward.stdout is not None
        try:
            port = int(forward.stdout.readline().split(":")[1].split()[0])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/")
            assert connection.getresponse().status == 200
            connection.close()
        finally:
            forward.terminate()


def test_who_has_no_token_is_nobody(sides: Sides) -> None:
    address = urlsplit(sides.guard)
    for path, headers in (
        ("/api", {}),
        ("/wrong/api", {}),
        ("/api", {"Authorization": "Bearer wrong"}),
    ):
        connection = http.client.HTTPConnection(address.netloc, timeout=30)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        said = json.loads(answer.read())
        assert (answer.status, said["reason"], said["code"]) == (401, "Unauthorized", 401)
        connection.close()
    sides.noted("/api", 2)
    # A watch of the test before may be noted late.
    tried = [(note.path, note.status, note.refused) for note in sides.notes if note.status == 401]
    assert tried == [(path, 401, "no token") for path in ("/api", "/wrong/api", "/api")]


def test_webhooks_may_not_call_the_machine_of_the_harness(sides: Sides) -> None:
    hook = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "x"},
        "webhooks": [{"name": "a.b.c", "clientConfig": {"url": "https://127.0.0.1:1/x"}}],
    }
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    code, _, body = sides.raw("POST", path, json.dumps(hook).encode(), JSON, guarded=True)
    message = (
        "webhooks may not call https://127.0.0.1:1/x: services of a webhook must run in the cluster"
    )
    assert (code, json.loads(body)["message"]) == (403, message)
    assert [(note.status, note.refused) for note in sides.noted(path)] == [(403, message)]


@pytest.fixture
def fault_plane(sides: Sides) -> Iterator[Sides]:
    """A namespace with a tool in it, a tool beside the application, and a type of its own."""
    manifests = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tools"}},
        _deployment("meddler", "tools"),
        _deployment("puppet", NAMESPACE),
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "troubles.example.org"},
            "spec": {
                "group": "example.org",
                "scope": "Namespaced",
                "names": {"plural": "troubles", "kind": "Trouble"},
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {"openAPIV3Schema": {"type": "object"}},
                    }
                ],
            },
        },
    ]
    for manifest in manifests:
        sides.cluster.create(manifest)
    # Until what the pods use has been measured twice.
    sides.cluster.clock.advance(90.0)
    refs = [ObjectRef.of(manifest) for manifest in (manifests[0], manifests[2], manifests[3])]
    sides.hidden.extend(refs)
    yield sides
    sides.hidden.clear()
    for ref in refs:
        sides.cluster.delete(ref)
    sides.cluster.clock.advance(60.0)


def _deployment(name: str, namespace: str) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": name, "image": "busybox:1.36", "command": ["sleep", "infinity"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


@pytest.mark.parametrize(
    "line",
    [
        "get pods -A",
        "get pods,replicasets,deployments -A -o name",
        "get pods -A -o json",
        "get namespaces",
        "get events -A",
        "get events -n hotel-reservation -o json",
        "api-resources",
        "get crd",
        "get pods -n tools",
        "get pods -n hotel-reservation -w --request-timeout=2s",
        "get pods -A -w -o name --request-timeout=2s",
        "get --raw /apis/metrics.k8s.io/v1beta1/pods?watch=true",
    ],
)
def test_the_fault_plane_is_nowhere(fault_plane: Sides, line: str) -> None:
    words = line.split()
    _, seen, _ = fault_plane.kubectl(*words)
    _, there, _ = fault_plane.kubectl(*words, guarded=False)
    for name in ("tools", "meddler", "puppet", "troubles", "example.org"):
        assert name not in seen
    hints = ("tools", "meddler", "puppet", "troubles")
    assert any(name in there for name in hints), "the look itself proves nothing"


def test_what_is_hidden_is_as_if_it_were_not_there(fault_plane: Sides) -> None:
    """The words are those of the API server for what does not exist."""
    pods = fault_plane.cluster.list("v1", "Pod", NAMESPACE, "app=puppet")
    assert pods
    for hidden, missing in (
        ("/api/v1/namespaces/tools", "/api/v1/namespaces/absent"),
        ("/apis/apps/v1/namespaces/hotel-reservation/deployments/puppet",) * 2,
        ("/apis/example.org", "/apis/example.net"),
        ("/apis/example.org/v1/namespaces/default/troubles", "/apis/example.net/v1/x"),
    ):
        other = missing.replace("puppet", "absent")
        said = fault_plane.raw("GET", hidden, b"", {}, guarded=True)
        absent = fault_plane.raw("GET", other, b"", {}, guarded=False)
        text = said[2].replace(b"tools", b"absent").replace(b"puppet", b"absent")
        assert (said[0], text) == (absent[0], absent[2])


def test_what_is_hidden_cannot_be_changed(fault_plane: Sides) -> None:
    before = fault_plane.cluster.list("apps/v1", "Deployment", "tools")
    for line in (
        "delete namespace tools",
        "delete deployment puppet -n hotel-reservation",
        "scale deployment meddler -n tools --replicas=0",
        "create configmap x -n tools",
        "delete crd troubles.example.org",
    ):
        code, _, said = fault_plane.kubectl(*line.split())
        assert (code, "not found" in said) == (1, True), said
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
    assert fault_plane.raw("DELETE", path, b"", {}, guarded=True)[0] == 403
    assert fault_plane.cluster.list("apps/v1", "Deployment", "tools") == before
    refused = [note for note in fault_plane.notes if note.refused]
    assert len(refused) >= 6
