"""Where commands run: one place in one container, at one moment."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.machines import HOST
from sregym_cluster_embedded.userland.life import append
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.toolsets import flavour_of, is_busybox

if TYPE_CHECKING:
    from sregym_apps.model import Image

    from sregym_cluster_embedded.userland.files.credentials import Credentials
    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
    from sregym_cluster_embedded.userland.shell.tree import Node
    from sregym_cluster_embedded.userland.wiring import Target
    from sregym_cluster_embedded.world import World


class Output(NamedTuple):
    """What a command gave: exit code, standard output, standard error."""

    code: int = 0
    out: str = ""
    err: str = ""


@dataclass
class Descriptor:
    """A file that a shell holds open.

    Attributes:
        path: Which one.
        unread: What is left to read of it; None when it was opened for writing.
    """

    path: str
    unread: str | None = None


@dataclass
class OpenSocket:
    """A connection that a shell holds.

    Attributes:
        target: Where it ends.
        sent: What was written to it that has not been answered yet.
        answer: What has come back and has not been read yet.
        closed: Whether the server has closed it.
    """

    target: Target
    sent: str = ""
    answer: str = ""
    closed: bool = False


class Jobs(Protocol):
    """What a shell does with commands that have `&` behind them."""

    def start(self, shell: Interpreter, body: Node) -> Output:
        """Start one; what it writes at once."""

    def wait(self, shell: Interpreter) -> Output:
        """Wait for those that a shell has started."""

    def listed(self, session: Session) -> Output:
        """Those that run, as `jobs` shows them."""


@dataclass
class Session:
    """A place in a container where commands can be run; lives as long as one command line.

    Attributes:
        world: The cluster.
        runtime: The container runtime.
        process: The container's main process.
        image: Its image.
        files: Its files.
        environment: Variables, exported or not.
        working_dir: Present folder.
        arguments: `$0`, `$1` ...
        slept_s: Seconds that the command line has taken so far.
        computed_s: Processor seconds that it has used in them, where that is worth telling.
        drains: Whether the present command reads a device without an end.
        unexported: Names of variables that commands do not see.
        functions: Functions of the shell, by name.
        pid: Process number of the command line.
        strict: Whether `set -u` is in force.
        pipefail: Whether `set -o pipefail` is in force.
        complaints: Errors of command substitutions, for the error stream.
        connections: How many have been opened; kube-proxy chooses anew for each.
        runner: Runs another command, for those that do: xargs, timeout, find.
        jobs: Starts commands in the background.
        background: Process number of the last of them (`$!`); 0 before there is one.
        sockets: Descriptor -> connection that a shell has opened (`exec 3<>/dev/tcp/...`).
        blocked: Whether what is read next is such a connection, which its server leaves open.
        endless: Whether the command line waits for something that does not come.
        followed: Path -> number of characters at which `tail -f` began to read.
        line: The command line that was given to the container runtime.
        held_s: For how long those still hold the streams of whoever started the command line.
        killed: Whether the container has ended meanwhile, so that nothing more runs.
        shell: Which shell runs: `sh`, `ash`, `dash` or `bash`.
        script: The file that it reads its commands from; empty behind `-c`.
        at_line: The line of the present command, from 1.
        called: How many functions are being carried out.
        options: Letters of further options that are in force (`set -x`).
        readonly: Names of variables that cannot be set any more.
        descriptors: Descriptor -> file that `exec` has opened.
        aliases: What `alias` has named.
        mask: What `umask` has set.
        on_terminal: Whether a client types at it, so that a shell within it stays open.
        interactive: Whether it is a shell on a terminal, which some signals do not end.
        entered: The node whose shell what is typed next goes to; empty: this one's.
    """

    world: World
    runtime: Runtime
    process: Process
    image: Image
    files: Files
    jobs: Jobs
    environment: dict[str, str]
    working_dir: str
    arguments: tuple[str, ...] = ("sh",)
    slept_s: float = 0.0
    computed_s: float = 0.0
    drains: bool = False
    last: int = 0
    unexported: set[str] = field(default_factory=set)
    functions: dict[str, Any] = field(default_factory=dict)
    pid: int = 8
    strict: bool = False
    pipefail: bool = False
    complaints: str = ""
    connections: int = 0
    runner: Callable[[list[str], str], Output] | None = None
    background: int = 0
    sockets: dict[int, OpenSocket] = field(default_factory=dict)
    blocked: bool = False
    endless: bool = False
    followed: dict[str, int] = field(default_factory=dict)
    line: tuple[str, ...] = ()
    held_s: float = 0.0
    shell: str = "sh"
    script: str = ""
    at_line: int = 1
    called: int = 0
    options: set[str] = field(default_factory=set)
    readonly: set[str] = field(default_factory=set)
    descriptors: dict[int, Descriptor] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    mask: int = 0o022
    on_terminal: bool = False
    interactive: bool = False
    entered: str = ""
    killed: bool = False

    @property
    def on_host(self) -> bool:
        """Whether commands run on a node itself and not in a container."""
        return self.process.ref.pod_uid.startswith(HOST)

    @property
    def flavour(self) -> str:
        """Whose commands the image has: `busybox`, `alpine`, `debian` or `none`."""
        return flavour_of(self.image.tools)

    @property
    def busybox(self) -> bool:
        """Whether the commands are BusyBox's, with its words."""
        return self.flavour in ("busybox", "alpine")

    def is_busybox(self, command: str) -> bool:
        """Whether a command is BusyBox's: packages of an image bring others."""
        return self.busybox and is_busybox(self.image.tools, command)

    @property
    def ash(self) -> bool:
        """Whether the present shell is BusyBox's; bash of an image with BusyBox is not."""
        return self.busybox and self.shell != "bash"

    @property
    def dash(self) -> bool:
        """Whether the present shell is Debian's `sh`, which knows nothing of bash."""
        return self.flavour == "debian" and self.shell != "bash"

    @property
    def rights(self) -> Credentials:
        """User, groups and capabilities of the container's processes."""
        return self.files.container.credentials

    def say(self, stream: str, text: str) -> None:
        """Write to the log of the container, as what is written to /proc/1/fd/1 is."""
        now = self.world.now
        if process_of(self.world, self.process.ref) is None:
            return  # a node itself has no log of that kind
        append(
            self.world, self.process.ref, [LogLine(now, stream, line) for line in text.splitlines()]
        )

    def path(self, name: str) -> str:
        """A path as an absolute one."""
        joined = posixpath.join(self.working_dir, name)
        if "../" in joined or joined.endswith("/.."):
            # The kernel goes up from where a link leads to: the tree of files sorts that out.
            words = [word for word in joined.split("/") if word not in ("", ".")]
            return "/" + "/".join(words)
        return posixpath.normpath(joined).replace("//", "/")


Command: TypeAlias = Callable[[Session, list[str], str], Output]
