"""Plays one problem and keeps what could be observed of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.api import Budget, Environment
from sregym_core.errors import WorldError
from sregym_core.events import (
    AgentStarted,
    BaselineTaken,
    FaultConfirmed,
    FaultInjected,
    ToolCalled,
)
from sregym_core.interfaces import AgentDescription, Reward
from sregym_core.model import Outcome
from sregym_rollouts import trajectory

from sregym_dataset.causes import attributed, causal_graph
from sregym_dataset.objects import Watched
from sregym_dataset.observed import Observed
from sregym_dataset.schema import PERIODS, TELEMETRY

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sregym_core.api import EpisodeRecord, Workspace
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Agent, Cluster, RewardFacts
    from sregym_core.model import Component, GroundTruth, Problem

    from sregym_dataset.causes import Attributed

# How often objects are looked at while no agent acts, and how much of the healthy system is kept.
LOOK_S = 15.0
NORMAL_S = 300.0
# Collectors are asked no more often, and at first for as much.
TRACES_S = 10.0
NOBODY = "nobody"
_TELLING = (BaselineTaken, FaultInjected, FaultConfirmed, AgentStarted, ToolCalled)


@dataclass(frozen=True)
class Played:
    """What is known of one case.

    Attributes:
        tables: Rows by name: `normal_metrics`, `abnormal_metrics` ..., `events`, `objects`.
        labels: The ground truth, moments and outcomes.
        graph: The causal graph.
        transcript: What an agent did, in ATIF; None where no agent acted.
    """

    tables: Mapping[str, list[dict[str, Any]]]
    labels: Mapping[str, Any]
    graph: Mapping[str, Any]
    transcript: Mapping[str, Any] | None


class _Truths(Reward):
    """Learns the ground truth of the world that was played; what it gives is dropped."""

    name: ClassVar[str] = "truths"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.found: tuple[GroundTruth, ...] = ()

    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        """Keep the truths."""
        self.found = facts.ground_truths
        return {}


class _Play:
    """One episode with what is looked at meanwhile; made before its environment, which tells it."""

    def __init__(self, watched: Watched, names: Names, traces: bool) -> None:
        self.watched = watched
        self._traces = traces
        self.injected_s: list[float] = []
        self.baseline_s: float | None = None
        self.started_s: float | None = None
        self._names = names
        self._observed: Observed | None = None
        self._last = 0.0
        self.environment: Environment | None = None

    def hear(self, _episode: str, event: EpisodeEvent) -> None:
        """Look whenever something has happened that may have changed the system."""
        if isinstance(event, FaultInjected) and self.environment is not None:
            self.injected_s.append(self.environment.at_s)
        if isinstance(event, BaselineTaken) and self.environment is not None:
            self.baseline_s = self.environment.at_s
        if isinstance(event, AgentStarted) and self.environment is not None:
            self.started_s = self.environment.at_s
        if isinstance(event, _TELLING):
            self.look()

    def look(self) -> None:
        """Note objects, events and, where they are kept, the newest traces."""
        assert self.environment is not None
        cluster = self.environment.cluster
        self.watched.look(cluster)
        now = cluster.clock.now()
        if self._traces and now - self._last >= TRACES_S:
            self.observed.look_at_traces(self._last or now - TRACES_S)
            self._last = now

    @property
    def observed(self) -> Observed:
        """What asks the services of the episode's cluster."""
        assert self.environment is not None
        if self._observed is None:
            self._observed = Observed(self.environment.cluster, self._names.of_pod)
        return self._observed


def play_case(
    workspace: Workspace,
    problem: Problem,
    seed: int,
    *,
    agent: Agent | None = None,
    minutes: float = 10.0,
    normal_s: float = NORMAL_S,
    cluster: str = "embedded",
    telemetry: Collection[str] = TELEMETRY,
) -> Played:
    """Break a system, let an agent or none act, and keep what could be observed.

    Args:
        workspace: Loaded plugins, with no world of this problem and seed: of one that is kept
            already the time before the agent's start cannot be watched.
        problem: What is broken.
        seed: Of the world.
        agent: The agent that acts; None lets `minutes` pass without one.
        minutes: How long, in minutes, the system is left alone.
        normal_s: How much of the time before the injection is kept, in seconds.
        cluster: As behind `--cluster`.
        telemetry: Which of metrics, logs and traces are kept. To ask for them takes most of the time;
            without traces the graph does not say when calls first failed.

    Raises:
        WorldError: The world was not right.
    """
    components = workspace.application(problem.application).components()
    named = Names(components)
    watched = Watched(workspace.application(problem.application).namespaces, named.of_object)
    ground_truths = _Truths()
    description = AgentDescription(NOBODY) if agent is None else AgentDescription.of(agent)
    play = _Play(watched, named, "traces" in telemetry)
    environment = play.environment = Environment(
        problem,
        seed=seed,
        cluster=cluster,
        agent=description,
        reward=ground_truths,
        recover=False,
        budget=Budget(episode_s=None, wall_s=None),
        workspace=workspace,
        on_event=play.hear,
    )
    with environment:
        environment.reset()
        began = environment.cluster.clock.now() - environment.at_s
        _act(play, agent, minutes)
        ended = environment.cluster.clock.now()
        injected = began + (play.injected_s[0] if play.injected_s else environment.at_s)
        spans = {
            "normal": (injected - normal_s, injected),
            "abnormal": (injected, ended),
        }
        tables = {
            f"{period}_{table}": play.observed.rows(table, *spans[period])
            for table in telemetry
            if table != "traces"
            for period in PERIODS
        }
        play.look()
        # An injection lasts; and what fails once an agent acts may be its doing.
        broken = injected if play.baseline_s is None else began + play.baseline_s
        alone = ended if agent is None or play.started_s is None else began + play.started_s
        lasting = {"normal": (broken - normal_s, broken), "abnormal": (broken, alone)}
        told = _told(environment.cluster, named, lasting)
        record = environment.end().model_copy(update={"reward": None})
    if record.outcome is Outcome.ERROR:
        raise WorldError(record.reason)
    tables |= {"events": watched.events, "objects": watched.rows}
    kept = play.observed.spans if "traces" in telemetry else []
    traces = _by_period(kept, round(injected * 1e9))
    if "traces" in telemetry:
        tables |= {f"{period}_traces": rows for period, rows in traces.items()}
    return Played(
        tables=tables,
        labels=_labels(problem, record, ground_truths.found, spans, began),
        graph=causal_graph(components, ground_truths.found, traces, round(injected * 1e9), told),
        transcript=None if agent is None else trajectory(record),
    )


