"""An oracle: judges what an agent said, or the state it left behind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces.application import Application, Traffic
    from sregym_core.interfaces.cluster import Cluster, KubeObject
    from sregym_core.interfaces.injector import Fault, FaultContext
    from sregym_core.model import (
        Claims,
        Component,
        GroundTruth,
        NodeSetting,
        ObjectRef,
        Problem,
        Verdict,
    )


@dataclass(frozen=True)
class Baseline:
    """The healthy system before injection, as the conductor recorded it.

    Attributes:
        objects: Configuration objects of the application's namespaces, by `str(ObjectRef)`.
        hidden: The cluster's `hidden_state`.
        traffic: What users saw.
        nodes: What is set on nodes, where the cluster gives access to them.
        machines: The cluster's `save_machines`.
        failed_pods: Pods of controllers that had failed for good before, and stayed as objects.
        stored: The cluster's `stored`, what is set on machines (`Host ...`) and silences of alerts
            (`Silence ...`).
        observed: Objects that are compared and not given back: volumes, aggregated APIs, addresses
            that were written by hand.
    """

    objects: Mapping[str, KubeObject]
    hidden: Mapping[str, str]
    traffic: Traffic
    nodes: tuple[NodeSetting, ...] = ()
    machines: object = None
    failed_pods: tuple[ObjectRef, ...] = ()
    stored: Mapping[str, str] = field(default_factory=dict)
    observed: Mapping[str, KubeObject] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemState:
    """What people decide of a system at one moment, and what its datastores hold.

    Attributes:
        objects: Configuration objects, by `str(ObjectRef)`, as in a baseline.
        stored: What no object tells, as in a baseline.
        observed: As in a baseline.
    """

    objects: Mapping[str, KubeObject]
    stored: Mapping[str, str] = field(default_factory=dict)
    observed: Mapping[str, KubeObject] = field(default_factory=dict)


class SystemStates(ABC):
    """The system at the moments that tell an agent's changes from everybody else's.

    Each is worked out when it is asked for: that may take a copy of the cluster and some time in it.
    """

    @abstractmethod
    def now(self) -> SystemState:
        """As it is while it is judged."""

    @abstractmethod
    def at_start(self) -> SystemState | None:
        """As the agent found it: broken. None where nobody knows."""

    @abstractmethod
    def repaired(self) -> SystemState | None:
        """As it was found, after the reference fix and nothing else. None where nobody knows."""


@dataclass(frozen=True)
class OracleContext:
    """All that an oracle works with. It reads the cluster and never writes to it.

    Attributes:
        cluster: The system under repair.
        application: Its application.
        problem: The problem, for its timing.
        ground_truths: Ground truth of each fault.
        faults: Each fault with the context it was injected with, for `Fault.present`.
        baseline: The healthy system.
        text: What the agent submitted in this stage.
        claims: The structured diagnosis, if any.
        states: The system now, as the agent found it, and as the reference fix leaves it; None where
            nobody keeps them.
        probe: Lets clients that are nobody's but the harness's ask for so many seconds, as users do,
            and tells what they saw. They are started for it outside the application's namespaces,
            under names that cannot be foreseen, and in a copy of the cluster where there can be one;
            there the pods of these workloads are started anew before. None where there are no such
            clients; what stands in their way is a `ProbeError`.
        brief: Whether the outcome alone is asked for: an oracle that knows that it is no pass may
            leave out every further check. On a pass it has made them all.
    """

    cluster: Cluster
    application: Application
    problem: Problem
    ground_truths: tuple[GroundTruth, ...]
    faults: tuple[tuple[Fault, FaultContext], ...]
    baseline: Baseline
    text: str = ""
    claims: Claims | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    states: SystemStates | None = None
    probe: Callable[[float, Sequence[ObjectRef]], Traffic] | None = None
    brief: bool = False


class ProbeError(Exception):
    """Clients of the harness could not be started in a system; the message says why."""


class Oracle(ABC):
    """Judges one stage.

    Attributes:
        name: The word in problems.
        stage: `diagnosis` or `mitigation`.
        accepts: Names of the options that it knows; most have none.
        options: What was given behind its name: `NAME:key=value,key=value`.

    Raises:
        UsageError: It does not know an option.
    """

    name: ClassVar[str]
    stage: ClassVar[str]
    accepts: ClassVar[tuple[str, ...]] = ()

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self.options: Mapping[str, str] = options or {}
        for name in self.options:
            if name not in self.accepts:
                has = f"it has: {', '.join(self.accepts)}" if self.accepts else "it has none"
                msg = f"oracle {self.name!r} has no option {name!r}; {has}"
                raise UsageError(msg)

    @abstractmethod
    def judge(self, context: OracleContext) -> Verdict:
        """Give a verdict with named checks. May let the clock advance; same world, same verdict.

        What it raises becomes a verdict of `error`, never of `fail`.
        """


class DiagnosisOracle(Oracle):
    """Judges a diagnosis by ground truth and the application's components alone.

    Such an oracle needs no cluster, so `sregym judge` can run it over diagnoses in a file. Questions
    of its verdicts are checks: `pass` or tolerated with `got` of `yes`, `no` or `unknown`.

    Attributes:
        questions: Names of the checks that answer questions, by dimension and in order. With several
            root causes a name may be followed by the one that is meant, in brackets.
        asks: The questions themselves, by these names.
    """

    stage: ClassVar[str] = "diagnosis"
    questions: ClassVar[tuple[tuple[str, ...], ...]] = ()
    asks: ClassVar[Mapping[str, str]] = {}

    def judge(self, context: OracleContext) -> Verdict:
        """Judge what was submitted by the context's truths and components."""
        components = context.application.components()
        return self.judge_diagnosis(context.text, context.claims, context.ground_truths, components)

    @abstractmethod
    def judge_diagnosis(
        self,
        text: str,
        claims: Claims | None,
        ground_truths: Sequence[GroundTruth],
        components: Sequence[Component],
    ) -> Verdict:
        """Give a verdict with a check for each question; same input, same verdict.

        Args:
            text: As submitted.
            claims: The structured diagnosis, if any.
            ground_truths: All root causes, at least one.
            components: The application's.
        """

    def verdict_of(
        self, answers: Sequence[Mapping[str, bool | None]], ground_truths: Sequence[GroundTruth]
    ) -> Verdict:
        """The verdict that follows from a person's answers.

        Args:
            answers: For each root cause, by question; None where the answer is not known.
            ground_truths: The root causes.

        Raises:
            UsageError: The oracle asks no questions that a person could answer.
        """
        msg = f"oracle {self.name!r} asks no questions; choose one that does, like 'checklist'"
        raise UsageError(msg)
