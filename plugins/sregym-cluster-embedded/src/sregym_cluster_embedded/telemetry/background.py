"""Lines that programs of some kinds write by themselves, and of those who come to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import MongodbProgram, NameServerProgram, RegistryProgram

from sregym_cluster_embedded.telemetry.consul import agent_lines
from sregym_cluster_embedded.telemetry.lookups import logged_lookups
from sregym_cluster_embedded.telemetry.mongod import Diary
from sregym_cluster_embedded.telemetry.mongod_start import starting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_apps.model import AnyProgram

    from sregym_cluster_embedded.kubelet.runtime import LogLine
    from sregym_cluster_embedded.telemetry.lives import Life
    from sregym_cluster_embedded.world import World


def background(
    world: World,
    life: Life,
    program: AnyProgram,
    first: float,
    until: float,
    wanted: int | None = None,
) -> Iterator[LogLine]:
    """What a server wrote of itself and its clients from `first` on and before `until`.

    At least the last `wanted` lines, all when None, in no order.
    """
    if isinstance(program, MongodbProgram):
        yield from Diary(world, life, program).lines(first, until, wanted)
        yield from starting(world, life, program, first, until)
    elif isinstance(program, RegistryProgram):
        yield from agent_lines(world, life, program, first, until)
    elif isinstance(program, NameServerProgram):
        yield from logged_lookups(world, life.process, first, until, wanted)
