"""What one hostile input costs: each is tried in a process of its own, made from one that is ready.

A trial says what was answered, how much processor time and memory that took, and whether the
cluster still answers afterwards.
"""

from __future__ import annotations

import os
import re
import resource
import select
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command

if TYPE_CHECKING:
    from collections.abc import Callable

# What is promised, and after how much more a trial is given up.
CPU_S, EXTRA_MIB, GIVEN_UP_S = 2.0, 300, 25.0
_SPREAD = re.compile(r"<<(.*?)\*(\d+)>>", re.DOTALL)
_PODS = {
    "busybox": ("busybox:1.36", "", "sleep 99999"),
    "debian": ("debian:12", "", "sleep 99999"),
    "alpine": ("alpine:3.18", "", "sleep 99999"),
    "limited": ("debian:12", "", "sleep 99999"),
    "pg": ("postgres:16", "POSTGRES_PASSWORD=x", ""),
    "mysql": ("mysql:8.0", "MYSQL_ROOT_PASSWORD=root", ""),
    "redis": ("redis:7.2", "", ""),
    "mongo": ("mongo:6.0", "", ""),
}
_CONSOLES = {
    "busybox": ("busybox", "sh", "-c"),
    "sh": ("debian", "sh", "-c"),
    "bash": ("debian", "bash", "-c"),
    "alpine": ("alpine", "sh", "-c"),
    "psql": ("pg", "psql", "-U", "postgres", "-c"),
    "mysql": ("mysql", "mysql", "-uroot", "-proot", "-e"),
    "redis": ("redis", "sh", "-c"),
    "mongosh": ("mongo", "mongosh", "--quiet", "--eval"),
}
_SERVICES = {
    "promql": ("prometheus", "/api/v1/query", "query"),
    "promql_range": ("prometheus", "/api/v1/query_range", "query"),
    "series": ("prometheus", "/api/v1/series", "match[]"),
    "logql": ("loki", "/loki/api/v1/query_range", "query"),
    "silences": ("alertmanager", "/api/v2/alerts", "filter"),
}
# Bodies that are created as they are, and where.
_BODIES = {
    "yaml_body": ("application/yaml", "POST", "/api/v1/namespaces/default/configmaps"),
    "json_body": ("application/json", "POST", "/api/v1/namespaces/default/configmaps"),
    "json_patch": ("application/json-patch+json", "PATCH", "/api/v1/namespaces/default/pods/debian"),
    "merge_patch": ("application/merge-patch+json", "PATCH", "/api/v1/namespaces/default/pods/debian"),
    "strategic_patch": (
        "application/strategic-merge-patch+json", "PATCH", "/api/v1/namespaces/default/pods/debian",
    ),
    "apply_patch": ("application/apply-patch+yaml", "PATCH", "/api/v1/namespaces/default/configmaps/a"),
    "crd": (
        "application/yaml", "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    ),
    "policy": (
        "application/yaml", "POST",
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    ),
}  # fmt: skip
FAMILIES = (*_CONSOLES, *_SERVICES, *_BODIES, "kubectl", "manifest", "get", "main")


def spread(text: str) -> str:
    """An input as it is sent: `<<x*3>>` stands for `xxx`."""
    while (found := _SPREAD.search(text)) is not None:
        text = text[: found.start()] + found[1] * int(found[2]) + text[found.end() :]
    return text


@dataclass(frozen=True)
class Trial:
    """What an input has cost.

    Attributes:
        cpu_s: Processor time, as of an idle machine: by what a piece of known work took meanwhile.
        extra_mib: Memory above that of the process it began in.
        answer: What was answered, shortened; empty when nothing was.
        alive: Whether the cluster answers afterwards.
        virtual_s: How much virtual time has passed.
    """

    cpu_s: float
    extra_mib: float
    answer: str
    alive: bool
    virtual_s: float

    @property
    def kept(self) -> bool:
        """Whether all that is promised was kept."""
        return self.alive and self.cpu_s <= CPU_S and self.extra_mib <= EXTRA_MIB


def known_work_s() -> float:
    """Processor time of a piece of work that is always the same."""
    begun = time.process_time()
    kept: dict[int, str] = {}
    for number in range(20_000):
        kept[number & 1023] = str(number)
    return time.process_time() - begun


class Ready:
    """A cluster with shells and databases in it, from which trials are made."""

    def __init__(self) -> None:
        self.idle_s = min(known_work_s() for _ in range(40))
        self.cluster = Embedded().provision(ClusterSpec())
        for name, (image, variable, command) in _PODS.items():
            words = [f"--image={image}", *([f"--env={variable}"] if variable else [])]
            if name == "limited":
                limits = '{"resources":{"limits":{"memory":"64Mi"}}'
                words.append(
                    '--overrides={"spec":{"containers":[{"name":"limited","image":"debian:12",'
                    f'"command":["sleep","99999"],{limits[1:]}}}]}}}}'
                )
            behind = ["--", *command.split()] if command and name != "limited" else []
            self._kubectl("run", name, *words, *behind)
        self.cluster.clock.advance(120)
        for words in (
            ("get", "pods"),
            ("exec", "debian", "--", "bash", "-c", "seq 3 | grep 2 | awk 1"),
        ):
            self._kubectl(*words)
        self._service("promql", "up")
        self._service("logql", '{namespace="default"}')

    def _kubectl(self, *words: str, stdin: str = "") -> str:
        done = self.cluster.kubectl(Command(("kubectl", *words), stdin))
        return f"{done.exit_code} {done.stdout}{done.stderr}"

    def _service(self, family: str, text: str) -> str:
        service, path, name = _SERVICES[family]
        query = [(name, text)]
        if family == "promql_range":
            query += [("start", "1795000000"), ("end", "1795003600"), ("step", "1")]
        said = self.cluster.observe(service, path, query)
        return f"{said.status} {said.body.decode(errors='replace')}"

    def _body(self, family: str, text: str) -> str:
        from sregym_cluster_embedded.api.request import Request
        from sregym_cluster_embedded.api.server import handle

        kind, method, path = _BODIES[family]
        query = (("fieldManager", "me"),) if family == "apply_patch" else ()
        request = Request(method, path, query, body=text.encode(), headers={"content-type": kind})
        with self.cluster.live.open() as world:
            answer: Any = handle(world, request)
        return f"{answer.status} {answer.body.decode(errors='replace')}"

    def send(self, family: str, text: str) -> str:
        """What an input is answered with."""
        if family in _CONSOLES:
            pod, *words = _CONSOLES[family]
            return self._kubectl("exec", pod, "--", *words, text)
        if family in _SERVICES:
            return self._service(family, text)
        if family in _BODIES:
            return self._body(family, text)
        if family == "manifest":
            return self._kubectl("apply", "-f", "-", stdin=text)
        if family == "get":
            from sregym_cluster_embedded.api.request import Request
            from sregym_cluster_embedded.api.server import handle

            with self.cluster.live.open() as world:
                path, _, query = text.partition("?")
                pairs = tuple(tuple(part.split("=", 1)) for part in query.split("&") if "=" in part)
                answer: Any = handle(world, Request("GET", path, pairs))  # type: ignore[arg-type]
            return f"{answer.status} {answer.body.decode(errors='replace')}"
        if family == "main":
            self._kubectl("run", "hostile", "--image=debian:12", "--", "bash", "-c", text)
            self.cluster.clock.advance(130)
            return self._kubectl("logs", "hostile")
        return (
            self._kubectl(*orjson.loads(text)) if text[:1] == "[" else self._kubectl(*text.split())
        )

    def trial(self, family: str, text: str) -> Trial:
        """Try one input in a process of its own."""
        return forked(lambda: self._try(family, text), self.idle_s)

    def _try(self, family: str, text: str) -> dict[str, Any]:
        before = self.cluster.clock.now()
        answer = self.send(family, spread(text))
        virtual_s = self.cluster.clock.now() - before
        alive = self._kubectl("get", "pods", "debian", "-o", "name") == "0 pod/debian\n"
        return {"answer": answer[:300] or " ", "alive": alive, "virtual_s": virtual_s}


def forked(work: Callable[[], dict[str, Any]], idle_s: float) -> Trial:
    """Do work in a child process; it is given up when it takes far too long.

    Args:
        work: What to do.
        idle_s: What `known_work_s` takes while nothing else runs.
    """
    reading, writing = os.pipe()
    held_kib = _resident_kib()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _bounded()
        around_s = [known_work_s() for _ in range(3)]
        said: dict[str, Any] = {}
        # In a thread: how deep the caller's stack is changes what calls cost.
        thread = threading.Thread(target=lambda: said.update(_done(work)))
        thread.start()
        thread.join()
        around_s += [known_work_s() for _ in range(3)]
        said["slower"] = max(1.0, sum(around_s) / len(around_s) / idle_s)
        try:
            os.write(writing, orjson.dumps(said))
        finally:
            os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], GIVEN_UP_S * 4)
    if not ready:
        os.kill(child, signal.SIGKILL)
    told = os.read(reading, 1 << 16)
    os.close(reading)
    _, _, used = os.wait4(child, 0)
    said = orjson.loads(told) if told else {"answer": "", "alive": False, "virtual_s": 0.0}
    slower = said.pop("slower", 1.0)
    extra = max(0.0, (used.ru_maxrss - held_kib) / 1024)
    return Trial((used.ru_utime + used.ru_stime) / slower - 6 * idle_s, extra, **said)


def _done(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return work()
    except BaseException as error:
        answer = f"{type(error).__name__}: {error}"[:300]
        return {"answer": answer, "alive": False, "virtual_s": 0.0}


def _bounded() -> None:
    """A child that takes far too much is ended by the kernel."""
    limit = int(GIVEN_UP_S)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()  # noqa: SIM115, PTH123
    most = held + (2 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _resident_kib() -> int:
    with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1])


def seconds(since: float) -> float:
    """Seconds of the wall clock since a moment of `time.monotonic`."""
    return time.monotonic() - since
