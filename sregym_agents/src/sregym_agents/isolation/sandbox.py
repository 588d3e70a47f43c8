"""What stands between an agent's command and this machine: nothing, bubblewrap, or a container."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sregym_core.errors import UsageError
from sregym_kubernetes.scratch import ScratchFolder

from sregym_agents.isolation.bubblewrap import SESSION, WORK, Bubblewrap
from sregym_agents.isolation.containers import IMAGE, RUNTIMES, Containers
from sregym_agents.isolation.limits import OPTIONS as LIMITS
from sregym_agents.isolation.limits import USUAL, Limits, limits_of
from sregym_agents.isolation.relay import Relays, routes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sregym_core.interfaces import Access

    from sregym_agents.gateway import Gateway
    from sregym_agents.isolation.relay import Route

KINDS = ("none", "bubblewrap", *RUNTIMES)
# The options of an agent that `walls_of` reads.
OPTIONS = ("isolation", "share", "reach", "pass_env", "image", *LIMITS)
# What a program without the user's variables still needs to run on the user's machine.
_OF_THE_MACHINE = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
)


# What the client of a container runtime reads itself.
_OF_THE_CLIENT = (
    *("PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"),
    *("DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "CONTAINER_HOST"),
)


@dataclass(frozen=True)
class Start:
    """How to start a command."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    limits: Limits = USUAL


Starter: TypeAlias = "Callable[[Sequence[str], Mapping[str, str]], Start]"


@dataclass(frozen=True)
class Place:
    """Where commands run while walls stand.

    Attributes:
        work: The commands' own folder as the harness sees it.
        inside: The same folder as they see it.
        pointing: Variables that lead to the session.
        start: How to start a command here, given its words and its variables besides those that
            every command here has.
    """

    work: Path
    inside: Path
    pointing: Mapping[str, str]
    start: Callable[[Sequence[str], Mapping[str, str]], Start]


class Sandbox(ABC):
    """One kind of isolation."""

    @abstractmethod
    def around(self, access: Access, gateway: Gateway) -> AbstractContextManager[Place]:
        """Put them up for a session."""


@dataclass(frozen=True)
class NoSandbox(Sandbox):
    """Commands run as the user that runs the harness, without the harness's variables.

    Attributes:
        variables: Names of the user's variables that they get; None for all.
        limits: What they may use.
    """

    variables: tuple[str, ...] | None = None
    limits: Limits = USUAL

    @contextmanager
    def around(self, access: Access, gateway: Gateway) -> Iterator[Place]:
        """The session's folder is theirs."""

        def start(argv: Sequence[str], told: Mapping[str, str]) -> Start:
            inherited = {
                name: value for name, value in os.environ.items() if not name.startswith("SREGYM_")
            }
            if self.variables is not None:
                inherited = {n: value for n, value in inherited.items() if n in self.variables}
            return Start(tuple(argv), {**inherited, **told}, access.folder, self.limits)

        pointing = {"KUBECONFIG": str(access.kubeconfig), "SREGYM_EPISODE": str(access.folder)}
        yield Place(access.folder, access.folder, pointing, start)


@dataclass(frozen=True)
class Enclosure(Sandbox):
    """Commands see a system, their own folder and the session.

    Attributes:
        share: Further places that they may read.
        reach: `HOST:PORT` of what they may reach besides the session.
        variables: Names of variables that they get from outside, keys of providers for instance.
        limits: What they may use.
    """

    share: tuple[Path, ...] = ()
    reach: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    limits: Limits = USUAL

    @contextmanager
    def around(self, access: Access, gateway: Gateway) -> Iterator[Place]:
        """Make the ways out, then the walls."""
        endpoints = {**access.endpoints, **gateway.endpoints}
        routes = routes_of(endpoints.values(), self.reach)
        files = {"kubeconfig": access.kubeconfig, "session.json": access.folder / "session.json"}
        pointing = {
            "KUBECONFIG": f"{SESSION}/kubeconfig",
            "SREGYM_EPISODE": SESSION,
            "SREGYM_GATEWAY": gateway.url,
            "SREGYM_TOKEN": gateway.token,
        }
        with ScratchFolder("agent-") as folder:
            scratch = Path(folder)
            sockets, work = scratch / "sockets", scratch / "work"
            sockets.mkdir()
            work.mkdir()
            kept = {name: os.environ[name] for name in self.variables if name in os.environ}
            with Relays(routes, sockets), self._put_up(scratch, work, routes, files) as starter:

                def start(argv: Sequence[str], told: Mapping[str, str]) -> Start:
                    return starter(argv, {**kept, **told})

                yield Place(work, Path(WORK), pointing, start)

    @abstractmethod
    def _put_up(
        self, scratch: Path, work: Path, routes: Sequence[Route], files: Mapping[str, Path]
    ) -> AbstractContextManager[Starter]:
        """Make the walls; gives what starts a command behind them."""


