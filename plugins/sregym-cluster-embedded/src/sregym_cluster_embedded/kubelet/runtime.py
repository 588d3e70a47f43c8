"""What the kubelet asks of a container runtime; the layers above provide it.

The kubelet knows pods; it does not know what runs in them. The layer `userland` implements
`ContainerRuntime` and is found by `world.service(RUNTIME)`. When a process ends by itself, the
runtime calls `world.service(KUBELET).container_exited(world, container, ExitState)`.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from sregym_cluster_embedded.machines import HOST

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World


class ContainerRef(NamedTuple):
    """One container of one pod, in one of its lives.

    Attributes:
        namespace: The pod's namespace.
        pod: The pod's name.
        pod_uid: The pod's uid: a pod created again under one name is another pod.
        name: The container's name; unique in a pod over init, ordinary and ephemeral containers.
        attempt: 0 for the first start, one more with each restart.
    """

    namespace: str
    pod: str
    pod_uid: str
    name: str
    attempt: int

    def __str__(self) -> str:
        """What chance hangs on: not the uid, which depends on the world's salt too."""
        return f"{self.namespace}/{self.pod}/{self.name}/{self.attempt}"


def host_ref(node: str) -> ContainerRef:
    """What runs on a node beside its containers, in the form in which those are named."""
    return ContainerRef("", node, f"{HOST}{node}", "", 0)


def folder_of_host(volume: str) -> tuple[str, str] | None:
    """Node and path of a volume that is a folder of its node (`Mount.volume`); None for others."""
    if not volume.startswith(HOST):
        return None
    node, slash, path = volume.removeprefix(HOST).partition("/")
    return node, posixpath.normpath(f"{slash}{path}") if path else "/"


class Login(NamedTuple):
    """An account at a registry, as a pull secret holds it."""

    host: str
    user: str
    password: str


@dataclass(frozen=True)
class ImagePull:
    """The answer of the registry to a pull.

    Attributes:
        found: Whether the image can be had.
        size_bytes: Its size; the kubelet derives the time of the pull from it.
        image_id: The digest reference for status.containerStatuses[].imageID.
        error: When not found, the message of the runtime in its own words.
        took_s: When not found, how long the runtime waits before it says so; other pulls of the
            node wait meanwhile.
    """

    found: bool
    size_bytes: int = 0
    image_id: str = ""
    error: str = ""
    took_s: float = 0.0


@dataclass(frozen=True)
class ContainerConfig:
    """All that a process can see of its pod, resolved by the kubelet at the start.

    Attributes:
        ref: Which container, which life.
        image: The image reference as written in the pod spec.
        command: spec.command or None; `$(VAR)` is expanded.
        args: spec.args or None; `$(VAR)` is expanded.
        env: Environment in order, with ConfigMap, Secret and field references resolved.
        working_dir: spec.workingDir or None.
        mounts: Path in the container -> what stands there (see `Mount`).
        memory_limit_bytes: None when unlimited.
        cpu_limit_cores: None when unlimited.
        node: Name of the node.
        pod_ip: Address of the pod.
        hostname: Host name inside the container.
        spec: The container's spec as in the pod, for what the fields above do not say.
    """

    ref: ContainerRef
    image: str
    command: tuple[str, ...] | None
    args: tuple[str, ...] | None
    env: dict[str, str]
    working_dir: str | None
    mounts: dict[str, Mount]
    memory_limit_bytes: int | None
    cpu_limit_cores: float | None
    node: str
    pod_ip: str
    hostname: str
    spec: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mount:
    """What is mounted at one path.

    Attributes:
        kind: `files` (ConfigMap, Secret, projected, downward API) or `volume` (keeps what is
            written: emptyDir, PersistentVolumeClaim, hostPath).
        volume: Identity of the storage behind it: stable over restarts, for a claim stable over
            pods. Processes keep their durable state under this identity.
        files: For `files`: relative path -> content as of the start, always of the whole volume;
            bytes that are no UTF-8 are surrogate escapes.
        source: (resource, name) of the ConfigMap or Secret behind `files`, for live updates.
        sub_path: Set when only one file or folder of the volume is mounted (never updated live).
        read_only: Whether writes are refused.
    """

    kind: str
    volume: str
    files: dict[str, str] = field(default_factory=dict)
    source: tuple[str, str] | None = None
    sub_path: str | None = None
    read_only: bool = False


@dataclass(frozen=True)
class ExitState:
    """How a process ended: the fields of state.terminated."""

    exit_code: int
    reason: str
    message: str = ""
    signal: int | None = None


