"""The bench: everything loaded that episodes are put together from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sregym_core.errors import UsageError
from sregym_core.plugins import Plugins
from sregym_core.problems import ProblemSet
from sregym_core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import (
        Agent,
        Application,
        Cluster,
        ClusterProvider,
        Fault,
        FaultContext,
        Journal,
        Noise,
        Oracle,
    )
    from sregym_core.model import Component, FaultRef, Problem
    from sregym_core.settings import Settings


class Bench:
    """Loaded plugins, and the components they make by name.

    Args:
        settings: Which plugins to load.
        plugins: Plugins that are loaded already; tests register their own there.
    """

    def __init__(self, settings: Settings, plugins: Plugins | None = None) -> None:
        self.settings = settings
        self.plugins = plugins or Plugins(settings)
        self.registry = Registry(self.plugins)
        self._applications: dict[str, Application] = {}

    @cached_property
    def problems(self) -> ProblemSet:
        """All problems, read on first use."""
        return ProblemSet(self.registry)

    def application(self, name: str) -> Application:
        """The application of that name; one object serves all episodes, it holds no state."""
        if name not in self._applications:
            self._applications[name] = self.registry.load("application", name)()
        return self._applications[name]

    def provider(self, name: str) -> ClusterProvider:
        """The cluster provider of that name."""
        provider: ClusterProvider = self.registry.load("cluster", name)()
        return provider

    def fault(self, name: str) -> Fault:
        """The fault primitive of that name."""
        fault: Fault = self.registry.load("fault", name)()
        return fault

    def oracle(self, name: str) -> Oracle:
        """The oracle of that name."""
        oracle: Oracle = self.registry.load("oracle", name)()
        return oracle

    def noise(self, name: str) -> Noise:
        """The noise source of that name."""
        noise: Noise = self.registry.load("noise source", name)()
        return noise

    def agent(self, name: str, options: Mapping[str, str] | None = None) -> Agent:
        """A new agent adapter of that name."""
        agent: Agent = self.registry.load("agent", name)(options)
        return agent

    def agents(self, names: Sequence[str], options: Mapping[str, str]) -> list[Agent]:
        """New adapters for a run of several agents: each gets the options that it knows.

        An option that none of them knows is refused by the first.
        """
        known = {name: self.registry.load("agent", name).accepts for name in names}

        def takes(name: str, option: str) -> bool:
            accepted = known[name]
            return accepted is None or option in accepted

        def wanted(name: str, option: str) -> bool:
            return takes(name, option) or not any(takes(other, option) for other in names)

        return [
            self.agent(name, {o: value for o, value in options.items() if wanted(name, o)})
            for name in names
        ]

    def component(self, application: Application, name: str, where: str) -> Component:
        """A component of an application; `where` says who asks, for the error."""
        component = application.component(name)
        if component is None:
            known = [part.name for part in application.components()]
            text = self.registry.unknown("component", name, known)
            msg = f"{where}: {text} (application {application.name!r})"
            raise UsageError(msg)
        return component

    def parameters(self, fault: Fault, given: Mapping[str, Any], where: str) -> Any:
        """The fault's validated parameters; `where` says who gave them, for the error."""
        try:
            return fault.Parameters.model_validate(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"])) or "parameters"
            owner = self.registry.owner("fault", fault.name).owner
            msg = f"{where}, parameter {field!r} of fault {fault.name!r} ({owner}): {first['msg']}"
            raise UsageError(msg) from error

    def check(self, problem: Problem) -> None:
        """Refuse a problem that cannot be played: an unknown part, wrong parameters, no fit."""
        application = self.application(problem.application)
        for name in (*problem.oracles.diagnosis, *problem.oracles.mitigation):
            self.oracle(name)
        for name in problem.noise:
            self.noise(name)
        for ref in problem.faults:
            where = f"problem {problem.id!r}"
            fault = self.fault(ref.fault)
            component = self.component(application, ref.target, where)
            self.parameters(fault, ref.parameters, where)
            if not fault.fits(component):
                msg = f"{where}: fault {ref.fault!r} does not fit component {ref.target!r} (see: sregym faults pairs)"
                raise UsageError(msg)

    def fault_in_context(
        self,
        ref: FaultRef,
        application: Application,
        cluster: Cluster,
        journal: Journal,
        seed: int,
    ) -> tuple[Fault, FaultContext]:
        """A fault of a problem with all that it works with."""
        from sregym_core.interfaces import FaultContext

        where = f"fault {ref.fault!r}"
        fault = self.fault(ref.fault)
        context = FaultContext(
            cluster=cluster,
            application=application,
            component=self.component(application, ref.target, where),
            parameters=self.parameters(fault, ref.parameters, where),
            journal=journal,
            seed=seed,
        )
        return fault, context
