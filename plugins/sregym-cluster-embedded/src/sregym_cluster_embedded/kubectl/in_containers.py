"""`kubectl` as a command of images: it asks the API as the pod's ServiceAccount does.

It finds the cluster as the binary does in a pod: the address in its variables, the token that is
mounted. What the network and RBAC refuse, they refuse here.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, cast

import orjson
from sregym_regex.budget import spend

from sregym_cluster_embedded.api.access.authentication import NOBODY
from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubectl.access import DirectAccess
from sregym_cluster_embedded.kubectl.command import run
from sregym_cluster_embedded.kubectl.container_files import ContainerPath
from sregym_cluster_embedded.kubectl.containers import run_in_container
from sregym_cluster_embedded.kubectl.errors import NotCovered, ServerError
from sregym_cluster_embedded.userland.shell.session import Output
from sregym_cluster_embedded.userland.shell.sockets import connect, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.kubectl.session import CommandResult
    from sregym_cluster_embedded.kubelet.runtime import ExecResult
    from sregym_cluster_embedded.userland.shell.session import Session
    from sregym_cluster_embedded.world import World

_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
# What one command takes: of its caller's budget, and of time.
_STEPS = 3_000
_TAKES_S, _COMPUTES_S = 0.12, 0.06
# How long client-go tries to connect.
_DIAL_S = 30.0
# A world in which somebody looks ahead: whoever waits there looks no further.
_AHEAD: TableKey[bool, bool] = TableKey("kubectl.ahead")
_NOT_FOUND_HERE = (
    'E{stamp} {pid:7} memcache.go:265] "Unhandled Error" err="couldn\'t get current server API group '
    'list: Get \\"http://localhost:8080/api?timeout=32s\\": dial tcp [::1]:8080: connect: connection '
    'refused"\n'
)
_ASKED = 5
# Flags that say which cluster, and as whom: in a pod, its own and its own account.
_ELSEWHERE = frozenset(("-s", "--server", "--kubeconfig", "--context", "--cluster", "--user"))
_MODES = ("--watch", "-w", "--watch-only")


class _WouldWait(Exception):
    """The command waits for something that has not come yet."""


class ContainerAccess(DirectAccess):
    """The API as a process in a container sees it, at one moment: no time passes meanwhile.

    Args:
        session: Where the process runs.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session.world, NOBODY)
        self._session = session

    def watch(self, request: Request, timeout_s: float | None) -> Iterator[dict[str, Any]]:
        """The present state; raises when more than that is waited for."""
        answer = self._answer(request)
        if isinstance(answer, Response):
            found = orjson.loads(answer.body)
            yield found if "type" in found else {"type": "ERROR", "object": found}
            return
        for chunk in getattr(answer, "initial", ()):
            for line in chunk.splitlines():
                if line.strip():
                    yield orjson.loads(line)
        if timeout_s is None or timeout_s > 0:
            raise _WouldWait

    def stream(self, request: Request) -> Iterator[bytes]:
        """What a request answers that ends; a watch by its path does not."""
        answer = self._answer(request)
        if not isinstance(answer, Response):
            raise NotCovered("a stream")
        if answer.status >= 400:
            raise ServerError(orjson.loads(answer.body))
        yield answer.body

    def exec(
        self, namespace: str, pod: str, container: str, command: tuple[str, ...], stdin: str
    ) -> ExecResult:
        """Run a command in a container; the time that it takes is the caller's."""
        self._check(namespace, pod, "exec")
        result = run_in_container(self.world, namespace, pod, container, command, stdin)
        self._session.slept_s += result.duration_s
        return result

    def attach(self, *_: Any, **__: Any) -> Any:
        """Refuse to join a process that goes on."""
        raise NotCovered("attach")

    def follow(self, *_: Any, **__: Any) -> Any:
        """Refuse to follow a log without an end."""
        raise NotCovered("logs that are followed")

    def _let_pass(self, seconds: float) -> None:
        """The time of an answer is the caller's."""
        self._session.slept_s += seconds

    def _check(self, namespace: str, pod: str, what: str) -> None:
        """Ask the API whether the account may.

        Raises:
            ServerError: It may not.
        """
        from sregym_cluster_embedded.api.request import Request

        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/{what}"
        query = (("command", "true"), ("stdout", "true"))
        answer = self._answer(Request("GET", path, query, _credentials(self._session), user=NOBODY))
        if isinstance(answer, Response):
            raise ServerError(orjson.loads(answer.body))

    def _answer(self, request: Request) -> Any:
        from dataclasses import replace

        headers = {**request.headers, **_credentials(self._session)}
        return super()._answer(replace(request, headers=headers, user=NOBODY))


