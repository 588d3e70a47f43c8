"""What containers ask of higher layers, what they offer, and under which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sregym_cluster_embedded.keys import ServiceKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_apps.simulation import Installed

    from sregym_cluster_embedded.api.request import Response
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef, LogLine
    from sregym_cluster_embedded.userland.command_counts import Counted, Scheduled
    from sregym_cluster_embedded.userland.formats import LogFormats
    from sregym_cluster_embedded.userland.interaction import Interaction
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


class Telemetry(Protocol):
    """What of the past is kept about containers."""

    def lines(
        self,
        world: World,
        process: Process,
        tail_lines: int | None = None,
        since: float | None = None,
    ) -> list[LogLine]:
        """The lines of one start of a container, oldest first; at least the last `tail_lines`."""

    def counted(self, world: World, ref: ContainerRef) -> Counted:
        """What a server has been asked for."""

    def commands(self, world: World, ref: ContainerRef) -> dict[str, int]:
        """How often a server has been asked for each command."""

    def held(self, world: World, ref: ContainerRef, least: int) -> Counted:
        """How many connections it has, and whose where that are at least so many."""

    def scheduled(self, world: World, ref: ContainerRef) -> Scheduled:
        """How a container has been scheduled."""

    def forget(self, world: World, ref: ContainerRef) -> None:
        """A container is removed."""


class Querying(Protocol):
    """What programs of observability answer."""

    def metrics(self, world: World, url: str) -> str | None:
        """The text of a target of scrapes; None when there is none at an address."""

    def traces(self, world: World, process: Process, method: str, path: str) -> Response | None:
        """What a collector of traces answers; None when the process is none that runs."""


class GroupView(Protocol):
    """A topic as a consumer group sees it."""

    @property
    def group(self) -> str:
        """The group."""

    @property
    def topic(self) -> str:
        """The topic."""

    @property
    def ends(self) -> tuple[int, ...]:
        """Offset at the end of each partition."""

    @property
    def lags(self) -> tuple[int, ...]:
        """Records of each partition that the group has not taken yet."""

    @property
    def ahead(self) -> tuple[float, ...]:
        """Records of each that come before the next one that cannot be read; infinite without one."""

    @property
    def members(self) -> tuple[tuple[str, str, str], ...]:
        """(id, host, client id) of the members, in the order in which partitions are given."""


class Duration(Protocol):
    """How long something takes."""

    @property
    def mean_ms(self) -> float:
        """On average."""


class Call(Protocol):
    """Calls that a process makes through one of its clients."""

    @property
    def client(self) -> str:
        """Name of the client."""

    @property
    def callee(self) -> ContainerRef | None:
        """The process that is reached; None where the way ends before one."""

    @property
    def rate(self) -> float:
        """Calls a second."""

    @property
    def ok(self) -> float:
        """Fraction of attempts that succeed."""

    @property
    def time(self) -> Duration:
        """Of attempts that succeed."""

    @property
    def failed_time(self) -> Duration:
        """Of attempts that fail."""


class ServedFlow(Protocol):
    """Requests that a process serves, with what it calls for them."""

    @property
    def calls(self) -> Sequence[Call]:
        """The calls."""


class ServedSegment(Protocol):
    """What a process serves while nothing changes."""

    @property
    def flows(self) -> Sequence[ServedFlow]:
        """The requests, by operation."""


class RequestFlow(Protocol):
    """Who derives what requests meet."""

    def changed(self, world: World) -> None:
        """Something that requests depend on has changed."""

    def request(self, world: World, ref: ContainerRef, operation: str) -> str:
        """One request by hand, now; the error that it ends with, empty when it succeeds."""

    def answered(self, world: World, ref: ContainerRef, operation: str) -> tuple[str, int]:
        """The same with the HTTP status that is answered to the error; 0 for the usual one."""

    def failed(
        self, world: World, ref: ContainerRef, operation: str, since: float
    ) -> tuple[float, str]:
        """Which share of what a process did since a moment failed, and the error of most of it."""

    def groups(self, world: World, storage: str) -> Sequence[GroupView]:
        """The consumer groups of one broker, by the identity of its storage."""

    def served(self, world: World, ref: ContainerRef) -> Sequence[ServedSegment]:
        """What a process served, oldest first."""


REQUEST_FLOW: ServiceKey[RequestFlow] = ServiceKey("traffic")
RUNTIME: ServiceKey[Runtime] = ServiceKey("runtime")
INTERACTION: ServiceKey[Interaction] = ServiceKey("interaction")
LOG_FORMATS: ServiceKey[LogFormats] = ServiceKey("log_formats")
EXTENSIONS: ServiceKey[Installed] = ServiceKey("extensions")
TELEMETRY: ServiceKey[Telemetry] = ServiceKey("telemetry")
QUERYING: ServiceKey[Querying] = ServiceKey("querying")
