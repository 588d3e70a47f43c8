"""What the twin needs of a cluster, and how it gets it from a world without any socket."""

from __future__ import annotations

import bisect
from copy import copy
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from sregym_cluster_embedded.api.policing import policed
from sregym_cluster_embedded.api.request import Connect, Request, Response, User, Watch
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.kubectl.containers import (
    ContainerNotRunningError,
    run_in_container,
)
from sregym_cluster_embedded.kubectl.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import ModuleType

    from sregym_core.policy import Policy

    from sregym_cluster_embedded.kubectl.attachment import Attached, Followed
    from sregym_cluster_embedded.kubelet.runtime import ExecResult
    from sregym_cluster_embedded.world import World


class Access(Protocol):
    """A cluster as the twin sees it.

    Attributes:
        memory: Kept between commands, as the binary keeps its cache of discovery on disk.
        user: Who asks.
        kubeconfig: Gives the kubeconfig of who asks; None when there is none.
    """

    memory: dict[str, Any]
    user: User
    kubeconfig: Callable[[], Path] | None

    def seen_by(self, user: User) -> Access:
        """The same cluster, used as another user."""

    def request(self, request: Request) -> Response:
        """Answer a request that ends."""

    def watch(self, request: Request, timeout_s: float | None) -> Iterator[dict[str, Any]]:
        """The events of a watch, moving time while there is none; ends after `timeout_s`."""

    def stream(self, request: Request) -> Iterator[bytes]:
        """What a watch answers, piece by piece, until the server ends it.

        Raises:
            ServerError: The API answered with a failure.
        """

    def exec(
        self, namespace: str, pod: str, container: str, command: tuple[str, ...], stdin: str
    ) -> ExecResult:
        """Run a command in a running container, and let the time pass that it takes.

        Raises:
            ContainerNotRunningError: There is no process to join.
        """

    def attach(
        self, namespace: str, pod: str, container: str, stdin: str | None, limit_s: float
    ) -> Attached:
        """Join the main process of a container until it ends, with its complete input.

        Raises:
            ContainerNotRunningError: There is no process to join.
        """

    def follow(
        self, namespace: str, pod: str, container: str, options: Mapping[str, str], limit_s: float
    ) -> Followed:
        """The log of a container until its life ends, or until the limit."""

    def ahead(self) -> Access:
        """The cluster as it would go on: whatever is done there has not happened here."""

    def unix_now(self) -> float:
        """The present moment, in seconds since 1970."""