@dataclass(frozen=True)
class ProbeResult:
    """Outcome of one probe.

    Attributes:
        ok: Whether it passed.
        message: The text behind `Readiness probe failed: `.
        errored: Whether it could not be performed: then it counts neither way, and `message` stands
            behind `Readiness probe errored and resulted in unknown state: `.
        took_s: How long it took, where that is to be noticed: when it ran out of time.
    """

    ok: bool
    message: str = ""
    errored: bool = False
    took_s: float = 0.0


class Growing(Protocol):
    """A command that goes on writing."""

    @property
    def ends(self) -> bool:
        """Whether it ends by itself, after the time that its result tells."""

    def written(self, world: World) -> str | None:
        """All that it has written up to now; None when its container has ended."""


@dataclass(frozen=True)
class ExecResult:
    """What a command in a container gave back.

    Attributes:
        exit_code: The command's exit code.
        stdout: Its standard output.
        stderr: Its standard error.
        error: Set when the command could not be started: the runtime's message.
        duration_s: How long the command ran: a preStop hook delays the SIGTERM by it.
        grows: Set when the command writes more while it runs.
    """

    exit_code: int
    stdout: str = ""
    stderr: str = ""
    error: str = ""
    duration_s: float = 0.0
    grows: Growing | None = None


class LogLine(NamedTuple):
    """One line that a process wrote: virtual second, `stdout` or `stderr`, text."""

    at: float
    stream: str
    text: str


class ContainerRuntime(Protocol):
    """The node's container runtime and the processes it runs."""

    def pull(
        self, world: World, node: str, image: str, logins: tuple[Login, ...] = ()
    ) -> ImagePull:
        """Ask the registry for an image; has no side effect."""

    def start(self, world: World, config: ContainerConfig) -> ExitState | None:
        """Start the container's process.

        Returns None when it runs (it may end later and then tells the kubelet), or how creation
        failed (`StartError` with the runtime's message and exit code 128 or 127).
        """

    def terminate(self, world: World, ref: ContainerRef) -> float | None:
        """Send SIGTERM.

        Returns the seconds after which the process will have ended by itself, or None when it
        ignores the signal. The kubelet calls `kill` at the earlier of that and the grace period.
        """

    def kill(self, world: World, ref: ContainerRef) -> ExitState | None:
        """End the process at once; `container_exited` is not called for it.

        Returns how the process had ended by itself after `terminate`, or None when it had not: then
        it is the kill that ended it (137), or, after the seconds that `terminate` gave, a clean
        exit (0).
        """

    def probe(self, world: World, ref: ContainerRef, handler: dict[str, Any]) -> ProbeResult:
        """Perform a probe (`exec`, `httpGet`, `tcpSocket` or `grpc` as in the pod spec) now."""

    def exec(
        self, world: World, ref: ContainerRef, command: tuple[str, ...], stdin: str
    ) -> ExecResult:
        """Run a command in the container to its end."""

    def logs(
        self,
        world: World,
        ref: ContainerRef,
        tail_lines: int | None = None,
        since: float | None = None,
    ) -> list[LogLine]:
        """The lines of this life of the container up to now, oldest first.

        With `tail_lines` at least so many of the last ones are needed, with `since` only those from
        that virtual second on: what else there is may be left out.
        """

    def user_of(self, world: World, image: str) -> str:
        """USER of an image that is on the node: a name or number; empty when it has none."""

    def read_file(self, world: World, ref: ContainerRef, path: str) -> str | None:
        """Content of a file of a container that has been started; None when there is none."""

    def forget(self, world: World, ref: ContainerRef) -> None:
        """Drop what is kept of a container that the kubelet has garbage-collected."""


@runtime_checkable
class Resizer(Protocol):
    """What a runtime offers besides when the limits of its processes can change."""

    def resize(
        self,
        world: World,
        ref: ContainerRef,
        memory_limit_bytes: int | None,
        cpu_limit_cores: float | None,
    ) -> None:
        """A running container has these limits from now on; None when unlimited."""


@runtime_checkable
class ImageReader(Protocol):
    """What a runtime offers besides when images can be mounted as volumes."""

    def image_files(self, world: World, image: str) -> dict[str, str]:
        """Relative path -> content of the files of an image that is on the node."""


@runtime_checkable
class FileObserver(Protocol):
    """What a runtime offers besides when its processes can notice changed files."""

    def files_changed(
        self, world: World, ref: ContainerRef, path: str, files: dict[str, str]
    ) -> None:
        """The files mounted at `path` are now `files`: a ConfigMap or Secret was updated."""
