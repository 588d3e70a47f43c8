"""Kinds of servers: the base class of their behaviour, and the state it acts on.

A kind is described by `sregym_apps.simulation.ServerKind`; its `behaviour` is a subclass of `Kind`,
or of `StoreKind` for servers that open their ports after a while. Instances keep nothing. What a
server keeps stands in tables of the world (`world.table(KEY)`, with
`KEY: TableKey[str, Data] = TableKey("userland.NAME")`) as immutable values: of a container under
its `ContainerRef`, of a volume under the identity that `storage` tells.
"""

from __future__ import annotations

from sregym_apps.model import WRITING
from sregym_regex import perl

from sregym_cluster_embedded.api.documents import DocumentError, read_yaml
from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.keys import ServiceKey, TableKey
from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExecResult, LogLine
from sregym_cluster_embedded.machines import KERNEL
from sregym_cluster_embedded.machines import clock as machine_clock
from sregym_cluster_embedded.network import certificates
from sregym_cluster_embedded.network.certificates import Certificate
from sregym_cluster_embedded.network.dns import query, resolve
from sregym_cluster_embedded.network.records import is_address
from sregym_cluster_embedded.store import Object
from sregym_cluster_embedded.userland import pages
from sregym_cluster_embedded.userland.command_counts import (
    ANSWER_BYTES,
    REQUEST_BYTES,
    Counted,
    Peer,
    command_count,
    connected,
    connection_count,
    counted,
)
from sregym_cluster_embedded.userland.connect_limits import listen_failure
from sregym_cluster_embedded.userland.connections import connection_sources
from sregym_cluster_embedded.userland.disk import (
    ALTERED,
    FILE_BYTES,
    DataFile,
    DiskProblem,
    read_problem,
    write_problem,
)
from sregym_cluster_embedded.userland.files import machine
from sregym_cluster_embedded.userland.files.capacity import filesystem_usage
from sregym_cluster_embedded.userland.files.container import Container
from sregym_cluster_embedded.userland.files.credentials import number_of
from sregym_cluster_embedded.userland.files.datafiles import (
    LostFiles,
    forget_lost,
    lost_at_start,
    lost_files,
)
from sregym_cluster_embedded.userland.files.inode import FOLDER, Inode
from sregym_cluster_embedded.userland.files.view import View as FileView
from sregym_cluster_embedded.userland.filesystem import FileError, Files
from sregym_cluster_embedded.userland.formats import (
    LogRecord,
    millis_form,
    moment,
    quoted,
    render,
    seconds_form,
    to_json,
)
from sregym_cluster_embedded.userland.httpd import note_request
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME, GroupView
from sregym_cluster_embedded.userland.kinds.kind import (
    ConnectionLimit,
    Kind,
    Refusal,
    Secured,
    WebAnswer,
    WebRequest,
)
from sregym_cluster_embedded.userland.kinds.stores import StoreKind
from sregym_cluster_embedded.userland.life import (
    append,
    emptied,
    end,
    invalidate_traffic,
    open_port,
    serve,
    store_bytes,
    write_log,
)
from sregym_cluster_embedded.userland.locks import Lock, hold, holder, locks, release
from sregym_cluster_embedded.userland.process import Process, change, listener_at, process_of
from sregym_cluster_embedded.userland.queues import Broker, NonJsonRecord, OffsetReset, Topics
from sregym_cluster_embedded.userland.registering import deregister, registered_at, registrations
from sregym_cluster_embedded.userland.runtime import Runtime
from sregym_cluster_embedded.userland.securing import (
    NO_CERTIFICATE,
    NOT_SECURED,
    client_uses_tls,
    handshake,
)
from sregym_cluster_embedded.userland.settings import parse_words
from sregym_cluster_embedded.userland.throttling import throttled_duration_s
from sregym_cluster_embedded.world import World

__all__ = [
    "ALTERED",
    "ANSWER_BYTES",
    "FILE_BYTES",
    "FOLDER",
    "KERNEL",
    "NOT_SECURED",
    "NO_CERTIFICATE",
    "REQUEST_BYTES",
    "REQUEST_FLOW",
    "RUNTIME",
    "WRITING",
    "Broker",
    "Certificate",
    "ConnectionLimit",
    "Container",
    "ContainerRef",
    "Counted",
    "DataFile",
    "DiskProblem",
    "DocumentError",
    "ExecResult",
    "FileError",
    "FileView",
    "Files",
    "GroupView",
    "Inode",
    "Kind",
    "Lock",
    "LogLine",
    "LogRecord",
    "LostFiles",
    "NonJsonRecord",
    "Object",
    "OffsetReset",
    "Peer",
    "Process",
    "Refusal",
    "Runtime",
    "Secured",
    "Seed",
    "ServiceKey",
    "StoreKind",
    "TableKey",
    "Topics",
    "WebAnswer",
    "WebRequest",
    "World",
    "append",
    "certificates",
    "change",
    "client_uses_tls",
    "command_count",
    "connected",
    "connection_count",
    "connection_sources",
    "counted",
    "deregister",
    "emptied",
    "end",
    "filesystem_usage",
    "forget_lost",
    "handshake",
    "hold",
    "holder",
    "invalidate_traffic",
    "is_address",
    "listen_failure",
    "listener_at",
    "locks",
    "lost_at_start",
    "lost_files",
    "machine",
    "machine_clock",
    "millis_form",
    "moment",
    "note_request",
    "number_of",
    "open_port",
    "pages",
    "parse_words",
    "perl",
    "process_of",
    "query",
    "quoted",
    "read_problem",
    "read_yaml",
    "registered_at",
    "registrations",
    "release",
    "render",
    "resolve",
    "seconds_form",
    "serve",
    "storage",
    "store_bytes",
    "throttled_duration_s",
    "to_json",
    "write_log",
    "write_problem",
]


def storage(world: World, process: Process, path: str) -> str:
    """The identity of what is mounted at a path in a container, or of the container's own layer.

    What is kept under it lasts as long as the volume: claims survive their pods, `emptyDir` ends
    with the pod, what is mounted nowhere with the container.
    """
    return world.service(RUNTIME).files(world, process).storage(path)
