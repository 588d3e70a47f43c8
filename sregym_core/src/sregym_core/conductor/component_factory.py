"""The bench: everything loaded that episodes are put together from."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sregym_core.cluster_choice import reward_choice
from sregym_core.conductor.fitting import mismatch_reason_of
from sregym_core.errors import PluginClashError, UsageError
from sregym_core.model.noise_setting import parse_noise
from sregym_core.model.validation import explain
from sregym_core.modes import STANDARD
from sregym_core.package_hints import package_of
from sregym_core.plugins import Plugins
from sregym_core.problems import ProblemSet
from sregym_core.registry import Registry
from sregym_core.toolbox.toolset import OWN, Toolset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.conductor.persistent_deployment import StandingApplication
    from sregym_core.conductor.targets import Chooser
    from sregym_core.conductor.worlds import Worlds
    from sregym_core.interfaces import (
        Agent,
        Application,
        Cluster,
        ClusterProvider,
        Fault,
        FaultContext,
        Journal,
        Mode,
        Noise,
        Oracle,
        Reward,
        Routine,
    )
    from sregym_core.model import Component, FaultRef, FaultTarget, Problem, Target
    from sregym_core.settings import Settings


class ComponentFactory:
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

    @cached_property
    def toolset(self) -> Toolset:
        """The tools of sessions: their own, and those of all plugins.

        Raises:
            PluginClashError: A plugin's is called like one that each session has.
            PluginError: One cannot be loaded or made.
        """
        names = self.registry.in_order("tool")
        for name in names:
            if name in OWN:
                owner = self.registry.owner("tool", name)
                msg = (
                    f"tool {name!r} of {owner.owner} is called like one that each session has; "
                    f"uninstall it or set SREGYM_DISABLE={owner.name}"
                )
                raise PluginClashError(msg)
        return Toolset([self.registry.make("tool", name) for name in names])

    def application(self, name: str) -> Application:
        """The application of that name; one object serves all episodes, it holds no state.

        Args:
            name: `NAME`, or `NAME:key=value,key=value` for one that takes options.
        """
        if name not in self._applications:
            self._applications[name] = self.registry.application(name)
        return self._applications[name]

    def provider(self, name: str) -> ClusterProvider:
        """The cluster provider of that name."""
        provider: ClusterProvider = self.registry.make("cluster", name)
        return provider

    def worlds(
        self,
        name: str,
        options: Mapping[str, str],
        salt: str | None = None,
        standing: Callable[[Application, str], StandingApplication] | None = None,
    ) -> Worlds:
        """Where the clusters of the provider of that name come from; arguments as of `Worlds`."""
        from sregym_core.conductor.persistent_deployment import StandingApplication
        from sregym_core.conductor.worlds import Worlds

        kept = standing or StandingApplication
        return Worlds(self.provider(name), options, salt, kept, self.routines)

    @cached_property
    def routines(self) -> tuple[Routine, ...]:
        """The everyday life of simulated worlds: all that plugins offer."""
        registry = self.registry
        return tuple(registry.make("routine", name) for name in registry.names("routine"))

    def fault(self, name: str) -> Fault:
        """The fault primitive of that name."""
        fault: Fault = self.registry.make("fault", name)
        return fault

    def mode(self, name: str) -> Mode:
        """The mode of that name, the core's or that of a plugin.

        Raises:
            UsageError: There is none.
        """
        brought = self.registry.names("mode")
        if name in brought:
            made: Mode = self.registry.make("mode", name)
            return made
        if name == STANDARD.name:
            return STANDARD
        raise UsageError(self.registry.unknown("mode", name, [STANDARD.name, *brought]))

    def oracle(self, name: str) -> Oracle:
        """The oracle of that name, which `NAME:key=value,key=value` gives options."""
        return self.registry.oracle(name)

    def noise(self, name: str) -> Noise:
        """The noise source of that name."""
        noise: Noise = self.registry.make("noise source", name)
        return noise

    def agent(self, name: str, options: Mapping[str, str] | None = None) -> Agent:
        """A new agent adapter of that name."""
        agent: Agent = self.registry.make("agent", name, options)
        return agent

    def reward(self, name: str, options: Mapping[str, str] | None = None) -> Reward:
        """A new reward of that name, which `NAME:weight=number,...` gives weights, as `options` do."""
        name, weights = reward_choice(name)
        given = {**weights, **(options or {})}
        reward: Reward = self.registry.make("reward", name, given)
        return reward

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
        """A component of an application; `where` names the caller, for the error."""
        component = application.component(name)
        if component is None:
            known = [part.name for part in application.components()]
            text = self.registry.unknown("component", name, known)
            msg = f"{where}: {text} (application {application.name!r})"
            raise UsageError(msg)
        return component

    def parameters(self, fault: Fault, given: Mapping[str, Any], where: str) -> Any:
        """The fault's validated parameters; `where` names their origin, for the error."""
        try:
            return fault.Parameters.model_validate(dict(given))
        except ValidationError as error:
            owner = self.registry.owner("fault", fault.name).owner
            wrong = explain(error, fault.Parameters, dict(given), "parameter")
            raise UsageError(f"{where}, fault {fault.name!r} ({owner}): {wrong}") from error

    def check(self, problem: Problem) -> None:
        """Refuse a problem that cannot be played: an unknown part, wrong parameters, no fit."""
        application = self.application(problem.application)
        for name in (*problem.oracles.diagnosis, *problem.oracles.mitigation):
            self.oracle(name)
        for dose in map(parse_noise, problem.noise):
            self.noise(dose.name)
        where = f"problem {problem.id!r}"
        chooser = self.chooser(application, where)
        for ref in problem.single_faults:
            fault = self.fault(ref.fault)
            target = chooser.choose(ref.targets[0])
            self.parameters(fault, ref.parameters, where)
            if unfit := mismatch_reason_of(fault, ref.targets[0], target, application):
                msg = f"{where}: fault {ref.fault!r} {unfit}"
                raise UsageError(msg)

    def packages_missing(self, problem: Problem) -> frozenset[str]:
        """Official distributions that a problem needs and that are not installed."""
        needed = {("application", one) for one in problem.application.partition(":")[0].split("+")}
        needed |= {("fault", ref.fault) for ref in problem.single_faults}
        lacking = [package_of(kind, n) for kind, n in needed if n not in self.registry.names(kind)]
        return frozenset(filter(None, lacking))

    def chooser(
        self,
        application: Application,
        where: str,
        cluster: Cluster | None = None,
        seed: int = 0,
        taken: Sequence[str] = (),
    ) -> Chooser:
        """Chooses targets; `where` names the caller, for errors, `taken` which nodes are."""
        from sregym_core.conductor.targets import Chooser

        return Chooser(lambda name: self.component(application, name, where), cluster, seed, taken)

    def choose_again(
        self, faults: Sequence[tuple[Fault, FaultContext]], index: int, asked: Target
    ) -> FaultTarget:
        """The target of one of several faults, as its cluster is now; none gets another's node.

        Args:
            faults: All of an episode.
            index: Which of them.
            asked: Its target, as the problem names it.

        Raises:
            WorldError: Nothing is as wanted any more.
            MissingCapabilityError: The cluster cannot do to that node what the fault needs.
        """
        from sregym_core.conductor.targets import demand_capabilities, names_of_nodes

        fault, context = faults[index]
        before = [name for _, other in faults[:index] for name in names_of_nodes(other.target)]
        where = f"fault {fault.name!r}"
        chooser = self.chooser(context.application, where, context.cluster, context.seed, before)
        target = chooser.choose(asked)
        if target != context.target:
            demand_capabilities(context.cluster, ((fault, replace(context, target=target)),))
        return target

    def faults_in_context(
        self,
        problem: Problem,
        application: Application,
        cluster: Cluster,
        journal: Journal,
        seed: int,
        chosen: Sequence[FaultTarget] | None = None,
    ) -> tuple[tuple[Fault, FaultContext], ...]:
        """The faults of a problem in order, each with one target; no two get the same open node.

        Args:
            problem: Whose faults.
            application: To which the targets belong.
            cluster: Where.
            journal: Where undo steps go.
            seed: Of the episode.
            chosen: The target of each, where the cluster is broken already: what runs where has
                changed since they were chosen, and what was needed has been tried.

        Raises:
            MissingCapabilityError: The cluster cannot do to its nodes what a fault needs.
        """
        from sregym_core.conductor.targets import demand_capabilities

        if chosen is not None:
            return tuple(
                self._with_target(ref, target, application, cluster, journal, seed)
                for ref, target in zip(problem.single_faults, chosen, strict=True)
            )
        chooser = self.chooser(application, f"problem {problem.id!r}", cluster, seed)
        faults = tuple(
            self.fault_in_context(ref, application, cluster, journal, seed, chooser)
            for ref in problem.single_faults
        )
        demand_capabilities(cluster, faults)
        return faults

    def fault_in_context(
        self,
        ref: FaultRef,
        application: Application,
        cluster: Cluster,
        journal: Journal,
        seed: int,
        chooser: Chooser | None = None,
    ) -> tuple[Fault, FaultContext]:
        """A fault of a problem, on the first of its targets, with all that it works with.

        Args:
            ref: Of the problem, with a single target.
            application: To which the target belongs.
            cluster: Where.
            journal: Where undo steps go.
            seed: Of the episode.
            chooser: The same for all faults of an episode, so that no two get the same node.
        """
        chooser = chooser or self.chooser(application, f"fault {ref.fault!r}", cluster, seed)
        target = chooser.choose(ref.targets[0])
        return self._with_target(ref, target, application, cluster, journal, seed)

    def _with_target(
        self,
        ref: FaultRef,
        target: FaultTarget,
        application: Application,
        cluster: Cluster,
        journal: Journal,
        seed: int,
    ) -> tuple[Fault, FaultContext]:
        from sregym_core.interfaces import FaultContext

        fault = self.fault(ref.fault)
        context = FaultContext(
            cluster=cluster,
            application=application,
            target=target,
            parameters=self.parameters(fault, ref.parameters, f"fault {ref.fault!r}"),
            journal=journal,
            seed=seed,
        )
        return fault, context
