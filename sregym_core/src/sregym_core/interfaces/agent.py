"""Interface of agents: an adapter runs an agent in a session.

This module imports nothing of faults, ground truth or oracles, so that no adapter can reach them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sregym_core.interfaces.clock import Clock
    from sregym_core.interfaces.cluster import Command, CommandResult
    from sregym_core.interfaces.tools import Tool, ToolResult
    from sregym_core.model import ApiRequest, Attempt, Claims
    from sregym_core.policy import Policy


class Stage(StrEnum):
    """The submission that an episode expects next."""

    DIAGNOSIS = "diagnosis"
    MITIGATION = "mitigation"
    DONE = "done"


@dataclass(frozen=True)
class Task:
    """What the agent has to submit and is graded by, machine-readable.

    Attributes:
        mode: Name of the mode, as behind `--mode`.
        submissions: The stages that the agent submits, in order.
        judged: The stages that are graded. A graded stage without a submission of its own is graded
            at the last submission.
        watching: Whether no incident is reported to the agent: it has to detect the fault itself, and
            the system may still be healthy when the agent starts.
    """

    mode: str = "standard"
    submissions: tuple[Stage, ...] = (Stage.DIAGNOSIS, Stage.MITIGATION)
    judged: tuple[Stage, ...] = (Stage.DIAGNOSIS, Stage.MITIGATION)
    watching: bool = False


@dataclass(frozen=True)
class Access:
    """How processes outside the harness reach the cluster.

    Attributes:
        kubeconfig: Path of a kubeconfig file.
        endpoints: By name (`kubernetes`, `prometheus` ...), base URLs.
        folder: A directory that belongs to this session; adapters may write files there.
        token: Bearer token that the session's own endpoints require.
        LOG: File in `folder` in which an adapter keeps what the agent's process writes for people;
            the conductor moves it to the episode's files, as it does the next.
        EVENTS: The same for programs.
    """

    LOG: ClassVar[str] = "agent.log"
    EVENTS: ClassVar[str] = "agent.jsonl"
    kubeconfig: Path
    endpoints: Mapping[str, str]
    folder: Path
    token: str = ""


@dataclass(frozen=True)
class Receipt:
    """The response to a submission: the next stage. It never reveals whether the submission is right."""

    accepted: bool
    stage: Stage
    message: str = ""


@dataclass(frozen=True)
class Reference:
    """Diagnosis and repair that are known to be right. Only privileged agents get it, which is recorded.

    Attributes:
        diagnosis: The root cause in a sentence.
        claims: The same in fields.
        fix: The commands of the reference fix.
        fixes: The same by fault, one part for each target, in the order of the problem.
    """

    diagnosis: str
    claims: Claims
    fix: tuple[Command, ...]
    fixes: tuple[tuple[Command, ...], ...] = ()


@dataclass(frozen=True)
class Budget:
    """Limits of a session; None means none.

    Attributes:
        episode_s: Seconds on the episode's clock.
        wall_s: Wall-clock seconds.
        steps: Tool calls.
        tokens: Tokens of language models, prompts and completions together, as reported with
            `Session.note_tokens`.

    Raises:
        UsageError: One is no number, or below 0.
    """

    episode_s: float | None = 1800.0
    wall_s: float | None = 1800.0
    steps: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not (isinstance(value, int | float) and value >= 0):
                msg = f"Budget: {name} must be a number of 0 or more, or None for no limit, not {value!r:.80}"
                raise UsageError(msg)


class Session(ABC):
    """The interface through which an adapter acts in one episode: instruction, tools, submissions.

    A call that would exceed the budget raises `sregym_core.errors.BudgetExceededError`. The adapter
    must not catch it: the episode then ends, and the present state is graded.
    """

    @property
    @abstractmethod
    def instruction(self) -> str:
        """The task as text, for the prompt of the agent."""

    @property
    @abstractmethod
    def stage(self) -> Stage:
        """The submission that is expected next."""

    @property
    def task(self) -> Task:
        """Mode, submissions and graded stages of this episode."""
        return Task()

    @property
    def alerts(self) -> Mapping[str, Any] | None:
        """The alerts of the instruction, as the JSON payload of Alertmanager's webhook; None without."""
        return None

    @property
    @abstractmethod
    def clock(self) -> Clock:
        """The episode's clock."""

    @property
    @abstractmethod
    def namespaces(self) -> tuple[str, ...]:
        """Namespaces of the application."""

    @property
    @abstractmethod
    def budget(self) -> Budget:
        """Limits of this session. An adapter that runs a process stops it when they are exhausted."""

    @property
    @abstractmethod
    def tools(self) -> tuple[Tool, ...]:
        """Tools for `call`; the gateway serves the same ones."""

    @abstractmethod
    def call(self, tool: str, arguments: Mapping[str, object]) -> ToolResult:
        """Call a tool by name, with arguments as decoded from JSON.

        An unknown name, invalid arguments and refusals are returned as a result with `ok` False
        and a text that explains it; only `BudgetExceededError` is raised.
        """

    @abstractmethod
    def note_tokens(self, prompt: int, completion: int, cached: int = 0) -> None:
        """Record the tokens of one request to a language model; they count against the budget.

        `cached` is the part of `prompt` that the provider read from its prompt cache.
        """

    def note_agent(self, version: str = "", model: str = "") -> None:  # noqa: B027 - optional
        """Record the version of the agent's program and the name of its language model."""

    def note_message(self, text: str) -> None:  # noqa: B027 - optional
        """Append a text of the agent between its tool calls to the transcript: reasoning, a summary."""

    def note_own_call(  # noqa: B027 - optional
        self, tool: str, arguments: Mapping[str, object], output: str, ok: bool
    ) -> None:
        """Append a call of a tool that the agent brought itself to the transcript.

        It has been executed already; it counts as a step of the budget.
        """

    @abstractmethod
    def kubectl(self, command: str | Command) -> CommandResult:
        """Run a kubectl command; a string is split as a shell would, with no shell behind it.

        Commands that access local files, are interactive or do not terminate are refused.
        """

    @abstractmethod
    def wait(self, seconds: float) -> None:
        """Let `seconds` pass on the clock of the episode."""

    def run_due_events(self) -> None:  # noqa: B027 - nothing is due by default
        """Run events that are due on the episode's clock, such as noise or the fault in mode `proactive`.

        Every tool call does so itself; an adapter that waits for an external process calls this
        about once a second. Raises `BudgetExceededError` when time or tokens are exhausted.
        """

    @abstractmethod
    def submit(self, text: str, claims: Claims | None = None) -> Receipt:
        """Submit the current stage, in the order of `task.submissions`.

        If `task.watching`, a submission of "no incident", or of an incident while the system is
        still healthy, does not advance the stage.
        """

    @property
    def policy(self) -> Policy:
        """Identity and rights of the agent in the cluster, and the objects that are hidden from it.

        It holds for the tool `kubectl` and for the agent's own clients.
        """
        from sregym_core.policy import Policy

        return Policy()

    def note_requests(self, requests: Sequence[ApiRequest]) -> None:  # noqa: B027 - optional
        """Record requests of the agent's own clients to the Kubernetes API."""

    def note_attempts(self, attempts: Sequence[Attempt]) -> None:  # noqa: B027 - optional
        """Record unauthorised requests to the session's endpoints."""

    @abstractmethod
    def access(self) -> Access:
        """Open endpoints for external processes; later calls return the same value."""

    @abstractmethod
    def announce(self, access: Access) -> None:
        """Announce that all endpoints of `access` are reachable; `sregym up` prints them.

        An adapter that serves endpoints of its own adds them to `access` first.
        """

    @abstractmethod
    def reference(self) -> Reference:
        """Diagnosis and repair that are known to be right.

        Raises:
            PermissionError: The agent is not `privileged`.
        """


