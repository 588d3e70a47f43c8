"""What workers of runs and proofs work with: loaded plugins, and worlds with their checkpoints."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.errors import SregymError
from sregym_core.interfaces import ClusterError

from sregym_runs.worker_pool import END_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_core.conductor.persistent_deployment import StandingApplication
    from sregym_core.conductor.worlds import Worlds
    from sregym_core.interfaces import Application
    from sregym_core.settings import Settings

# On a real cluster workers remove what they deployed before they end.
_REMOVED_S = 900.0


@dataclass(frozen=True)
class WorkerContext:
    """What a worker works with.

    Attributes:
        factory: Loaded plugins.
        worlds: Source of worlds.
        tell: Passes a value to the process that started the workers.
    """

    factory: ComponentFactory
    worlds: Worlds
    tell: Callable[[Any], None]


@dataclass(frozen=True)
class PreparedWorlds:
    """Loaded plugins and worlds: a forked worker inherits them with all checkpoints.

    Pickled, for a worker that inherits nothing, it is what both are made of.

    Attributes:
        factory: Loaded plugins.
        worlds: Source of worlds.
        cluster: Name of the provider of `worlds`.
    """

    factory: ComponentFactory
    worlds: Worlds
    cluster: str

    def __reduce__(self) -> tuple[Any, ...]:
        worlds = self.worlds
        settings = self.factory.settings
        return _prepare, (settings, self.cluster, worlds.options, worlds.salt, worlds.standing)

    @property
    def end_s(self) -> float:
        """Seconds that an interrupted worker may need to end in order."""
        return END_S if self.worlds.provider.simulated else _REMOVED_S

    @contextmanager
    def opened(self, number: int, tell: Callable[[Any], None]) -> Iterator[WorkerContext]:
        """In a worker: its context, whose worlds are given back after it."""
        if not self.worlds.provider.simulated:
            self.worlds.share(number)
        yield WorkerContext(self.factory, self.worlds, tell)
        try:
            self.worlds.close()
        except (SregymError, ClusterError) as error:
            sys.stderr.write(f"warning: {error}\n")
            sys.stderr.flush()


def _prepare(
    settings: Settings,
    cluster: str,
    options: Mapping[str, str],
    salt: str,
    standing: Callable[[Application, str], StandingApplication],
) -> PreparedWorlds:
    factory = ComponentFactory(settings)
    return PreparedWorlds(factory, factory.worlds(cluster, options, salt, standing), cluster)
