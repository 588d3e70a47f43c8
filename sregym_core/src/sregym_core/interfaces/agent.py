"""The agent's side: an adapter drives some agent through a session.

Nothing here leads to faults, ground truth or oracles.
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
    """Where an episode stands, as the agent may know it."""

    DIAGNOSIS = "diagnosis"
    MITIGATION = "mitigation"
    DONE = "done"


@dataclass(frozen=True)
class Task:
    """What a session asks for: the mode of the episode, for programs.

    Attributes:
        mode: Name of the mode, as behind `--mode`.
        submissions: The stages that are handed in, in order.
        judged: The stages that are graded. One that is judged and not handed in is judged at the
            last submission.
        watching: Whether nothing was reported: the agent has to notice by itself, and the system
            may be healthy when it begins.
    """

    mode: str = "standard"
    submissions: tuple[Stage, ...] = (Stage.DIAGNOSIS, Stage.MITIGATION)
    judged: tuple[Stage, ...] = (Stage.DIAGNOSIS, Stage.MITIGATION)
    watching: bool = False


@dataclass(frozen=True)
class Access:
    """How processes outside reach the world.

    Attributes:
        kubeconfig: Path of a kubeconfig file.
        endpoints: By name (`kubernetes`, `prometheus` ...), base URLs.
        folder: A folder of this session's own, where adapters may write.
        token: What endpoints of the session itself ask for, as a bearer token.
    """

    kubeconfig: Path
    endpoints: Mapping[str, str]
    folder: Path
    token: str = ""


@dataclass(frozen=True)
class Receipt:
    """The answer to a submission: what stage follows. Never says whether it was right."""

    accepted: bool
    stage: Stage
    message: str = ""


@dataclass(frozen=True)
class Reference:
    """The answer key. Only privileged baselines get it; the record says that they did.

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
        tokens: Tokens of a language model, prompts and completions together, as far as the
            adapter tells of them.
    """

    episode_s: float | None = 1800.0
    wall_s: float | None = 1800.0
    steps: int | None = None
    tokens: int | None = None


class Session(ABC):
    """What an adapter gets: instruction, tools, submission. One per episode.

    A call that would exceed the budget raises `sregym_core.errors.BudgetExceededError`, which the
    adapter lets pass: the episode then ends and is graded as it stands.
    """

    @property
    @abstractmethod
    def instruction(self) -> str:
        """What the agent is told."""

    @property
    @abstractmethod
    def stage(self) -> Stage:
        """Which submission comes next."""

    @property
    def task(self) -> Task:
        """What is asked for."""
        return Task()

    @property
    def alerts(self) -> Mapping[str, Any] | None:
        """The alerts that the agent was told of, as a payload of Alertmanager's webhook."""
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
        """Limits of this session; an adapter that runs a process ends it when they are used up."""

    @property
    @abstractmethod
    def tools(self) -> tuple[Tool, ...]:
        """What can be called by name; the same in process and through the gateway."""

    @abstractmethod
    def call(self, tool: str, arguments: Mapping[str, object]) -> ToolResult:
        """Use a tool as a language model does: by name, with arguments as JSON has them.

        A wrong name, wrong arguments or a refusal are a result that says so, not an exception.
        """

    @abstractmethod
    def note_tokens(self, prompt: int, completion: int, cached: int = 0) -> None:
        """Tell what a request to a language model cost; it counts against the budget.

        `cached` is the part of `prompt` that the provider had kept.
        """

    def note_agent(self, version: str = "", model: str = "") -> None:  # noqa: B027 - optional
        """Record which version of a program acts, and with which language model."""

    def note_message(self, text: str) -> None:  # noqa: B027 - optional
        """Record what the agent said between its calls: its thoughts, its summary."""

    def note_own_call(  # noqa: B027 - optional
        self, tool: str, arguments: Mapping[str, object], output: str, ok: bool
    ) -> None:
        """Record a call of a tool of the agent's own that the session knows nothing of.

        It has happened already; it counts as a step.
        """

    @abstractmethod
    def kubectl(self, command: str | Command) -> CommandResult:
        """Run a kubectl command; a string is split as a shell would, with no shell behind it.

        Commands that would read or write files of this machine, ask back or never end are refused.
        """

    @abstractmethod
    def wait(self, seconds: float) -> None:
        """Let episode time pass."""

    def run_due_events(self) -> None:  # noqa: B027 - nothing is due by default
        """Let happen what is due on the episode's clock.

        Calls do it by themselves; an adapter that waits for processes outside does it in between.
        Raises `BudgetExceededError` when time or tokens are used up.
        """

    @abstractmethod
    def submit(self, text: str, claims: Claims | None = None) -> Receipt:
        """Hand in the current stage, as `task` orders them.

        Where nothing was reported (`task.watching`), a submission that says "no incident", or
        that reports one while the system is healthy, leaves the stage as it is.
        """

    @property
    def policy(self) -> Policy:
        """As whom an agent acts in the cluster, what is refused and what is hidden.

        The same for the tool `kubectl` and for an agent's own clients.
        """
        from sregym_core.policy import Policy

        return Policy()

    def note_requests(self, requests: Sequence[ApiRequest]) -> None:  # noqa: B027 - optional
        """Record what the agent's own clients asked the Kubernetes API."""

    def note_attempts(self, attempts: Sequence[Attempt]) -> None:  # noqa: B027 - optional
        """Record what somebody tried at the session's endpoints that was not theirs."""

    @abstractmethod
    def access(self) -> Access:
        """Open the world to processes outside (once; later calls return the same)."""

    @abstractmethod
    def announce(self, access: Access) -> None:
        """Tell people that everything behind `access` is reachable: `sregym up` prints it.

        An adapter that serves endpoints of its own adds them before.
        """

    @abstractmethod
    def reference(self) -> Reference:
        """The answer key; raises `PermissionError` for an adapter that is not privileged."""


class Agent(ABC):
    """Drives an agent through one session. One instance per episode.

    Attributes:
        name: The word behind `--agent`.
        privileged: Whether it needs the answer key: baselines that prove problems do.
        served: Whether a process outside acts in the session: the cluster's clock then keeps
            pace with the wall clock.
        accepts: Names of the options that it knows; None when it looks itself.
        options: What the user gave with `--agent-option name=value`.

    Raises:
        UsageError: It does not know an option: one that is misspelt may have been for its walls.
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
        """What it needs and is not there, in words: the key of a provider, a program.

        Asked before many episodes are begun; empty when nothing is known to be missing.
        """
        return ""

    @abstractmethod
    def run(self, session: Session) -> None:
        """Act until done. Returning without a submission is graded as no submission.

        What it raises ends the agent's part; the episode is graded as it stands and the record
        says what was raised.
        """


@dataclass(frozen=True)
class AgentDescription:
    """What an episode needs to know of whoever acts in it.

    Attributes:
        name: As records name it.
        privileged: Whether it gets the answer key.
        served: Whether a process outside acts in the session.
    """

    name: str
    privileged: bool = False
    served: bool = False

    @classmethod
    def of(cls, agent: Agent) -> AgentDescription:
        """That of an adapter."""
        return cls(agent.name, agent.privileged, agent.served)