class Agent(ABC):
    """Drives an agent through one session. One instance per episode.

    Attributes:
        name: The word behind `--agent`.
        privileged: Whether it needs `Session.reference`, as baselines that prove problems do.
        served: Whether an external process acts in the session: the clock of a simulated cluster
            then follows the wall clock.
        accepts: Names of its options; None if its constructor validates them.
        options: What the user gave with `--agent-option name=value`.

    Raises:
        UsageError: An option is unknown; a misspelt one may have been meant for the sandbox.
    """

    name: ClassVar[str]
    privileged: ClassVar[bool] = False
    served: ClassVar[bool] = False
    accepts: ClassVar[tuple[str, ...] | None] = None

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self.options: Mapping[str, str] = options or {}
        for name in self.options:
            if self.accepts is not None and name not in self.accepts:
                has = f"it has: {', '.join(self.accepts)}" if self.accepts else "it has none"
                msg = f"agent {self.name!r} has no option {name!r}; {has}"
                raise UsageError(msg)

    def missing(self) -> str:
        """Which prerequisite is missing, as text: the API key of a provider, a program on `PATH`.

        Called before a run or campaign starts; empty if nothing is known to be missing.
        """
        return ""

    @abstractmethod
    def run(self, session: Session) -> None:
        """Act in the episode until all stages are submitted.

        A stage without a submission when this returns is graded as failed. An exception ends the
        agent's turn as well: the present state is graded, and the record holds the exception.
        """


@dataclass(frozen=True)
class AgentDescription:
    """Properties of the agent of an episode.

    Attributes:
        name: As records name it.
        privileged: Whether it may read `Session.reference`.
        served: Whether an external process acts in the session.
    """

    name: str
    privileged: bool = False
    served: bool = False

    @classmethod
    def of(cls, agent: Agent) -> AgentDescription:
        """The properties of an adapter."""
        return cls(agent.name, agent.privileged, agent.served)
