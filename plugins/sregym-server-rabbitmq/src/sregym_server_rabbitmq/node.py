"""The node that a command is about: found, and asked what flows through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import connect
from sregym_cluster_embedded.sdk.servers import REQUEST_FLOW, Process, process_of

from sregym_server_rabbitmq.boot import CLUSTERING, EPMD, cookie_hash, node_of
from sregym_server_rabbitmq.data import RabbitmqData, load
from sregym_server_rabbitmq.program import RabbitmqProgram

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.commands import Session


class Node(NamedTuple):
    """A node that answers.

    Attributes:
        name: `rabbit@host`.
        process: The broker.
        program: Its program.
        storage: Identity of what it keeps.
        data: What it keeps.
    """

    name: str
    process: Process
    program: RabbitmqProgram
    storage: str
    data: RabbitmqData


class Load(NamedTuple):
    """What waits in a queue.

    Attributes:
        ready: Messages that no consumer works on.
        unacked: Messages that consumers work on.
        published: Messages that came so far.
        consumers: Who takes them: (id, host, program).
    """

    ready: int = 0
    unacked: int = 0
    published: int = 0
    consumers: tuple[tuple[str, str, str], ...] = ()

    @property
    def messages(self) -> int:
        """All that are there."""
        return self.ready + self.unacked


def node_at(session: Session, name: str) -> Node | None:
    """The node of a name, that of the own container when there is none; None when none answers."""
    server: Process | None = session.process
    host = name.partition("@")[2]
    if host and host not in (session.process.config.hostname, "localhost"):
        target = connect(session, host, CLUSTERING)
        server = None
        if target.ref is not None and not target.kind:
            server = process_of(session.world, target.ref)
    if server is None or server.served_at is None or not server.running:
        return None
    program = server.behaviour
    if not isinstance(program, RabbitmqProgram):
        return None
    storage = server.settings["rabbitmq.storage"]
    return Node(node_of(server), server, program, storage, load(session.world, storage))


def is_starting(session: Session) -> bool:
    """Whether the own container's broker runs and does not serve yet."""
    own = session.process
    return isinstance(own.behaviour, RabbitmqProgram) and own.served_at is None


def loads(session: Session, node: Node) -> dict[str, Load]:
    """Queue -> what waits in it."""
    traffic = session.world.service_or_none(REQUEST_FLOW)
    views = [] if traffic is None else traffic.groups(session.world, node.storage)
    found = {}
    for view in views:
        lag, members = sum(view.lags), view.members
        unacked = min(lag, len(members))
        found[view.topic] = Load(lag - unacked, unacked, sum(view.ends), members)
    return {name: found.get(name, Load()) for name in sorted(node.data.queues)}


def unreachable(session: Session, name: str) -> str:
    """What a command writes that finds no node."""
    own = session.process.config.hostname
    node = name if "@" in name else f"rabbit@{own}"
    host = node.partition("@")[2]
    known = host == own
    epmd = (
        f"  * connected to epmd (port {EPMD}) on {host}\n"
        "  * epmd reports: node 'rabbit' not running at all\n"
        f"                  no other nodes on {host}\n  * suggestion: start the node\n"
        if known
        else f"  * unable to connect to epmd (port {EPMD}) on {host}: nxdomain (non-existing domain)\n"
    )
    return (
        f"Error: unable to perform an operation on node '{node}'. Please see diagnostics "
        "information and suggestions below.\n\nMost common reasons for this are:\n\n"
        " * Target node is unreachable (e.g. due to hostname resolution, TCP connection or firewall issues)\n"
        " * CLI tool fails to authenticate with the server (e.g. due to CLI tool's Erlang cookie not matching that of the server)\n"
        " * Target node is not running\n\nIn addition to the diagnostics info below:\n\n"
        " * See the CLI, clustering and networking guides on https://rabbitmq.com/documentation.html to learn more\n"
        f" * Consult server logs on node {node}\n"
        " * If target node is configured to use long node names, don't forget to use --longnames with CLI tools\n\n"
        f"DIAGNOSTICS\n===========\n\nattempted to contact: ['{node}']\n\n{node}:\n{epmd}\n\n"
        "Current node details:\n"
        f" * node name: 'rabbitmqcli-{session.pid}-rabbit@{own}'\n"
        " * effective user's home directory: /var/lib/rabbitmq\n"
        f" * Erlang cookie hash: {cookie_hash(session.process)}\n\n"
    )
