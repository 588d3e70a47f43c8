"""The heap of a broker's JVM: how large it may be, what fills it, and what happens when it is full."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import (
    TableKey,
    process_of,
    store_bytes,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_kafka.program import KafkaProgram

MIB = 2**20
# What kafka-server-start.sh sets where the environment says nothing.
_USUAL = "-Xmx1G -Xms1G"
_SIZE = re.compile(r"(\d+)([kKmMgGtT]?)")
_UNITS = {"": 1, "k": 2**10, "m": MIB, "g": 2**30, "t": 2**40}
# A request in flight: who sends it -> (moment at which the last of them is answered, bytes).
IN_FLIGHT: TableKey[tuple[str, str], tuple[float, int]] = TableKey("userland.kafka.in-flight")


def heap_bytes(process: Process, option: str) -> int:
    """What `-Xmx` or `-Xms` of `KAFKA_HEAP_OPTS` say; the last one counts, 0 without any."""
    words = process.environment.get("KAFKA_HEAP_OPTS", _USUAL).split()
    sizes = [word.removeprefix(option) for word in words if word.startswith(option)]
    found = _SIZE.fullmatch(sizes[-1]) if sizes else None
    return 0 if found is None else int(found[1]) * _UNITS[found[2].lower()]


def used_bytes(world: World, process: Process, program: KafkaProgram) -> int:
    """What of the heap cannot be collected: the broker's own objects, and requests in flight."""
    storage = process.settings.get("kafka.storage", "")
    flying = world.table(IN_FLIGHT).items()
    held = sum(size for key, (until, size) in flying if key[0] == storage and until > world.now)
    return int(program.live_heap_mib * MIB) + held


def is_full(world: World, process: Process, program: KafkaProgram) -> bool:
    """Whether the heap does not suffice for what it has to hold."""
    most = heap_bytes(process, "-Xmx")
    return bool(most) and used_bytes(world, process, program) > most


def feel(world: World, process: Process, program: KafkaProgram) -> None:
    """Let a running broker's memory follow from its heap, and its end from a heap that is full.

    Its memory at rest counts a heap of `-Xms`; what grows beyond that comes on top.
    """
    still = process_of(world, process.ref)
    if still is None or not still.running:
        return
    most = heap_bytes(process, "-Xmx")
    held = min(used_bytes(world, process, program), most or sys.maxsize)
    store_bytes(world, process.ref, max(0, held - (heap_bytes(process, "-Xms") or most)))
    if is_full(world, process, program):
        world.after(_EXHAUSTED_S, "userland.event", process.ref, "exhausted")


# From the request that does not fit until the JVM gives up: collections that find nothing.
_EXHAUSTED_S = 2.0


def fly(world: World, broker: Process, sender: str, size: int, seconds: float) -> None:
    """Let requests of a client be in flight at a broker, so many bytes for so long."""
    table = world.table(IN_FLIGHT)
    for key in [key for key, (until, _) in table.items() if until <= world.now]:
        del table[key]
    table[broker.settings.get("kafka.storage", ""), sender] = (world.now + seconds, size)
    world.after(0.0, "userland.event", broker.ref, "heap")
    world.after(seconds + 0.001, "userland.event", broker.ref, "heap")


def forget(world: World, broker: Process) -> None:
    """Requests in flight are lost with their broker."""
    storage, table = broker.settings.get("kafka.storage", ""), world.table(IN_FLIGHT)
    for key in [key for key in table if key[0] == storage]:
        del table[key]
