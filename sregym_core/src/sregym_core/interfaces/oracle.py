"""Interface of oracles: they grade an agent's diagnosis, or the state that it left behind."""

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
    """Configuration of a system at one moment, and the content of its datastores.

    Attributes:
        objects: Configuration objects, by `str(ObjectRef)`, as in a baseline.
        stored: State outside of API objects, as in a baseline.
        observed: As in a baseline.
    """

    objects: Mapping[str, KubeObject]
    stored: Mapping[str, str] = field(default_factory=dict)
    observed: Mapping[str, KubeObject] = field(default_factory=dict)


class SystemStates(ABC):
    """States of the system that separate an agent's changes from all others.

    Each is computed on demand, possibly in a fork of the cluster and with time passing there.
    """

    @abstractmethod
    def now(self) -> SystemState:
        """The present state."""

    @abstractmethod
    def at_start(self) -> SystemState | None:
        """The faulty state at the start of the agent; None if it was not kept."""

    @abstractmethod
    def repaired(self) -> SystemState | None:
        """The state at the start of the agent with the reference fix applied; None if unknown."""


@dataclass(frozen=True)
class OracleContext:
    """Arguments of an oracle, which reads the cluster and never writes to it.

    Attributes:
        cluster: The system under repair.
        application: Its application.
        problem: The problem, for its timing.
        ground_truths: Ground truth of each fault.
        faults: Each fault with the context it was injected with, for `Fault.present`.
        baseline: The healthy system.
        text: The agent's submission for this stage.
        claims: The structured diagnosis; None if only text was submitted.
        options: Options of the oracle, as in `Oracle.options`.
        states: The system now, at the start of the agent, and after the reference fix; None if they
            were not kept.
        probe: `probe(seconds, workloads)` sends requests as users do, from clients of the harness,
            and returns their traffic. The clients run outside of the application's namespaces, with
            unpredictable names, and in a fork of the cluster if it can be forked; there the pods of
            `workloads` are restarted first. Raises `ProbeError` if clients cannot be started. None
            for applications without such clients.
        brief: Whether only the outcome matters: after a failed check the oracle may skip the
            remaining ones. For a pass it has run all of them.
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
    """Clients of the harness could not be started; the message says why."""


class Oracle(ABC):
    """Grades one stage of an episode.

    Attributes:
        name: Its name in problems.
        stage: `diagnosis` or `mitigation`.
        accepts: Names of its options; none by default.
        options: Options by name, as in `NAME:key=value,key=value`.

    Raises:
        UsageError: An option is unknown.
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
        """Return a verdict with named checks.

        May let time pass on the cluster's clock. The same state of the cluster has to give the same
        verdict. An exception becomes a verdict with outcome `error`, never `fail`.
        """


class DiagnosisOracle(Oracle):
    """Grades a diagnosis by ground truth and the application's components alone.

    It needs no cluster, so `sregym judge` can run it on diagnoses in a file. Each question is one
    check of the verdict, whose `got` is `yes`, `no` or `unknown`.

    Attributes:
        questions: Names of the checks that are questions, by dimension and in order. With several
            root causes the name of a check may end with the one it is about, in brackets.
        asks: Text of each question, by these names.
    """

    stage: ClassVar[str] = "diagnosis"
    questions: ClassVar[tuple[tuple[str, ...], ...]] = ()
    asks: ClassVar[Mapping[str, str]] = {}

    def judge(self, context: OracleContext) -> Verdict:
        """Grade the submission of a context; calls `judge_diagnosis`."""
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
        """Return a verdict with a check for each question; deterministic.

        Args:
            text: The diagnosis as submitted.
            claims: The structured diagnosis; None if only text was submitted.
            ground_truths: All root causes, at least one.
            components: The components of the application.
        """

    def verdict_of(
        self, answers: Sequence[Mapping[str, bool | None]], ground_truths: Sequence[GroundTruth]
    ) -> Verdict:
        """The verdict that follows from answers to the questions, such as a person's.

        Args:
            answers: One mapping for each root cause: question to answer; None if it is unknown.
            ground_truths: The root causes, in the same order.

        Raises:
            UsageError: The oracle has no questions.
        """
        msg = f"oracle {self.name!r} asks no questions; choose one that does, like 'checklist'"
        raise UsageError(msg)
