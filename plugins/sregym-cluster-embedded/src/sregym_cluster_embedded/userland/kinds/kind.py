"""What a kind of program must answer.

A kind of server is this class and a `sregym_apps.simulation.ServerKind` that describes it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.userland.life import write_log

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import AnyProgram, Client

    from sregym_cluster_embedded.network.certificates import Certificate
    from sregym_cluster_embedded.userland.disk import DataFile, DiskProblem
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


class Refusal(NamedTuple):
    """Why a server refuses: the kind of failure, its words, the part of the commands it refuses."""

    kind: str
    text: str
    share: float = 1.0


class Secured(NamedTuple):
    """How a server speaks TLS with its clients.

    Attributes:
        certificate: What it shows.
        plain: How it turns clients away that speak none; None where it lets them in.
        authorities: PEM certificates of those who must have signed its clients' certificates.
        anonymous: Whether clients without a certificate are let in all the same.
    """

    certificate: Certificate
    plain: Refusal | None = None
    authorities: str = ""
    anonymous: bool = False


class ConnectionLimit(NamedTuple):
    """How many connections a server takes from some clients.

    Attributes:
        most: So many; superfluous ones are refused.
        text: What a client is told whose connection is refused.
        user: As whom those log in that count; None for all.
    """

    most: int
    text: str
    user: str | None = None


class Place(NamedTuple):
    """What a server tells a driver of itself and of the set that it is a member of.

    Attributes:
        role: `primary`, `secondary`, or another, whose data nobody is given.
        others: `host:port` of the members by the set's own configuration.
    """

    role: str
    others: tuple[str, ...] = ()


class WebRequest(NamedTuple):
    """An HTTP request as a server sees it.

    Attributes:
        method: GET, POST ...
        path: With its query.
        host: Of the header Host, without a port.
        port: The port of the server at which it came in.
        client: Address of the client.
        headers: Lower-case names.
        secure: Whether it came through TLS.
        body: What was sent with it.
    """

    method: str
    path: str
    host: str = ""
    port: int = 80
    client: str = "127.0.0.1"
    headers: Mapping[str, str] = MappingProxyType({})
    secure: bool = False
    body: str = ""


class WebAnswer(NamedTuple):
    """What an HTTP client gets.

    Attributes:
        status: The code.
        body: As text.
        content_type: Of the body.
        seconds: After how many seconds of the server's own.
        headers: All headers in their order; None where they follow from the rest.
    """

    status: int
    body: str
    content_type: str
    seconds: float = 0.0
    headers: tuple[tuple[str, str], ...] | None = None


class Kind(ABC):
    """Behaviour of one kind of program; instances keep nothing, state stands in the world.

    Attributes:
        ends_on: Numbers of the signals by which it ends in order.
        ipv4_only: Whether it listens on addresses of version 4 alone.
        examining_ms: Time of a processor that it takes to read a document and throw it away.
        made_anew: Patterns of the files in its data directory that its next start makes anew.
    """

    ends_on: tuple[int, ...] = (2, 15)
    ipv4_only: bool = False
    examining_ms: float = 0.0
    made_anew: tuple[str, ...] = ()

    def files_changed(self, world: World, process: Process) -> None:  # noqa: B027 - most read once
        """Files that the process has open were changed."""

    def ended(self, world: World, process: Process) -> None:  # noqa: B027 - most leave nothing
        """The process has ended, of itself or killed; what it leaves to others is told them here."""

    @abstractmethod
    def begin(self, world: World, process: Process, program: Any) -> None:
        """The process has been started; called once, a moment later."""

    def event(  # noqa: B027 - a kind that plans no events has nothing to do here
        self, world: World, process: Process, program: Any, *arguments: Any
    ) -> None:
        """An event that `begin` planned as ("userland.event", ref, ...)."""

    def protocol_of(self, program: Any, listener: str) -> str:
        """What is spoken on a listener; by default the kind's name."""
        return str(program.kind)

    def dial(
        self, world: World, process: Process, program: Any, client: Client, peer: str
    ) -> Refusal | None:
        """Whether a client with its credentials is let in; `peer` is the address it comes from."""
        return None

    def place(self, world: World, process: Process, program: Any) -> Place | None:
        """What it tells drivers of itself and its set; None for a server that stands alone."""
        return None

    def behind_s(self, world: World, process: Process, program: Any) -> float:
        """How many seconds its data is behind that of the server that it follows."""
        return 0.0

    def limits(
        self, world: World, process: Process, program: Any, client: Client
    ) -> tuple[ConnectionLimit, ...]:
        """How many connections it takes, as far as that concerns a client."""
        return ()

    def command(
        self,
        world: World,
        process: Process,
        program: Any,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Whether the server carries out a command of a client."""
        return None

    def refused(  # noqa: B027 - most servers do not log what they refuse
        self, world: World, process: Process, program: Any, refusal: Refusal, peer: str
    ) -> None:
        """A command of a program that starts was refused; `peer` is where it came from."""

    def lacks(
        self,
        world: World,
        process: Process,
        client: Client,
        collection: str,
        columns: tuple[str, ...],
    ) -> Refusal | None:
        """Why it refuses a command that names columns which its tables do not have."""
        return None

    def data_file(self, process: Process, program: Any) -> DataFile | None:
        """The file that stands for all that it keeps on a disk; None when it keeps nothing."""
        return None

    def data_files(
        self, world: World, process: Process, program: Any
    ) -> tuple[str, Mapping[str, int]]:
        """Its data directory once it serves, and path in it -> bytes of the files it makes there.

        What stands there follows from what it keeps; an empty directory for a server without one.
        """
        return "", {}

    def file_lost(  # noqa: B027 - most go on with what they have open
        self, world: World, process: Process, program: Any, name: str
    ) -> None:
        """One of its `data_files` was removed or written over while it serves.

        Those that are not `made_anew` its next start misses: `lost_at_start`.
        """

    def command_line(self, words: tuple[str, ...], program: Any) -> tuple[str, ...]:
        """What it runs as when the entry point of its image has been given `words`."""
        return words

    def version(self, program: Any, words: list[str]) -> str | None:
        """What its executable prints when it is asked for its version; None when it is not asked.

        Args:
            program: Its program.
            words: The command line; the second word is what is asked for.
        """
        return None

    def is_query(self, words: list[str]) -> bool:
        """Whether a command line of its executable, which is a command too, starts no server."""
        return True

    def streams(self, process: Process) -> frozenset[str]:
        """`stdout` and `stderr`, as far as `background` has lines of it there."""
        return frozenset()

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """The words with which it refuses a command that meets trouble with its disk.

        Empty when such a command succeeds: because it has what it needs in memory, or because it
        does not live long after.
        """
        return ""

    def cold_share(self, world: World, process: Process, program: Any) -> float:
        """The part of the reads for which it needs its disk; the rest is in memory."""
        return 1.0

    def look_at_disk(  # noqa: B027 - most refuse the commands that need it, and go on
        self, world: World, process: Process, program: Any
    ) -> None:
        """Its disk may have changed: plan what it does of itself when that is so."""

    def call_failed(
        self, world: World, process: Process, call: str, number: int, words: str
    ) -> int | None:
        """Write what it does when a call of its own fails with an error; the code with which it ends.

        None: as any program of its language.
        """
        return None

    def seed(  # noqa: B027 - only datastores have collections
        self,
        world: World,
        process: Process,
        client: Client,
        collection: str,
        documents: int,
        record: str = "",
    ) -> None:
        """Fill a collection that is empty; `record` is a document as JSON with `${n}`."""

    def enlarge(  # noqa: B027 - only datastores have collections
        self,
        world: World,
        process: Process,
        client: Client,
        collection: str,
        total: int,
        indexes: tuple[str, ...],
    ) -> None:
        """Count so many documents in a collection that was just filled, and index these fields of it."""

    def examined(
        self, world: World, process: Process, client: Client, collection: str, by: tuple[str, ...]
    ) -> int:
        """How many documents a command reads to find those with these fields; 0 by an index."""
        return 0

    def web(
        self, world: World, process: Process, program: Any, method: str, path: str
    ) -> WebAnswer | None:
        """The answer to an HTTP request, None when the program does not speak HTTP."""
        return None

    def respond(
        self, world: World, process: Process, program: Any, request: WebRequest
    ) -> WebAnswer | None:
        """The answer to an HTTP request of which more is known than what is asked for."""
        method = "GET" if request.method == "HEAD" else request.method
        return self.web(world, process, program, method, request.path)

    def secured(
        self, world: World, process: Process, program: Any, listener: str
    ) -> Secured | None:
        """How it speaks TLS with clients on a listener; None where it speaks none."""
        return None

    def certificate(
        self, world: World, process: Process, listener: str, host: str
    ) -> Certificate | None:
        """What it shows to a client that speaks TLS; None when it does not on this listener."""
        offered = self.secured(world, process, process.behaviour, listener)
        return None if offered is None else offered.certificate

    def hang_up(  # noqa: B027 - most take SIGHUP for an order to end, or for none
        self, world: World, process: Process, program: Any, sender: int
    ) -> None:
        """React to SIGHUP, by which some read their configuration again; `sender` is a process."""

    def talk(self, world: World, process: Process, program: Any, text: str) -> str:
        """What comes back when `text` is sent over a bare connection, with nc for instance."""
        return ""

    def goodbye(self, world: World, process: Process, program: AnyProgram) -> float | None:
        """React to SIGTERM: seconds until the process has ended, None when it is ignored."""
        if program.sigterm.ignored:
            return None
        write_log(world, process.ref, program, program.sigterm.log)
        return program.sigterm.takes_s
