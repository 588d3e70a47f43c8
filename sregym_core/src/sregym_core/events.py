"""The timeline: one frozen dataclass for each thing that happens in an episode.

Events grow by new fields with defaults; their names and the meaning of their fields stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True)
class EpisodeStarted:
    """An episode begins."""

    problem: str
    agent: str
    seed: int
    cluster: str


@dataclass(frozen=True)
class Waiting:
    """A wait on a cluster on the wall clock.

    Sent when it begins, when what is waited for changes, and periodically.

    Attributes:
        phase: What goes on: `waiting until pods are ready`.
        waiting_for: What is not as it should be yet, one phrase each.
        left_s: After how many seconds it is given up; None where there is no such time.
    """

    phase: str
    waiting_for: tuple[str, ...] = ()
    left_s: float | None = None

    def text(self, most: int = 4) -> str:
        """The same for people, with at most so many phrases."""
        left = "" if self.left_s is None else f", {duration(self.left_s)} left"
        shown = "; ".join(self.waiting_for[:most])
        more = len(self.waiting_for) - most
        rest = f"; and {more} more" if more > 0 else ""
        return f"{self.phase}{left}" + (f": {shown}{rest}" if shown else "")


def duration(seconds: float) -> str:
    """`45 s`, `14 min 20 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@dataclass(frozen=True)
class ApplicationDeployed:
    """All parts of the application are ready."""

    application: str
    forked: bool


@dataclass(frozen=True)
class BaselineTaken:
    """The healthy system was recorded, with what its users see."""

    objects: int
    success_rate: float


@dataclass(frozen=True)
class FaultInjected:
    """A fault changed the system."""

    fault: str
    component: str


@dataclass(frozen=True)
class FaultConfirmed:
    """The defect is there, and users notice (or the problem is declared silent)."""

    success_rate: float
    silent: bool


@dataclass(frozen=True)
class AlertsAwaited:
    """The agent starts with the alerts that fired; none when `alerts` is 0."""

    alerts: int
    waited_s: float


@dataclass(frozen=True)
class AgentStarted:
    """The agent got its session."""

    agent: str
    privileged: bool
    mode: str = "standard"


@dataclass(frozen=True)
class SessionOpened:
    """Processes outside can reach the world; `endpoints` are base URLs by name.

    Those of the session itself require `token` as a bearer token.
    """

    kubeconfig: str
    endpoints: dict[str, str]
    instruction: str
    folder: str
    token: str = ""
    mode: str = "standard"
    submissions: tuple[str, ...] = ("diagnosis", "mitigation")
    alerts: dict[str, Any] | None = None


@dataclass(frozen=True)
class ToolCalled:
    """The agent used a tool."""

    tool: str
    summary: str
    exit_code: int | None


@dataclass(frozen=True)
class NoiseMade:
    """A noise source disturbed the system, or a disturbance of it is over.

    Attributes:
        noise: Name of the source.
        what: What it did, in one line.
        subjects: Names of the components, nodes and objects that it did it to.
    """

    noise: str
    what: str
    subjects: tuple[str, ...] = ()


@dataclass(frozen=True)
class WatchReported:
    """A watching agent reported that all is well, or reported an incident while there was none."""

    false_alarm: bool


@dataclass(frozen=True)
class Submitted:
    """The agent handed in a stage."""

    stage: str


@dataclass(frozen=True)
class StageGraded:
    """An oracle gave its verdict."""

    stage: str
    outcome: str
    score: float
    reason: str


@dataclass(frozen=True)
class AgentStopped:
    """The agent's part is over; `reason` is empty when it returned by itself."""

    reason: str


@dataclass(frozen=True)
class Recovered:
    """Faults were undone and the baseline compared."""

    exact: bool
    difference: str


@dataclass(frozen=True)
class EpisodeFinished:
    """The episode has its outcome."""

    outcome: str
    reason: str


EpisodeEvent: TypeAlias = (
    EpisodeStarted
    | Waiting
    | ApplicationDeployed
    | BaselineTaken
    | FaultInjected
    | FaultConfirmed
    | AlertsAwaited
    | AgentStarted
    | SessionOpened
    | ToolCalled
    | NoiseMade
    | WatchReported
    | Submitted
    | StageGraded
    | AgentStopped
    | Recovered
    | EpisodeFinished
)
