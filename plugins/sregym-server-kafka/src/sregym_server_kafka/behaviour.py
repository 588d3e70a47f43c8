"""A Kafka broker of one node in KRaft mode."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line
from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    DataFile,
    Process,
    Refusal,
    StoreKind,
    change,
    end,
    moment,
    process_of,
    write_log,
    write_problem,
)

from sregym_server_kafka.data import data_at, save
from sregym_server_kafka.heap import feel, forget, is_full
from sregym_server_kafka.limits import OVERHEAD_BYTES, most_bytes
from sregym_server_kafka.program import Topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_kafka.program import KafkaProgram

_METADATA_LOG = "__cluster_metadata-0/00000000000000000000.log"
_SIGNALS = "org.apache.kafka.common.utils.LoggingSignalHandler"
_ABOUT = "org.apache.kafka.common.utils.AppInfoParser"
_ACCEPTOR, _BROKER = "kafka.network.DataPlaneAcceptor", "kafka.server.BrokerServer"
_BEGINNING = (
    (
        "Registered `kafka:type=kafka.Log4jController` MBean",
        "kafka.utils.Log4jControllerRegistration$",
    ),
    ("Registered signal handlers for TERM, INT, HUP", _SIGNALS),
    ("[ControllerServer id=1] Starting controller", "kafka.server.ControllerServer"),
)
# Releases before 3 have no controller of their own: they look for ZooKeeper.
_BEGINNING_WITH_ZOOKEEPER = (
    *_BEGINNING[:2],
    ("starting", "kafka.server.KafkaServer"),
)
_END = (
    ("Terminating process due to signal SIGTERM", _SIGNALS),
    ("[BrokerServer id=1] Transition from STARTED to SHUTTING_DOWN", _BROKER),
    ("[BrokerServer id=1] shutting down", _BROKER),
    ("[BrokerServer id=1] shut down completed", _BROKER),
    ("App info kafka.server for 1 unregistered", _ABOUT),
)
# Appended records reach the disk within this time.
_FLUSHES_S = 1.0
# The exit code of a JVM with -XX:+ExitOnOutOfMemoryError.
_OUT_OF_HEAP = 3
_TOO_LARGE = (
    "[10] Message Size Too Large: the server has a configurable maximum message size to avoid unbounded "
    "memory allocation and the client attempted to produce a message larger than this maximum"
)


class KafkaKind(StoreKind):
    """Topics live with the volume at the data directory."""

    port_flags = ()
    taken = (
        "org.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:{port}:"
        " Address already in use.",
        1,
    )

    def begin(self, world: World, process: Process, program: KafkaProgram) -> None:
        """Find the data, create the topics that are missing, and greet."""
        storage = world.service(RUNTIME).files(world, process).storage(program.data_dir)
        settings = {**process.settings, "kafka.storage": storage}
        process = change(world, process.ref, settings=settings)
        data = data_at(world, storage)
        topics = {name: topic.partitions for name, topic in program.topics.items()}
        save(world, storage, replace(data, topics={**topics, **data.topics}))
        if _has_controller(program):
            self._say(world, process, program, _BEGINNING)
        else:
            address = process.environment.get("KAFKA_ZOOKEEPER_CONNECT", "localhost:2181")
            told = (f"Connecting to zookeeper on {address}", "kafka.server.KafkaServer")
            self._say(world, process, program, (*_BEGINNING_WITH_ZOOKEEPER, told))
        super().begin(world, process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open the port and say so, or write to the disk."""
        if arguments == ("flush",):
            self._flush(world, process, program)
            return
        if arguments == ("heap",):
            feel(world, process, program)
            return
        if arguments == ("exhausted",):
            self._exhaust(world, process, program)
            return
        if is_full(world, process, program):
            self._exhaust(world, process, program)
            return
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is None or not still.running:
            return
        port, started = self.ports(process, program)[0], world.epoch + process.started_at
        if not _has_controller(program):
            self._say(
                world,
                process,
                program,
                (
                    (f"Awaiting socket connections on 0.0.0.0:{port}.", "kafka.network.Acceptor"),
                    (f"Kafka version: {program.version}", _ABOUT),
                    (f"Kafka startTimeMs: {round(started * 1000)}", _ABOUT),
                    ("[KafkaServer id=1] started", "kafka.server.KafkaServer"),
                ),
            )
            return
        self._say(
            world,
            process,
            program,
            (
                (f"Awaiting socket connections on 0.0.0.0:{port}.", _ACCEPTOR),
                ("[BrokerServer id=1] Transition from STARTING to STARTED", _BROKER),
                (f"Kafka version: {program.version}", _ABOUT),
                (f"Kafka startTimeMs: {round(started * 1000)}", _ABOUT),
                ("[KafkaRaftServer nodeId=1] Kafka Server started", "kafka.server.KafkaRaftServer"),
            ),
        )

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """Say what is closed."""
        if _has_controller(program):
            self._say(world, process, program, _END)
        else:
            end = (_END[0], ("[KafkaServer id=1] shut down completed", "kafka.server.KafkaServer"))
            self._say(world, process, program, end)
        return super().goodbye(world, process, program)

    def ended(self, world: World, process: Process) -> None:
        """Requests that it was working on are lost."""
        forget(world, process)
        super().ended(world, process)

    def _exhaust(self, world: World, process: Process, program: KafkaProgram) -> None:
        """End with a full heap, if it is still full."""
        if not is_full(world, process, program):
            return
        for text in (
            "ERROR Uncaught exception in thread 'data-plane-kafka-request-handler-0': "
            "(org.apache.kafka.common.utils.KafkaThread)\njava.lang.OutOfMemoryError: Java heap space",
            "ERROR [KafkaApi-1] Unexpected error handling request "
            "RequestHeader(apiKey=PRODUCE, apiVersion=11, clientId=perf-producer-client) "
            "(kafka.server.KafkaApis)\njava.lang.OutOfMemoryError: Java heap space",
        ):
            self._write(world, process, program, text)
        last = Line(text="Terminating due to java.lang.OutOfMemoryError: Java heap space", raw=True)
        write_log(world, process.ref, program, (last,))
        end(world, process.ref, _OUT_OF_HEAP)

    def data_file(self, process: Process, program: KafkaProgram) -> DataFile | None:
        """The log of the cluster's metadata."""
        kept = process.settings.get("kafka.storage")
        return None if kept is None else DataFile(kept, program.data_dir, _METADATA_LOG)

    def look_at_disk(self, world: World, process: Process, program: KafkaProgram) -> None:
        """A broker whose only log folder fails gives up."""
        file = self.data_file(process, program)
        if file is not None and write_problem(world, process, file) is not None:
            world.after(_FLUSHES_S, "userland.event", process.ref, "flush")

    def _flush(self, world: World, process: Process, program: KafkaProgram) -> None:
        file = self.data_file(process, program)
        trouble = None if file is None else write_problem(world, process, file)
        if trouble is None:
            return
        for text in (
            f"ERROR Error while appending records to __cluster_metadata-0 in dir {program.data_dir} "
            f"(org.apache.kafka.storage.internals.log.LogDirFailureChannel)\n"
            f"java.io.IOException: {trouble.words}",
            f"ERROR Shutdown broker because all log dirs in {program.data_dir} have failed "
            "(kafka.log.LogManager)",
        ):
            self._write(world, process, program, text)
        end(world, process.ref, 1)

    def command(
        self,
        world: World,
        process: Process,
        program: KafkaProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Take a record for a topic, when there is such a topic."""
        data = data_at(world, process.settings.get("kafka.storage", ""))
        if collection in data.topics:
            topic = program.topics.get(collection, Topic())
            if topic.record_bytes + OVERHEAD_BYTES <= most_bytes(process, data, collection):
                return None
            return Refusal("server", _TOO_LARGE)
        text = "[3] Unknown Topic Or Partition: the request is for a topic or partition that does not exist on this broker"
        return Refusal("server", text)

    def _say(
        self,
        world: World,
        process: Process,
        program: KafkaProgram,
        told: Sequence[tuple[str, str]],
    ) -> None:
        """Write texts, each with the class that says it."""
        for text, who in told:
            self._write(world, process, program, f"INFO {text} ({who})")

    def _write(self, world: World, process: Process, program: KafkaProgram, text: str) -> None:
        when = moment(world, world.now)
        stamp = f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}"
        write_log(world, process.ref, program, (Line(text=f"[{stamp}] {text}", raw=True),))


def _has_controller(program: KafkaProgram) -> bool:
    """Whether a release runs its own controller (KRaft) rather than ask ZooKeeper."""
    major = program.version.partition(".")[0]
    return not major.isdecimal() or int(major) >= 3
