"""A standalone ZooKeeper server: its tree lives with the volume at the data directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line
from sregym_cluster_embedded.sdk.servers import (
    DataFile,
    DiskProblem,
    Process,
    Refusal,
    StoreKind,
    change,
    counted,
    end,
    moment,
    process_of,
    storage,
    write_log,
    write_problem,
)

from sregym_server_zookeeper.data import load, store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_zookeeper.program import ZooProgram

_LOG = "version-2/log.1"
# A transaction reaches the log within this time.
_FLUSHES_S = 1.0
# Words that releases from 3.5 on answer without being told to.
_ALLOWED = "srvr"
_BUILT = {
    "3.4": "4c25d480e66aadd371de8bd2fd8da255ac140bcf, built on 03/06/2019 16:18 GMT",
}
_LATER = "2d6fb1f20d1a5e8fa1c5bb0f4f9a5a6d2b1d1c0e, built on 2021-03-17 09:46 UTC"


class ZooKind(StoreKind):
    """Apache ZooKeeper without others."""

    port_flags = ()
    taken = (
        "ERROR [main:ZooKeeperServerMain@66] - Unexpected exception, exiting abnormally\n"
        "java.net.BindException: Address already in use",
        1,
    )

    def begin(self, world: World, process: Process, program: ZooProgram) -> None:
        """Find the data, and greet."""
        kept = storage(world, process, program.data_dir)
        settings = {**process.settings, "zookeeper.storage": kept}
        process = change(world, process.ref, settings=settings)
        tree = load(world, kept)
        if not tree.starts:
            for path, value in program.nodes.items():
                tree = tree.with_value(path, value)
        store(world, kept, tree._replace(starts=tree.starts + 1))
        self._write(
            world,
            process,
            program,
            (
                ("QuorumPeerConfig@136", "Reading configuration from: /conf/zoo.cfg"),
                ("DatadirCleanupManager@78", "autopurge.snapRetainCount set to 3"),
                ("ZooKeeperServerMain@98", "Starting server"),
                ("Environment@100", f"Server environment:zookeeper.version={built(program)}"),
                ("Environment@100", f"Server environment:host.name={process.config.hostname}"),
                ("ZooKeeperServer@836", "tickTime set to 2000"),
            ),
        )
        super().begin(world, process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open the port and say so, or write to the disk."""
        if arguments == ("flush",):
            self._flush(world, process, program)
            return
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.running:
            port = self.ports(still, program)[0]
            text = f"binding to port 0.0.0.0/0.0.0.0:{port}"
            self._write(world, still, program, (("NIOServerCnxnFactory@89", text),))

    def command(
        self,
        world: World,
        process: Process,
        program: ZooProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Read or write a node; one that is to be read must be there."""
        tree = load(world, process.settings.get("zookeeper.storage", ""))
        if command == "get" and collection and collection not in tree.nodes:
            return Refusal("server", f"KeeperErrorCode = NoNode for {collection}")
        return None

    def data_file(self, process: Process, program: ZooProgram) -> DataFile | None:
        """The log of transactions."""
        kept = process.settings.get("zookeeper.storage")
        return None if kept is None else DataFile(kept, program.data_dir, _LOG)

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """The tree is in memory; what cannot be logged ends the server."""
        return ""

    def look_at_disk(self, world: World, process: Process, program: ZooProgram) -> None:
        """A server that cannot write its log gives up."""
        file = self.data_file(process, program)
        if file is not None and write_problem(world, process, file) is not None:
            world.after(_FLUSHES_S, "userland.event", process.ref, "flush")

    def _flush(self, world: World, process: Process, program: ZooProgram) -> None:
        file = self.data_file(process, program)
        trouble = None if file is None else write_problem(world, process, file)
        if trouble is None:
            return
        text = f"Severe unrecoverable error, exiting\njava.io.IOException: {trouble.words}"
        self._write(world, process, program, (("SyncRequestProcessor@183", text),), "ERROR")
        end(world, process.ref, 1)

    def talk(self, world: World, process: Process, program: ZooProgram, text: str) -> str:
        """The words of four letters by which people ask how it is."""
        word = text.strip()[:4]
        if word not in _WORDS:
            return ""
        if not _may(process, program, word):
            return f"{word} is not executed because it is not in the whitelist.\n"
        if word == "ruok":
            return "imok"
        return _report(world, process, program, word)

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """It says nothing: the virtual machine ends."""
        return super().goodbye(world, process, program)

    def _write(
        self,
        world: World,
        process: Process,
        program: ZooProgram,
        told: Sequence[tuple[str, str]],
        level: str = "INFO",
    ) -> None:
        """Write texts, each with the line of the sources that says it."""
        when = moment(world, world.now)
        stamp = f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}"
        lines = [
            Line(text=f"{stamp} [myid:] - {level:<5} [main:{who}] - {text}", raw=True)
            for who, text in told
        ]
        write_log(world, process.ref, program, lines)


_WORDS = ("ruok", "srvr", "stat", "mntr", "conf", "cons", "isro")


def _minor(program: ZooProgram) -> tuple[int, int]:
    first, second, *_ = (*program.version.split("."), "0", "0")
    return int(first), int(second)


def built(program: ZooProgram) -> str:
    """The version as the server says it."""
    short = ".".join(program.version.split(".")[:2])
    return f"{program.version}-{_BUILT.get(short, _LATER)}"


def _may(process: Process, program: ZooProgram, word: str) -> bool:
    if _minor(program) < (3, 5):
        return True
    allowed = process.environment.get("ZOO_4LW_COMMANDS_WHITELIST", _ALLOWED)
    return word in {name.strip() for name in allowed.split(",")} or allowed.strip() == "*"


def _report(world: World, process: Process, program: ZooProgram, word: str) -> str:
    """What a word is answered with."""
    tree = load(world, process.settings.get("zookeeper.storage", ""))
    seen = counted(world, process.ref)
    asked = round(sum(seen.of(name) for name in ("get", "put", "set", "delete")))
    connections = round(seen.connections) + 1
    if word == "isro":
        return "rw"
    if word == "conf":
        port = process.ports[0][0] if process.ports else 2181
        return (
            f"clientPort={port}\ndataDir={program.data_dir}/version-2\ndataLogDir=/datalog/version-2\n"
            "tickTime=2000\nmaxClientCnxns=60\nminSessionTimeout=4000\nmaxSessionTimeout=40000\nserverId=0\n"
        )
    if word == "mntr":
        figures = {
            "zk_version": built(program), "zk_avg_latency": 0, "zk_max_latency": 12,
            "zk_min_latency": 0, "zk_packets_received": asked, "zk_packets_sent": asked,
            "zk_num_alive_connections": connections, "zk_outstanding_requests": 0,
            "zk_server_state": "standalone", "zk_znode_count": len(tree.nodes),
            "zk_watch_count": 0, "zk_ephemerals_count": 0,
        }  # fmt: skip
        return "".join(f"{name}\t{value}\n" for name, value in figures.items())
    peers = "".join(
        f" /{peer.address}:43210[1](queued=0,recved={asked},sent={asked})\n"
        for peer in seen.held_by()
    )
    if word == "cons":
        return f"{peers}\n"
    clients = f"Clients:\n{peers}\n" if word == "stat" else ""
    return (
        f"Zookeeper version: {built(program)}\n{clients}Latency min/avg/max: 0/0/12\n"
        f"Received: {asked}\nSent: {asked}\nConnections: {connections}\nOutstanding: 0\n"
        f"Zxid: {tree.transaction:#x}\nMode: standalone\nNode count: {len(tree.nodes)}\n"
    )