@dataclass(frozen=True)
class BubblewrapWalls(Enclosure):
    """The system is this machine's own."""

    @contextmanager
    def _put_up(
        self, scratch: Path, work: Path, routes: Sequence[Route], files: Mapping[str, Path]
    ) -> Iterator[Starter]:
        walls = Bubblewrap(scratch, work, self.share)

        def start(argv: Sequence[str], variables: Mapping[str, str]) -> Start:
            command = walls.command(argv, routes, files)
            return Start(tuple(command), walls.environment(variables), work, self.limits)

        yield start


@dataclass(frozen=True)
class ContainerWalls(Enclosure):
    """The system is that of an image.

    Attributes:
        runtime: `docker` or `podman`.
        image: What commands find; it must have a `python3`.
    """

    runtime: str = RUNTIMES[0]
    image: str = IMAGE

    @contextmanager
    def _put_up(
        self, scratch: Path, work: Path, routes: Sequence[Route], files: Mapping[str, Path]
    ) -> Iterator[Starter]:
        containers = Containers(self.runtime, self.image, scratch, work, self.share, self.limits)

        def start(argv: Sequence[str], variables: Mapping[str, str]) -> Start:
            inside = containers.environment(variables)
            command = containers.command(argv, routes, files, inside)
            # The client hands on what it has; its own places must not be the container's.
            own = {name: os.environ[name] for name in _OF_THE_CLIENT if name in os.environ}
            return Start(tuple(command), {**inside, **own}, work, self.limits)

        try:
            yield start
        finally:
            containers.end()


@dataclass(frozen=True)
class Needs:
    """What an adapter's command needs by itself, besides what the user names.

    Attributes:
        share: Places that it reads: its own program.
        reach: `HOST:PORT` of its provider.
        variables: The only variables of the user's that it gets, besides what every program on
            the machine needs; None for all of them without walls, and for none behind walls.
    """

    share: tuple[Path, ...] = ()
    reach: tuple[str, ...] = ()
    variables: tuple[str, ...] | None = None


def walls_of(agent: str, options: Mapping[str, str], needs: Needs | None = None) -> Sandbox:
    """The isolation that the user requested.

    Args:
        agent: Its name, for messages.
        options: Of the agent; those of `OPTIONS` are read.
        needs: What the command needs in any case.

    Raises:
        UsageError: There is no such kind, or an option is of no use.
    """
    needs = needs or Needs()
    kind = options.get("isolation", "none")
    passed = _words(options, "pass_env", ",")
    limits = limits_of(agent, options)
    if kind == "none":
        own = needs.variables
        return NoSandbox(None if own is None else (*_OF_THE_MACHINE, *own, *passed), limits)
    if kind not in KINDS:
        msg = f"agent {agent!r}, option 'isolation': {kind!r} is not one of {', '.join(KINDS)}"
        raise UsageError(msg)
    reach = _words(options, "reach", ",")
    for place in reach:
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal():
            msg = f"agent {agent!r}, option 'reach': {place!r} is not of the form HOST:PORT"
            raise UsageError(msg)
    share = tuple(Path(place).absolute() for place in _words(options, "share", ":"))
    for path in share:
        if not path.exists():
            msg = f"agent {agent!r}, option 'share': {str(path)!r} does not exist"
            raise UsageError(msg)
    shared, reached = (*needs.share, *share), (*needs.reach, *reach)
    variables = (*(needs.variables or ()), *passed)
    if kind in RUNTIMES:
        image = options.get("image") or IMAGE
        return ContainerWalls(shared, reached, variables, limits, kind, image)
    return BubblewrapWalls(shared, reached, variables, limits)


def _words(options: Mapping[str, str], name: str, separator: str) -> tuple[str, ...]:
    return tuple(word for word in options.get(name, "").split(separator) if word)
