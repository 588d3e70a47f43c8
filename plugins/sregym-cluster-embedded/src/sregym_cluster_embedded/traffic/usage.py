"""What containers use of processors and memory, as their nodes measure it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.resource_metrics import ContainerUse
from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import running_in

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

# What an idle process uses: timers, garbage collection, health checks.
_IDLE_NANOCORES = 1_000_000
_IDLE_SPREAD_NANOCORES = 2_000_000
_NODE_NANOCORES = 60_000_000
_NODE_BYTES = 380 * 2**20


class ContainerUsage:
    """Offered to lower layers as `usage`."""

    def containers(self, world: World, pod_uid: str) -> list[ContainerUse]:
        """The running containers of a pod, in the order of their start."""
        runtime: Runtime = world.service(RUNTIME)
        return [
            ContainerUse(
                process.ref.name,
                self._nanocores(world, process),
                runtime.memory_bytes(world, process.ref),
                process.started_at,
            )
            for process in running_in(world, pod_uid)
        ]

    def node_overhead(self, world: World, node: str) -> tuple[int, int]:
        """(nanocores, bytes) of kubelet, runtime and system on a node."""
        share = Seed(0).fraction("node overhead", node)
        return int(_NODE_NANOCORES * (1 + share / 2)), int(_NODE_BYTES * (1 + share / 4))

    def _nanocores(self, world: World, process: Process) -> int:
        """Idle use plus the work of the requests that it serves, up to its limit."""
        known = segments(world, SERVED, process.ref)
        working = known[-1].load.cpu * 1e9 if known else 0.0
        used = idle_nanocores(process.ref) + working
        limit = process.config.cpu_limit_cores
        return int(used if limit is None else min(used, limit * 1e9))


def idle_nanocores(ref: ContainerRef) -> float:
    """What an idle process uses.

    A world that goes on with another seed has the same past: the pod's name is chance enough.
    """
    return _IDLE_NANOCORES + _IDLE_SPREAD_NANOCORES * Seed(0).fraction("idle", ref)
