"""The neighbours, one row each: what they take, how they are known, how they are ended."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_core.model import FailureMode
from sregym_injectors.node_faults import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

# What of each setting says how much is taken.
AMOUNTS: Mapping[str, str] = MappingProxyType(
    {"cpu": "cores", "memory": "taken_bytes", "disk-use": "queued", "network-use": "mbit"}
)
_NEIGHBOUR = ("noisy neighbour", "resource contention on the node")
_SLOW = (FailureMode.SLOW,)
ROWS = (
    Row(
        name="pressure-cpu",
        title="A neighbour keeps the processors of a node busy",
        layer="os",
        setting={"what": "cpu", "node": "{node}", "cores": "{cores}"},
        actor="a job of the host that packs an archive with a thread for each processor",
        mechanism="cpu-pressure",
        phrases=(
            *_NEIGHBOUR,
            "CPU pressure",
            "CPU contention",
            "a host process takes the CPU",
            "processors of the node are saturated",
            "CPU stress on the node",
        ),
        symptom="requests through the node are slow and time out",
        what="processors of the node",
        before="idle for the most part",
        after="busy with a process of the host",
        repair=(("pkill", "-x", "xz"),),
        modes=_SLOW,
    ),
    Row(
        name="pressure-memory",
        title="A neighbour holds the memory of a node",
        layer="os",
        setting={"what": "memory", "node": "{node}", "taken_bytes": "{memory}"},
        actor="a job of the host that sorts a file in memory without a limit",
        mechanism="memory-pressure",
        phrases=(
            *_NEIGHBOUR,
            "memory pressure",
            "MemoryPressure",
            "node is out of memory",
            "node runs short of memory",
            "a host process takes the memory",
            "memory exhaustion on the node",
        ),
        symptom="the node reports MemoryPressure and evicts pods",
        what="memory of the node",
        before="free for the most part",
        after="held by a process of the host",
        repair=(("pkill", "-x", "sort"),),
        runs="datastore",  # what keeps no data restarts elsewhere, unnoticed by users
        pressure="MemoryPressure",
        enter="ssh",
    ),
    Row(
        name="pressure-disk",
        title="A neighbour fills the queue of a node's disk with writes",
        layer="os",
        setting={"what": "disk-use", "node": "{node}", "queued": 512},
        actor="a benchmark of the disk that runs for a month instead of a minute",
        mechanism="disk-pressure-by-a-neighbour",
        phrases=(
            *_NEIGHBOUR,
            "disk is saturated",
            "disk I/O contention",
            "I/O pressure",
            "disk queue is full",
            "I/O wait",
            "a host process saturates the disk",
        ),
        symptom="changes of what is kept there are slow and time out",
        what="queue of the disk of the node",
        before="empty for the most part",
        after="512 requests of a process of the host",
        repair=(("pkill", "-x", "fio"),),
        runs="datastore",
        changed=True,
        modes=_SLOW,
    ),
    Row(
        name="pressure-page-cache",
        title="A neighbour displaces the page cache of a node",
        layer="os",
        setting={"what": "disk-use", "node": "{node}", "queued": 512, "displaced": 1.0},
        actor="a scan of all files of the host, with as many readers as it likes",
        mechanism="page-cache-displaced",
        phrases=(
            *_NEIGHBOUR,
            "page cache thrashing",
            "page cache is evicted",
            "page cache is cold",
            "a scan displaces the page cache",
            "file scan saturates the disk",
            "cache misses go to the disk",
        ),
        symptom="what is not in the memory of datastores is read slowly",
        what="page cache of the node",
        before="holds the files of those who run there",
        after="holds what a process of the host scans",
        repair=(("pkill", "-x", "clamscan"),),
        runs="datastore",
        modes=_SLOW,
    ),
    Row(
        name="pressure-network",
        title="A neighbour sends more than the card of a node carries",
        layer="os",
        setting={"what": "network-use", "node": "{node}", "mbit": 10_000.0},
        actor="a test of the bandwidth with datagrams whose end never came",
        mechanism="network-card-saturated",
        phrases=(
            *_NEIGHBOUR,
            "network card is saturated",
            "uplink is saturated",
            "bandwidth is exhausted",
            "network congestion on the node",
            "a host process floods the network",
            "packets are dropped by the card",
        ),
        symptom="packets from and to other nodes get lost, and requests time out",
        what="what the card of the node carries",
        before="the traffic of the pods",
        after="datagrams of a process of the host",
        repair=(("pkill", "-x", "iperf3"),),
        modes=_SLOW,
    ),
)