def kubectl(session: Session, words: list[str], stdin: str) -> Output:
    """Run `kubectl WORDS` in a container."""
    spend(_STEPS)
    session.slept_s += _TAKES_S
    session.computed_s += _COMPUTES_S
    rest = words[1:]
    if any(word.partition("=")[0] in _ELSEWHERE for word in _own_words(rest)):
        return Output(1, "", "error: no configuration of another cluster has been provided\n")
    if _local(rest):
        return _done(session, rest, stdin)
    if not (session.files.read(f"{_ACCOUNT}/token") or "").strip():
        return _without_cluster(session)
    if refused := _unreachable(session):
        return Output(1, "", refused)
    if "delete" in rest[:3]:
        # What is deleted goes by itself; no later step depends on the moment.
        rest = [*rest, "--wait=false"]
    return _done(session, rest, stdin)


def _own_words(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words


def _local(words: list[str]) -> bool:
    """Whether a command asks no server."""
    return (words[:1] == ["version"] and "--client" in words) or words[:1] in (["kustomize"], [])


def _done(session: Session, words: list[str], stdin: str) -> Output:
    place = cast("Path", ContainerPath(session.files, PurePosixPath(session.working_dir)))
    namespace = (session.files.read(f"{_ACCOUNT}/namespace") or "default").strip()
    try:
        try:
            return _output(run(ContainerAccess(session), words, stdin, place, namespace))
        except _WouldWait:
            return _waited(session, words, stdin, place, namespace)
    except NotCovered as error:
        return Output(1, "", f"error: not supported by this build of kubectl: {error}\n")


def _waited(session: Session, words: list[str], stdin: str, place: Path, namespace: str) -> Output:
    """A command that waits: how the cluster goes on by itself says what it will see, and when."""
    world = session.world
    if world.table(_AHEAD).get(True):
        session.slept_s += 1.0
        return Output(1, "", "error: timed out waiting for the condition\n")
    ahead = world.fork()
    ahead.table(_AHEAD)[True] = True
    access = _Ahead(ahead, _credentials(session))
    found = _output(run(access, words, stdin, place, namespace))
    session.slept_s += ahead.now - world.now
    return found


class _Ahead(DirectAccess):
    """The cluster as it goes on, asked with the credentials of a pod."""

    def __init__(self, world: World, credentials: dict[str, str]) -> None:
        super().__init__(world, NOBODY)
        self._credentials = credentials

    def _answer(self, request: Request) -> Any:
        from dataclasses import replace

        if request.method not in ("GET", "HEAD"):
            raise NotCovered("a change that waits for something")
        headers = {**request.headers, **self._credentials}
        return super()._answer(replace(request, headers=headers, user=NOBODY))


def _output(result: CommandResult) -> Output:
    return Output(result.exit_code, result.stdout, result.stderr)


def _credentials(session: Session) -> dict[str, str]:
    token = (session.files.read(f"{_ACCOUNT}/token") or "").strip()
    return {"authorization": f"Bearer {token}"}


def _server(session: Session) -> tuple[str, int]:
    host = session.environment.get("KUBERNETES_SERVICE_HOST", "")
    port = session.environment.get("KUBERNETES_SERVICE_PORT", "443")
    return host, int(port) if port.isdecimal() else 443


def _unreachable(session: Session) -> str:
    """Why the API cannot be reached from here; empty when it can."""
    host, port = _server(session)
    if not host:
        return _without_cluster(session).err
    found = connect(session, host, port, "http", f"https://{host}:{port}")
    if found.kind in ("", "protocol"):
        return ""
    place = f"{host}:{port}"
    if found.kind == "refused":
        return (
            f"The connection to the server {place} was refused - "
            "did you specify the right host or port?\n"
        )
    if found.kind == "timeout":
        wait_for(session, _DIAL_S)
        return f"Unable to connect to the server: dial tcp {place}: i/o timeout\n"
    return f"Unable to connect to the server: dial tcp {place}: connect: no route to host\n"


def _without_cluster(session: Session) -> Output:
    """What the binary says when it knows of no cluster."""
    stamp = session.world.timestamp()
    shown = f"{stamp[5:7]}{stamp[8:10]} {stamp[11:19]}.000000"
    said = _NOT_FOUND_HERE.format(stamp=shown, pid=session.pid) * _ASKED
    refused = "The connection to the server localhost:8080 was refused"
    return Output(1, "", f"{said}{refused} - did you specify the right host or port?\n")