def _told(
    cluster: Cluster, names: Names, spans: Mapping[str, tuple[float, float]]
) -> dict[str, Attributed] | None:
    """What the cluster knows of whose failing calls made whose requests fail, by period."""
    found = {}
    for period, span in spans.items():
        failures = cluster.failures(*span)
        if failures is None:
            return None
        found[period] = attributed(failures, names.of_pod, names.of_host)
    return found


def _by_period(rows: list[dict[str, Any]], injected_ns: int) -> dict[str, list[dict[str, Any]]]:
    """Spans by the period in which their traces began, oldest first."""
    began: dict[str, int] = {}
    for row in rows:
        began[row["trace_id"]] = min(row["timestamp"], began.get(row["trace_id"], row["timestamp"]))
    ordered = sorted(rows, key=lambda row: int(row["timestamp"]))
    return {
        "normal": [row for row in ordered if began[row["trace_id"]] < injected_ns],
        "abnormal": [row for row in ordered if began[row["trace_id"]] >= injected_ns],
    }


def _act(play: _Play, agent: Agent | None, minutes: float) -> None:
    environment = play.environment
    assert environment is not None
    if agent is not None:
        environment.act(agent.run)
        return
    clock = environment.cluster.clock
    until = clock.now() + minutes * 60.0
    while (left := until - clock.now()) > 0:
        clock.advance(min(LOOK_S, left))
        play.look()


def _labels(
    problem: Problem,
    record: EpisodeRecord,
    ground_truths: tuple[GroundTruth, ...],
    spans: Mapping[str, tuple[float, float]],
    began: float,
) -> dict[str, Any]:
    def passed(stage: Any) -> str | None:
        return None if stage is None else str(stage.verdict.outcome)

    return {
        "problem": problem.id,
        "application": problem.application,
        "seed": record.seed,
        "salt": record.salt,
        "mode": record.mode,
        "noise": list(problem.noise),
        "level": problem.layer,
        "faults": [
            {"fault": ref.fault, "targets": [str(target) for target in ref.targets]}
            for ref in problem.faults
        ],
        "root_causes": [
            {
                "component": truth.component,
                "kind": truth.kind,
                "name": truth.object_name,
                "namespace": truth.namespace,
                "reason": truth.mechanism,
                "changed": truth.changed.model_dump(),
                "contributing": list(truth.contributing),
                "affected": list(truth.affected),
                "impact": truth.impact,
            }
            for truth in ground_truths
        ],
        "injected_at": spans["abnormal"][0],
        "periods": {name: {"start": start, "end": end} for name, (start, end) in spans.items()},
        "alerts": record.alerts,
        "agent": record.agent,
        "outcome": str(record.outcome) if record.agent != NOBODY else None,
        "diagnosis": passed(record.diagnosis),
        "mitigation": passed(record.mitigation),
        "timeline": [
            {"timestamp": began + entry.at_s, "event": entry.event, **entry.fields}
            for entry in record.timeline
            if entry.event in ("FaultInjected", "FaultConfirmed", "NoiseMade", "AgentStarted")
        ],
    }


class Names:
    """To which component of an application something belongs.

    Args:
        components: Of the application.
    """

    def __init__(self, components: tuple[Component, ...]) -> None:
        self._workloads = {
            ref.name: part.name for part in components for ref in (part.workload, *part.workloads)
        }
        self._services = {use.name: part.name for part in components for use in _services(part)}
        self._names = {part.name for part in components}

    def of_pod(self, pod: str, other: str = "") -> str:
        """That of a pod, or else of a service or workload; empty where it belongs to none."""
        parts = pod.split("-")
        for length in range(len(parts), 0, -1):
            if (found := self._workloads.get("-".join(parts[:length]))) is not None:
                return found
        if other in self._names:
            return other
        return self._services.get(other) or self._workloads.get(other) or ""

    def of_host(self, host: str) -> str:
        """That of a Service by its name in DNS, that of one of its pods included."""
        labels = host.split(".")[:2]
        return next((self._services[one] for one in labels if one in self._services), "")

    def of_object(self, kind: str, name: str) -> str:
        """That of an object."""
        if kind in ("Service", "EndpointSlice"):
            return self._services.get(name) or self.of_pod(name, name)
        return self.of_pod(name, name)


def _services(part: Component) -> list[Any]:
    found = [use.ref for use in part.services]
    return [*found, *([part.service] if part.service is not None else [])]
