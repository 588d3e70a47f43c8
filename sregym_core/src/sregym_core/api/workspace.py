"""What environments share: loaded plugins, and the worlds that episodes start from."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sregym_core.api.arguments import checked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.worlds import Worlds
    from sregym_core.interfaces import Agent, Application, Mode, Oracle, Reward
    from sregym_core.model import Problem
    from sregym_core.settings import Settings


class Workspace:
    """Loaded plugins with the warm worlds of one process.

    Environments with one workspace start from each other's checkpoints: a problem that was played
    before with the same seed is reset in milliseconds. On a real cluster the application stays
    deployed from episode to episode until the workspace is closed. Not safe for several threads.

    Args:
        settings: Which plugins to load; None for what the environment variables say.
        factory: Plugins that are loaded already, instead.
    """

    @checked
    def __init__(
        self, settings: Settings | None = None, factory: ComponentFactory | None = None
    ) -> None:
        from sregym_core.conductor.component_factory import ComponentFactory
        from sregym_core.settings import Settings

        self.factory = factory or ComponentFactory(settings or Settings.from_environment())
        self._worlds: dict[tuple[str, tuple[tuple[str, str], ...], str | None], Worlds] = {}

    @checked
    def worlds(
        self, cluster: str, options: Mapping[str, str] | None = None, salt: str | None = None
    ) -> Worlds:
        """Where the clusters of one kind come from.

        Args:
            cluster: As behind `--cluster`: `embedded`, `kubeconfig:CONTEXT`.
            options: More options of that kind of cluster.
            salt: From a record, for worlds with the same keys; None for one of this workspace.

        Raises:
            UsageError: There is no such kind of cluster, or it has no such option.
        """
        from sregym_core.cluster_choice import cluster_choice

        name, named = cluster_choice(cluster)
        chosen = {**named, **(options or {})}
        key = (name, tuple(sorted(chosen.items())), salt)
        if key not in self._worlds:
            self.factory.provider(name).check(chosen)
            self._worlds[key] = self.factory.worlds(name, chosen, salt)
        return self._worlds[key]

    @checked
    def problem(self, name: str) -> Problem:
        """The problem of that id, if it can be played.

        Raises:
            UsageError: There is none, or a component that it names is missing.
        """
        found = self.factory.problems.get(name)
        self.factory.check(found)
        return found

    @checked
    def resolved(self, problem: str | Problem) -> Problem:
        """A problem as it is, or the one of an id.

        Raises:
            UsageError: There is none.
        """
        return self.factory.problems.get(problem) if isinstance(problem, str) else problem

    @checked
    def application(self, name: str) -> Application:
        """The application of that name."""
        return self.factory.application(name)

    @checked
    def agent(self, name: str, options: Mapping[str, str] | None = None) -> Agent:
        """A new adapter of that name."""
        return self.factory.agent(name, options)

    @checked
    def oracle(self, name: str) -> Oracle:
        """A new oracle of that name, which `NAME:key=value,key=value` gives options."""
        return self.factory.oracle(name)

    @checked
    def mode(self, name: str) -> Mode:
        """The mode of that name.

        Raises:
            UsageError: There is none.
        """
        return self.factory.mode(name)

    @checked
    def reward(self, name: str, options: Mapping[str, str] | None = None) -> Reward:
        """A new reward of that name, with weights as options."""
        return self.factory.reward(name, options)

    @checked
    def simulated(self, cluster: str) -> bool:
        """Whether each cluster of a kind is a world of its own; `cluster` as for `worlds`."""
        return self.worlds(cluster).provider.simulated

    def apart(self) -> Workspace:
        """One with the same plugins and worlds of its own, for another thread."""
        return Workspace(factory=self.factory)

    def close(self) -> None:
        """Remove what was deployed on real clusters, and forget all checkpoints."""
        for worlds in self._worlds.values():
            worlds.close()
        self._worlds.clear()

    def __enter__(self) -> Workspace:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


def shared() -> Workspace:
    """The workspace of all environments of this process that were given none.

    It is the one thing that a process keeps: without it each environment would load plugins and
    deploy applications anew. It holds nothing that an episode could see.
    """
    from sregym_core.settings import Settings

    return _workspace(Settings.from_environment())


@cache
def _workspace(settings: Settings) -> Workspace:
    return Workspace(settings)
