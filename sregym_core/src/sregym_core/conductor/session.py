"""The session: what an agent can do, with costs, limits, noise and a transcript."""

from __future__ import annotations

import shlex
import time
from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_core.errors import BudgetExceededError
from sregym_core.events import SessionOpened, Submitted, ToolCalled
from sregym_core.interfaces import Command, CommandResult, Receipt, Reference, Session, Stage
from sregym_core.model import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.conductor.timeline import Timeline
    from sregym_core.interfaces import Access, Budget, Clock, Cluster
    from sregym_core.model import Claims

# Modelled seconds on a virtual clock: what a person's kubectl takes, with the time to type it.
KUBECTL_COST_S = 2.0
OUTPUT_CAP = 16_000
SUBMISSION_CAP = 64_000


class LiveSession(Session):
    """The session of one episode.

    Args:
        cluster: Where the agent acts.
        timeline: Where its steps are told.
        instruction: What it is told.
        namespaces: Of the application.
        budget: Its limits.
        reference: The answer key for a privileged agent, else None.
        on_submit: Called with the stage that was submitted, its text and claims.
        before_call: Called before each tool call: lets due noise happen.
    """

    def __init__(
        self,
        cluster: Cluster,
        timeline: Timeline,
        instruction: str,
        namespaces: tuple[str, ...],
        budget: Budget,
        reference: Reference | None,
        on_submit: Callable[[Stage, str, Claims | None], None],
        before_call: Callable[[], None],
    ) -> None:
        self.transcript: list[ToolCall] = []
        self._cluster = cluster
        self._timeline = timeline
        self._instruction = instruction
        self._namespaces = namespaces
        self._budget = budget
        self._reference = reference
        self._on_submit = on_submit
        self._before_call = before_call
        self._stage = Stage.DIAGNOSIS
        self._access: Access | None = None
        self._began = timeline.at_s()
        self._wall_began = time.monotonic()

    @property
    def instruction(self) -> str:
        """What the agent is told."""
        return self._instruction

    @property
    def stage(self) -> Stage:
        """Which submission comes next."""
        return self._stage

    @property
    def clock(self) -> Clock:
        """The episode's clock."""
        return self._cluster.clock

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Namespaces of the application."""
        return self._namespaces

    @property
    def budget(self) -> Budget:
        """Limits of this session."""
        return self._budget

    def kubectl(self, command: str | Command) -> CommandResult:
        """Run a kubectl command and record it."""
        self._spend_step()
        try:
            parsed = _parse(command) if isinstance(command, str) else command
        except ValueError as error:
            result = CommandResult(1, stderr=f"error: {error}\n")
            parsed = Command(("kubectl",))
        else:
            result = self._cluster.kubectl(parsed)
        self._cluster.clock.spend(KUBECTL_COST_S)
        output = result.stdout + result.stderr
        shown = str(command)
        self._note("kubectl", {"command": shown}, output, result.exit_code, KUBECTL_COST_S)
        return result

    def wait(self, seconds: float) -> None:
        """Let episode time pass, with the disturbances that fall into it."""
        self._spend_step()
        until = self.clock.now() + max(seconds, 0.0)
        while self.clock.now() < until:
            self._before_call()
            self._check_time()
            self.clock.advance(min(10.0, until - self.clock.now()))
        self._note("wait", {"seconds": seconds}, "", None, seconds)

    def submit(self, text: str, claims: Claims | None = None) -> Receipt:
        """Hand in the current stage."""
        stage = self._stage
        if stage is Stage.DONE:
            return Receipt(False, stage, "both stages were submitted already; nothing was changed")
        if len(text) > SUBMISSION_CAP:
            limit = f"a submission may have {SUBMISSION_CAP} characters, this has {len(text)}"
            return Receipt(False, stage, f"{limit}; nothing was submitted")
        self._stage = Stage.MITIGATION if stage is Stage.DIAGNOSIS else Stage.DONE
        arguments = {"stage": str(stage), "text": text}
        if claims is not None:
            arguments["claims"] = claims.model_dump_json()
        self._note("submit", arguments, "", None, 0.0)
        self._timeline.record(Submitted(stage=str(stage)))
        self._on_submit(stage, text, claims)
        following = (
            "mitigation comes next" if self._stage is Stage.MITIGATION else "the episode ends"
        )
        return Receipt(True, self._stage, f"{stage} received; {following}")

    def access(self) -> Access:
        """Open the world to processes outside."""
        if self._access is None:
            self._access = self._cluster.open_access()
        return self._access

    @property
    def opened(self) -> Access | None:
        """How the world was opened to processes outside; None while it is not."""
        return self._access

    def announce(self, access: Access) -> None:
        """Tell people how to reach the world."""
        endpoints = dict(access.endpoints)
        opened = SessionOpened(
            str(access.kubeconfig), endpoints, self._instruction, str(access.folder)
        )
        self._timeline.record(opened)

    def reference(self) -> Reference:
        """The answer key."""
        if self._reference is None:
            msg = "the answer key is for privileged baselines only; this adapter is not one"
            raise PermissionError(msg)
        return self._reference

    def _spend_step(self) -> None:
        self._before_call()
        steps = self._budget.steps
        if steps is not None and len(self.transcript) >= steps:
            msg = f"the budget of {steps} tool calls is used up"
            raise BudgetExceededError(msg)
        self._check_time()

    def _check_time(self) -> None:
        if self._budget.episode_s is not None:
            used = self._timeline.at_s() - self._began
            if used > self._budget.episode_s:
                msg = f"the budget of {self._budget.episode_s:g} episode seconds is used up"
                raise BudgetExceededError(msg)
        wall_s = self._budget.wall_s
        if wall_s is not None and time.monotonic() - self._wall_began > wall_s:
            msg = f"the budget of {wall_s:g} wall-clock seconds is used up"
            raise BudgetExceededError(msg)

    def _note(
        self,
        tool: str,
        arguments: Mapping[str, object],
        output: str,
        exit_code: int | None,
        cost_s: float,
    ) -> None:
        call = ToolCall(
            at_s=self._timeline.at_s(),
            tool=tool,
            arguments=dict(arguments),
            exit_code=exit_code,
            output=output[:OUTPUT_CAP],
            truncated=len(output) > OUTPUT_CAP,
            digest=blake2b(output.encode(), digest_size=16).hexdigest(),
            cost_s=cost_s,
        )
        self.transcript.append(call)
        if tool != "submit":
            summary = str(next(iter(arguments.values()), ""))[:200]
            self._timeline.record(ToolCalled(tool=tool, summary=summary, exit_code=exit_code))


def _parse(text: str) -> Command:
    words = shlex.split(text)
    if words[:1] != ["kubectl"]:
        words = ["kubectl", *words]
    return Command(tuple(words))
