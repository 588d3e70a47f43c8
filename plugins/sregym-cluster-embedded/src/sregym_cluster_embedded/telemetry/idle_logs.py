"""Lines that programs of some kinds write by themselves, and of those who come to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_apps.model import AnyProgram

    from sregym_cluster_embedded.kubelet.runtime import LogLine
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


def background(
    world: World,
    instance: ContainerInstance,
    program: AnyProgram,
    first: float,
    until: float,
    wanted: int | None = None,
) -> Iterator[LogLine]:
    """What a server wrote of itself and its clients from `first` on and before `until`.

    At least the last `wanted` lines, all when None, in no order.
    """
    runtime: Runtime = world.service(RUNTIME)
    kind = runtime.kinds.described(program.kind)
    if kind.background is not None:
        yield from runtime.kinds.load(kind, kind.background)(
            world, instance, program, first, until, wanted
        )
