"""The system at the moments that separate an agent's changes from those of others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import ClusterSpec, SystemStates

if TYPE_CHECKING:
    from sregym_core.conductor.injection import Faults
    from sregym_core.interfaces import Application, Checkpoint, Cluster, SystemState

# So long the reference fix of a copy may go on after its last command; controllers are done by then.
SETTLE_S = 5.0


def state_of(cluster: Cluster, application: Application) -> SystemState:
    """The configuration and the data at this moment, with the namespaces of the application."""
    return cluster.operations.state(application.namespaces)


@dataclass(frozen=True)
class Found:
    """A system as an agent found it.

    Attributes:
        checkpoint: Where it can be copied.
        state: Where it cannot.
        broken: Whether all faults that come had come by then.
    """

    checkpoint: Checkpoint | None
    state: SystemState | None
    broken: bool

    @classmethod
    def of(cls, cluster: Cluster, application: Application, *, broken: bool) -> Found:
        """As it is at this moment."""
        checkpoint = cluster.checkpoint()
        state = state_of(cluster, application) if checkpoint is None else None
        return cls(checkpoint, state, broken)


@dataclass
class KeptStates(SystemStates):
    """Those of one episode.

    Args:
        cluster: That of the episode.
        application: What runs there.
        faults: What is broken.
        start: How the agent found it.
        seed: Of the episode.
        salt: Of the run.
        known: Those that were worked out before, by the name of their method.
    """

    cluster: Cluster
    application: Application
    faults: Faults
    start: Found
    seed: int
    salt: str
    known: dict[str, SystemState] = field(default_factory=dict)
    _now: tuple[float, SystemState] | None = None

    def now(self) -> SystemState:
        """As it is; looked at once for each moment of the cluster's time."""
        at = self.cluster.clock.now()
        if self._now is None or self._now[0] != at:
            self._now = at, state_of(self.cluster, self.application)
        return self._now[1]

    def at_start(self) -> SystemState | None:
        """As the agent found it."""
        if self.start.checkpoint is None:
            return self.start.state
        return self._copied("begun", repair=False)

    def repaired(self) -> SystemState | None:
        """After the reference fix, in a copy: not known on a cluster that cannot be copied."""
        return None if self.start.checkpoint is None else self._copied("repaired", repair=True)

    def _copied(self, name: str, *, repair: bool) -> SystemState:
        if name not in self.known:
            assert self.start.checkpoint is not None
            spec = ClusterSpec(seed=self.seed, applications=(self.application,), salt=self.salt)
            copied = self.start.checkpoint.fork(spec)
            try:
                if not self.start.broken:
                    for fault, context in self._there(copied):
                        fault.inject(context)
                if repair:
                    self._repair(copied)
                self.known[name] = state_of(copied, self.application)
            finally:
                copied.close()
        return self.known[name]

    def _repair(self, copied: Cluster) -> None:
        for fault, context in self._there(copied):
            for command in fault.reference_fix(context):
                copied.kubectl(command)
        copied.clock.advance(SETTLE_S)

    def _there(self, copied: Cluster) -> Faults:
        return tuple(
            (fault, replace(context, cluster=copied, journal=UndoJournal()))
            for fault, context in self.faults
        )