class DirectAccess:
    """Access to a bare world in stepped time.

    Args:
        world: The cluster; the caller sees to it that no other code uses it meanwhile.
        user: Who asks.
        request_cost_s: Virtual seconds that each request takes.
        policy: What holds for who asks; None for nothing but the user's rights.
        kubeconfig: Gives the kubeconfig by which others than the twin reach the cluster.
    """

    def __init__(
        self,
        world: World,
        user: User | None = None,
        request_cost_s: float = 0.0,
        policy: Policy | None = None,
        kubeconfig: Callable[[], Path] | None = None,
    ) -> None:
        self.world = world
        self.kubeconfig = kubeconfig
        self._policy = policy
        self.user = user or User()
        self.memory: dict[str, Any] = {}
        self._request_cost_s = request_cost_s

    def seen_by(self, user: User) -> DirectAccess:
        """The same cluster, used as another user."""
        other = copy(self)
        other.user = user
        return other

    def request(self, request: Request) -> Response:
        """Answer a request that ends."""
        if self._request_cost_s:
            self.world.run_until(self.world.now + self._request_cost_s)
        answer = self._answer(request)
        # Where paths may be given, those of streams are refused.
        assert isinstance(answer, Response)
        self._let_pass(answer.took_s)
        return answer

    def _let_pass(self, seconds: float) -> None:
        """Let the time of an answer pass."""
        if seconds:
            self.world.run_until(self.world.now + seconds)

    def watch(self, request: Request, timeout_s: float | None) -> Iterator[dict[str, Any]]:
        """The events of a watch, moving time while there is none; ends after `timeout_s`.

        Without a timeout it ends when nothing more will ever happen.
        """
        answer = self._answer(request)
        assert not isinstance(answer, Connect)
        if isinstance(answer, Response):
            found = orjson.loads(answer.body)
            yield found if "type" in found else {"type": "ERROR", "object": found}
            return
        for line in self._lines(answer, timeout_s):
            yield orjson.loads(line)

    def stream(self, request: Request) -> Iterator[bytes]:
        """What a watch answers, piece by piece, until the server ends it."""
        answer = self._answer(request)
        if isinstance(answer, Watch):
            yield from self._lines(answer, answer.timeout_s)
        elif isinstance(answer, Response):
            if answer.status >= HTTPStatus.BAD_REQUEST:
                raise ServerError(orjson.loads(answer.body))
            yield answer.body

    def _lines(self, watch: Watch, timeout_s: float | None) -> Iterator[bytes]:
        for chunk in watch.initial:
            yield from _events(chunk)
        yield from self._changes(watch, timeout_s)

    def _changes(self, watch: Watch, timeout_s: float | None) -> Iterator[bytes]:
        world = self.world
        deadline = None if timeout_s is None else world.now + timeout_s
        position = watch.since
        while True:
            history = world.store.history
            fresh = history[bisect.bisect_right(history, position, key=lambda c: c.revision) :]
            position = world.store.revision
            for change in fresh:
                event = watch.render(change)
                if event is not None:
                    yield from _events(event)
            if world.store.revision != position:
                continue
            upcoming = world.clock.next_at()
            if upcoming is None or (deadline is not None and upcoming > deadline):
                if deadline is not None:
                    world.run_until(deadline)
                return
            world.step()

    def exec(
        self, namespace: str, pod: str, container: str, command: tuple[str, ...], stdin: str
    ) -> ExecResult:
        """Run a command in a running container.

        Raises:
            ContainerNotRunningError: There is no process to join.
            ServerError: It is forbidden.
        """
        query = (("container", container), *(("command", word) for word in command))
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/exec"
        refused = self._answer(Request("GET", path, query, user=self.user))
        if isinstance(refused, Response):
            status = orjson.loads(refused.body)
            if refused.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
                raise ServerError(status)
            raise ContainerNotRunningError(status["message"])
        result = run_in_container(self.world, namespace, pod, container, command, stdin)
        grows = result.grows
        if result.duration_s and (grows is None or grows.ends):
            self.world.run_until(self.world.now + result.duration_s)
        if grows is not None and grows.ends:
            result = replace(result, stdout=grows.written(self.world) or result.stdout)
        return result

    def attach(
        self, namespace: str, pod: str, container: str, stdin: str | None, limit_s: float
    ) -> Attached:
        """Join the main process of a container until it ends, with its complete input.

        Raises:
            ContainerNotRunningError: There is no process to join.
            ContainerExitedError: It has ended.
            ServerError: It is forbidden.
        """
        query = (("container", container), ("stdin", "false" if stdin is None else "true"))
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/attach"
        refused = self._answer(Request("GET", path, query, user=self.user))
        if isinstance(refused, Response):
            raise ServerError(orjson.loads(refused.body))
        found: Attached = _attachment().attach(
            self.world, namespace, pod, container, stdin, limit_s
        )
        return found

    def follow(
        self, namespace: str, pod: str, container: str, options: Mapping[str, str], limit_s: float
    ) -> Followed:
        """The log of a container until its life ends, or until the limit.

        Raises:
            ServerError: There is none to be read.
        """
        query = (("container", container), ("follow", "true"), *options.items())
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/log"
        answer = self._answer(Request("GET", path, query, user=self.user))
        if isinstance(answer, Response):
            raise ServerError(orjson.loads(answer.body))
        assert isinstance(answer, Connect)
        found: Followed = _attachment().followed(
            self.world, namespace, pod, answer.container, answer.options, limit_s
        )
        return found

    def ahead(self) -> DirectAccess:
        """The cluster as it would go on: whatever is done there has not happened here."""
        other = copy(self)
        other.world = self.world.fork()
        return other

    def _answer(self, request: Request) -> Response | Watch | Connect:
        if self._policy is None:
            return handle(self.world, request)
        return policed(self._policy, request, partial(handle, self.world))

    def unix_now(self) -> float:
        """The present virtual moment, in seconds since 1970."""
        return self.world.epoch + self.world.now


def _attachment() -> ModuleType:
    """What needs the container runtime, which few commands do."""
    return import_module("sregym_cluster_embedded.kubectl.attachment")


def _events(chunk: bytes) -> Iterator[bytes]:
    for line in chunk.splitlines(keepends=True):
        if line.strip():
            yield line
