"""The session: what an agent can do, with costs, limits, noise and a transcript."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Any

from sregym_core.conductor import stages
from sregym_core.conductor.call_log import CallLog, Note
from sregym_core.conductor.endpoint_calls import OutsideCalls, session_opened
from sregym_core.events import Submitted
from sregym_core.interfaces import (
    Command,
    CommandRefusedError,
    CommandResult,
    Receipt,
    Session,
    Stage,
    Task,
    ToolResult,
)
from sregym_core.interfaces.session_tool import PagedArguments, ToolError, clock_time
from sregym_core.model import Tokens
from sregym_core.policy import Policy
from sregym_core.toolbox import arguments as forms
from sregym_core.toolbox.output import Output
from sregym_core.toolbox.paging import Pages
from sregym_core.toolbox.toolset import Toolset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.conductor.timeline import Timeline
    from sregym_core.interfaces import (
        Access,
        Budget,
        Clock,
        Cluster,
        EpisodeResources,
        Reference,
        ServiceAnswer,
    )
    from sregym_core.interfaces.session_tool import ToolArguments
    from sregym_core.interfaces.tools import Tool
    from sregym_core.model import ApiRequest, Attempt, Claims, ToolCall

# Modelled seconds on a virtual clock: what a person's kubectl takes, with the time to type it.
KUBECTL_COST_S = 2.0
QUERY_COST_S = 1.0  # the same for a query in a dashboard
SUBMISSION_CAP = 64_000


class LiveSession(Session):
    """The session of one episode.

    Args:
        cluster: Where the agent acts.
        timeline: Where its steps are recorded.
        instruction: Its text.
        namespaces: Of the application.
        budget: Its limits.
        reference: The answer key for a privileged agent, else None.
        on_submit: Called with the stage that was submitted, its text and claims.
        before_call: Called before each tool call: lets due noise happen.
        policy: As whom the agent acts and what it never sees; None for everything.
        task: What is requested.
        alerts: Those that were reported to the agent.
        hear: Called before a submission is taken as that of a stage: what it returns is given to the
            agent instead, and the stage stays as it is. Empty for going on; None calls nothing.
        toolset: What can be called by name; None for the session's own tools alone.
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
        policy: Policy | None = None,
        *,
        task: Task | None = None,
        alerts: Mapping[str, Any] | None = None,
        hear: Callable[[Stage, str, Claims | None], str] | None = None,
        toolset: Toolset | None = None,
    ) -> None:
        self._cluster = cluster
        self._timeline = timeline
        self._instruction = instruction
        self._namespaces = namespaces
        self._reference = reference
        self._on_submit = on_submit
        self._before_call = before_call
        self._task = task or Task()
        self._alerts = alerts
        self._hear = hear
        self.toolset = toolset or Toolset()
        self._stage = self._task.submissions[0]
        self._access: Access | None = None
        self.agent_version = self.model = ""
        self._call_log = CallLog(timeline, budget)
        self._pages = Pages()
        self._policy = policy or Policy()
        self.outside = OutsideCalls()
        self.resources: EpisodeResources | None = None

    def fork(
        self,
        cluster: Cluster,
        timeline: Timeline,
        on_submit: Callable[[Stage, str, Claims | None], None],
        before_call: Callable[[], None],
        policy: Policy,
        hear: Callable[[Stage, str, Claims | None], str] | None,
    ) -> LiveSession:
        """An equal session that goes on by itself in a forked cluster; arguments as above."""
        twin = copy(self)
        twin._cluster, twin._timeline, twin._policy = cluster, timeline, policy
        twin._on_submit, twin._before_call, twin._hear = on_submit, before_call, hear
        twin._call_log = self._call_log.fork(timeline)
        twin._pages, twin.outside = self._pages.fork(), self.outside.fork()
        return twin

    def give(self, resources: EpisodeResources | None) -> None:
        """Let the agent have what its mode gives besides the system."""
        self.resources = resources
        if resources is not None:
            self.toolset = self.toolset.extended(resources.tools)

    @property
    def transcript(self) -> Sequence[ToolCall]:
        """All calls so far."""
        return self._call_log.calls

    @property
    def tokens(self) -> Tokens | None:
        """The language model as the adapter reported it; None when it did not."""
        return self._call_log.tokens

    @property
    def instruction(self) -> str:
        """The instruction of the agent."""
        return self._instruction

    @property
    def stage(self) -> Stage:
        """Which submission comes next."""
        return self._stage

    @property
    def task(self) -> Task:
        """What is requested."""
        return self._task

    @property
    def alerts(self) -> Mapping[str, Any] | None:
        """The alerts that were reported to the agent."""
        return self._alerts

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
        return self._call_log.budget

    @property
    def wall_left_s(self) -> float | None:
        """Wall-clock seconds that are left; None when there is no such limit."""
        return self._call_log.wall_left_s()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What can be called by name."""
        return self.toolset.tools()

    def call(self, tool: str, arguments: Mapping[str, object]) -> ToolResult:
        """Use a tool by name and read its answer as a language model does."""
        try:
            given = self.toolset.validated(tool, arguments)
        except ToolError as error:
            self._spend_step()
            self._call_log.note(Note(tool, arguments, f"{error}", ok=False))
            return ToolResult(str(error), ok=False)
        if isinstance(given, PagedArguments) and given.page > 1:
            return self._another_page(tool, given)
        match given:
            case forms.Kubectl():
                output = self._kubectl_text(given)
            case forms.Wait():
                self.wait(given.seconds)
                output = Output(f"it is {clock_time(self.clock.now())}")
            case forms.Submit():
                receipt = self.submit(given.text, given.claims)
                output = Output(receipt.message, receipt.accepted)
            case _:
                output = self._observed(tool, given)
        shown = given.model_dump(exclude_defaults=True)
        pages = self._pages.keep(tool, shown, output)
        if pages > 1:
            text, ok, _ = self._pages.page(tool, shown, 1)
            return ToolResult(text, ok, 1, pages)
        return ToolResult(output.text, output.ok)

    @property
    def last_words(self) -> str:
        """Text of the agent after its last call."""
        return self._call_log.said

    def note_tokens(self, prompt: int, completion: int, cached: int = 0) -> None:
        """Count what a language model used."""
        self._call_log.spend_tokens(Tokens(prompt=prompt, completion=completion, cached=cached))

    def note_agent(self, version: str = "", model: str = "") -> None:
        """Keep who acts; earlier values stay where none is given now."""
        self.agent_version = version or self.agent_version
        self.model = model or self.model

    def note_message(self, text: str) -> None:
        """Keep the agent's text for the call that follows."""
        self._call_log.hear(text)

    def note_own_call(
        self, tool: str, arguments: Mapping[str, object], output: str, ok: bool
    ) -> None:
        """Record a call of a tool of the agent's own."""
        self._call_log.begin()
        self._call_log.note(Note(tool, arguments, output, ok=ok, own=True))
        self._call_log.check_steps()

    def kubectl(self, command: str | Command) -> CommandResult:
        """Run a kubectl command and record it."""
        self._spend_step()
        try:
            parsed = self._read(command) if isinstance(command, str) else command
            self._check(parsed)
        except CommandRefusedError as error:
            result = CommandResult(1, stderr=f"error: {error}\n")
        else:
            result = self._call_log.in_time(lambda: self._cluster.kubectl_for(parsed, self._policy))
        self._call_log.in_time(lambda: self._cluster.clock.spend(KUBECTL_COST_S))
        text, given = result.stdout + result.stderr, {"command": str(command)}
        note = Note("kubectl", given, text, result.exit_code, KUBECTL_COST_S, result.ok)
        self._call_log.note(note)
        return result

    def _read(self, line: str, stdin: str = "") -> Command:
        return self._cluster.operations.read_command(line, stdin)

    def _check(self, command: Command) -> None:
        self._cluster.operations.check_command(command)
        if self._stage is Stage.DONE:
            raise CommandRefusedError(f"{stages.all_in(self._task)} already; the session is over")

    def observe(
        self, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """Send a request to a service for a tool that is being called."""
        return self._call_log.in_time(
            lambda: self._cluster.observe_for(self._policy, service, path, query)
        )

    def now(self) -> float:
        """Seconds since the Unix epoch on the episode's clock."""
        return self.clock.now()

    def wait(self, seconds: float) -> None:
        """Let episode time pass, with the disturbances that fall into it."""
        self._spend_step()
        until = self.clock.now() + max(seconds, 0.0)
        while self.clock.now() < until:
            self._before_call()
            self._call_log.check_time()
            self._call_log.in_time(lambda: self.clock.advance(min(10.0, until - self.clock.now())))
        self._call_log.note(Note("wait", {"seconds": seconds}, cost_s=seconds))

    def submit(self, text: str, claims: Claims | None = None) -> Receipt:
        """Hand in the current stage; what is refused is recorded too."""
        self._call_log.begin()
        stage = self._stage
        arguments = {"stage": str(stage), "text": text}
        if claims is not None:
            arguments["claims"] = claims.model_dump_json()
        if stage is Stage.DONE:
            return self._refused(
                arguments, f"{stages.all_in(self._task)} already; nothing was changed"
            )
        if len(text) > SUBMISSION_CAP:
            limit = f"a submission may have {SUBMISSION_CAP} characters, this has {len(text)}"
            arguments["text"] = text[:SUBMISSION_CAP]
            return self._refused(arguments, f"{limit}; nothing was submitted")
        answer = "" if self._hear is None else self._hear(stage, text, claims)
        if answer:
            self._call_log.note(Note("submit", arguments, answer))
            return Receipt(True, stage, answer)
        self._stage = stages.following(self._task, stage)
        self._call_log.note(Note("submit", arguments))
        self._timeline.record(Submitted(stage=str(stage)))
        self._on_submit(stage, text, claims)
        following = "the episode ends" if self._stage is Stage.DONE else f"{self._stage} comes next"
        return Receipt(True, self._stage, f"{stage} received; {following}")

    def run_due_events(self) -> None:
        """Let happen what is due on the episode's clock, the end of a used-up budget included."""
        if self._stage is not Stage.DONE:
            self._before_call()
            self._call_log.check_time()

    @property
    def policy(self) -> Policy:
        """As whom the agent acts in the cluster, what is refused and what is hidden."""
        return self._policy

    def note_requests(self, requests: Sequence[ApiRequest]) -> None:
        """Record requests of the agent's own clients, up to a number that fills no disk."""
        self.outside.add_requests(requests, self._timeline.at_s())

    def note_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Record attempts, up to a number that fills no disk."""
        self.outside.add_attempts(attempts, self._timeline.at_s())

    def access(self) -> Access:
        """Open the world to processes outside."""
        if self._access is None:
            self._access = self._cluster.open_access_for(self._policy)
            if not self._call_log.calls:  # a simulated world is moved to wall-clock time
                self._call_log.start()
        return self._access

    @property
    def opened(self) -> Access | None:
        """How the world was opened to processes outside; None while it is not."""
        return self._access

    def announce(self, access: Access) -> None:
        """Publish how people reach the world."""
        self._timeline.record(session_opened(access, self._instruction, self._task, self._alerts))

    def reference(self) -> Reference:
        """The answer key."""
        if self._reference is None:
            msg = "the answer key is for privileged baselines only; this adapter is not one"
            raise PermissionError(msg)
        return self._reference

    def _kubectl_text(self, given: forms.Kubectl) -> Output:
        line: str | Command = given.command
        if given.stdin:
            with suppress(CommandRefusedError):  # told and recorded below, like any other
                line = self._read(given.command, given.stdin)
        result = self.kubectl(line)
        text = (result.stdout + result.stderr).rstrip("\n")
        if not result.ok:
            return Output(f"{text}\n(exit code {result.exit_code})".lstrip("\n"), ok=False)
        return Output(text or "(no output)")

    def _observed(self, tool: str, given: ToolArguments) -> Output:
        self._spend_step()
        cost_s = 0.0
        if tool == "status":
            output = Output(self._status())
        else:
            output = self.toolset.respond(tool, self, given)
            cost_s = QUERY_COST_S
            self._call_log.in_time(lambda: self._cluster.clock.spend(QUERY_COST_S))
        shown = given.model_dump(exclude_defaults=True)
        self._call_log.note(Note(tool, shown, output.text, cost_s=cost_s, ok=output.ok))
        return output

    def _another_page(self, tool: str, given: PagedArguments) -> ToolResult:
        """A page of an answer that was given: nothing runs again, so nothing can have changed."""
        self._spend_step()
        shown = given.model_dump(exclude_defaults=True)
        text, ok, pages = self._pages.page(tool, shown, given.page)
        self._call_log.note(Note(tool, shown, text, ok=ok))
        return ToolResult(text, ok, given.page, pages)

    def _status(self) -> str:
        following = stages.what_is_next(self._task, self._stage)
        return "\n".join([following, f"it is {clock_time(self.now())}", *self._call_log.left()])

    def _refused(self, arguments: Mapping[str, object], reason: str) -> Receipt:
        self._call_log.note(Note("submit", arguments, reason, ok=False))
        return Receipt(False, self._stage, reason)

    def _spend_step(self) -> None:
        self._before_call()
        self._call_log.check()
