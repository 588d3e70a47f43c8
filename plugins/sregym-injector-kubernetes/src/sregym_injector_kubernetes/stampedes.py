"""A store that bears what a warm cache leaves of the load, and not what a cold one does."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import FailureMode
from sregym_injectors.edits import Edits
from sregym_injectors.triggers import load_level
from sregym_injectors.workloads import restart_rollout, rolled_out
from typing_extensions import override

from sregym_injector_kubernetes.starting import CpuLimit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, FaultContext
    from sregym_core.model import Component

_STARTED_S = 300.0
# Limits of which members of the family of metastable problems are made, in thousandths of a processor,
# where the cost of requests is unknown; else as multiples of what they take with a warm cache.
_SIZES = (15, 30, 60, 120)
_ROOM = (2.0, 3.0)
# With less a server does not answer its probes in time.
_LEAST = 8
# So many times as much as it can do does a store get when its cache is cold, or it catches up.
_FALLS_BEHIND = 4.0


class StoreSizedForHits(CpuLimit):
    """Sizes a datastore for what its cache leaves: once that is cold, nothing is there to fill it.

    Every look into the empty cache becomes a query; the store falls behind, queries are given up
    before they are answered, and what is never answered is never cached.
    """

    name: ClassVar[str] = "store-sized-for-hits"
    title: ClassVar[str] = "Datastore has processor for a warm cache alone"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.METASTABLE, FailureMode.LATENT)
    tipping: ClassVar[tuple[str, ...]] = ("cold",)
    mechanism: ClassVar[str] = "store-sized-for-warm-cache"
    phrases: ClassVar[tuple[str, ...]] = (
        *CpuLimit.phrases,
        "cache stampede",
        "thundering herd on a cold cache",
        "cold cache overloads the database",
        "datastore is sized for cache hits",
        "database cannot bear the cache misses",
        "database cpu limit too low for a cold cache",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("timeouts", "low hit rate", "throttled periods")

    class Parameters(CpuLimit.Parameters):
        """Parameters.

        Attributes:
            millicores: The limit where users ask as much as the manifests of load generators say, in
                thousandths of a processor; where they ask more or less, it is as much more or less.
            cold: Whether the caches beside the store restart after that, and are empty.
        """

        millicores: int = Field(default=12, ge=1)
        cold: bool = False

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if component.kind == "datastore" else "it is no datastore"

    @override
    def unnoticed(self, component: Component) -> str:
        return ""  # that it has, while caches are warm, is the defect

    @override
    def occasions(
        self, application: Application, component: Component
    ) -> Mapping[str, Mapping[str, Any]]:
        if not _caches(application, component):
            return {}
        sizes = _SIZES if component.millicores is None else _between(*component.millicores)
        # Which of them bears a warm cache and no more is told by proofs.
        return {f"cold-{many}m": {"millicores": many, "cold": True} for many in sizes}

    @override
    def size(self, context: FaultContext) -> int:
        millicores: int = context.parameters.millicores
        return max(1, round(millicores * load_level(context)))

    @override
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        self.replay(context)

    @override
    def replay(self, context: FaultContext) -> bool:
        if not context.parameters.cold:
            return False
        caches = _caches(context.application, context.component)
        if not caches:
            msg = (
                f"no cache stands beside datastore {context.component.name!r}: none has a caller in "
                "common with it; leave the parameter cold out, or choose another target"
            )
            raise UsageError(msg)
        edits, clock = Edits(context), context.cluster.clock
        store = context.component.workload
        clock.wait_until(lambda: rolled_out(edits.read(store)), _STARTED_S, 1.0)
        for cache in caches:
            restart_rollout(edits, (cache.workload,))
            clock.wait_until(lambda: rolled_out(edits.read(cache.workload)), _STARTED_S, 1.0)  # noqa: B023 - waited for at once
        return True


def _between(warm: float, cold: float) -> tuple[int, ...]:
    """Sizes that bear what a warm cache leaves, and by far not what comes without it."""
    sizes = dict.fromkeys(ceil(warm * room) for room in _ROOM)
    return tuple(many for many in sizes if many >= _LEAST and cold >= many * _FALLS_BEHIND)


def _caches(application: Application, store: Component) -> list[Component]:
    """Caches whose clients ask the store, too."""
    return [
        part
        for part in application.components()
        if part.kind == "cache" and {*part.callers} & {*store.callers}
    ]
