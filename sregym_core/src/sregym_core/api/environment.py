"""An environment: one problem and seed as something that is reset, stepped, forked and closed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_core.api.arguments import checked
from sregym_core.api.errors import (
    CannotForkError,
    EnvironmentClosedError,
    EpisodeOpenError,
    EpisodeOverError,
    NoEpisodeError,
)
from sregym_core.api.task import Observation, TaskDescription, check_call, claims_of
from sregym_core.api.workspace import shared
from sregym_core.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from sregym_core.api.workspace import Workspace
    from sregym_core.conductor.episode import EpisodePlayer
    from sregym_core.conductor.session import LiveSession
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import AgentDescription, Budget, Cluster, Journal, Reward, Session
    from sregym_core.interfaces.tools import ToolResult
    from sregym_core.model import Claims, EpisodeRecord, Problem, ToolCall

EPISODE = "episode"

_DONE = "done"  # `Stage.DONE`, whose module would load most of the interfaces


class Environment:
    """Episodes of one problem, one after another.

    Nothing is made before `reset`. As a context manager it is closed at the end, graded or not.
    Not safe for several threads; forks are environments of their own.

    Args:
        problem: Its id, or a `Problem`: one of your own, or `pair(...)`.
        seed: Of the world. The same seed and the same steps give the same bytes.
        salt: From the record of another episode, to play it again with its keys and moments; None
            for that of the workspace.
        mode: How the episode is put to the agent: `standard`, `reactive`, `proactive` ...
        cluster: As behind `--cluster`: `embedded`, `kubeconfig:CONTEXT`.
        cluster_options: More options of that kind of cluster.
        noise: Sources of noise as `NAME` or `NAME=LEVEL`; None for those of the problem.
        noise_level: How much of a mixture of all sources, 0 to 3; None for that of the problem.
        budget: Limits of the agent; None for those of `sregym run`.
        start_before_s: In mode `proactive`: the system is healthy when the agent starts and breaks
            within so many seconds. None: it is broken before.
        reward: Name of a reward, or a `Reward` (`workspace.reward(...)`): what episodes are worth to
            a trainer. Observations and the record carry it; None for none.
        recover: False spends no time on recovering a simulated world that is not needed any more;
            the record then says `recovered=False`.
        agent: Who acts, for the record; whether it gets the answer key, and whether processes
            outside connect.
        episode: Id of the episode in its record.
        attempt: 1 for the first with the same problem and agent.
        folder: Where the undo journal and the record are written; None for nowhere.
        session_folder: Where a served session keeps its kubeconfig; None for a temporary folder.
        broken: False plays the healthy control: no fault is injected.
        prepare: Called as `prepare(cluster, journal)` before the agent starts: puts into the world
            what is to be there besides. What it journals is undone.
        on_event: Called as `on_event(episode, event)` for each event of the timeline.
        workspace: Loaded plugins and warm worlds that several environments share; None for the one
            that all environments of this process share.

    Raises:
        UsageError: There is no such problem, mode, noise or kind of cluster.
    """

    @checked
    def __init__(
        self,
        problem: str | Problem,
        *,
        seed: int = 0,
        salt: str | None = None,
        mode: str = "standard",
        cluster: str = "embedded",
        cluster_options: Mapping[str, str] | None = None,
        noise: Sequence[str] | None = None,
        noise_level: int | None = None,
        budget: Budget | None = None,
        start_before_s: float | None = None,
        reward: str | Reward | None = None,
        recover: bool = True,
        agent: AgentDescription | None = None,
        episode: str = EPISODE,
        attempt: int = 1,
        folder: Path | None = None,
        session_folder: Path | None = None,
        broken: bool = True,
        prepare: Callable[[Cluster, Journal], None] | None = None,
        on_event: Callable[[str, EpisodeEvent], None] | None = None,
        workspace: Workspace | None = None,
    ) -> None:
        from sregym_core.conductor.plan import EpisodePlan
        from sregym_core.interfaces import AgentDescription, Budget
        from sregym_core.model.noise_setting import with_noise
        from sregym_core.modes import check_start

        self._workspace = workspace or shared()
        self._owns_worlds = workspace is None
        self._worlds = self._workspace.worlds(cluster, cluster_options, salt)
        factory = self._workspace.factory
        chosen = factory.mode(mode)
        check_start(chosen, start_before_s)
        found = with_noise(self._workspace.resolved(problem), noise, noise_level)
        factory.check(found)
        self._plan = EpisodePlan(
            episode=episode,
            problem=found,
            agent=agent or AgentDescription("environment"),
            seed=seed,
            attempt=attempt,
            budget=budget or Budget(),
            folder=folder,
            session_folder=session_folder,
            inject=broken,
            extra_setup=prepare,
            mode=chosen,
            start_before_s=start_before_s,
            reward=self._workspace.reward(reward) if isinstance(reward, str) else reward,
            recover=recover,
        )
        self._settled = 0.0
        self._on_event = on_event
        self._player: EpisodePlayer | None = None
        self._record: EpisodeRecord | None = None
        self._closed = False

    # ------------------------------------------------------------------ episodes

    @property
    def seed(self) -> int:
        """Seed of the world."""
        return self._plan.seed

    @property
    def session(self) -> Session:
        """The agent's side of the open episode, as adapters get it."""
        return self._session("session")

    @property
    def transcript(self) -> tuple[ToolCall, ...]:
        """Calls of tools in the open episode so far, as its record will list them."""
        return (*self._session("transcript").transcript,)

    @property
    def at_s(self) -> float:
        """Seconds on the clock of the open episode since it began."""
        return self._open("at_s").at_s

    @property
    def cluster(self) -> Cluster:
        """The harness's side of the open episode, with all rights: never hand it to an agent."""
        return self._open("cluster").cluster

    @property
    def record(self) -> EpisodeRecord | None:
        """The record of the episode that ended last."""
        return self._record

    @checked
    def reset(self, seed: int | None = None) -> TaskDescription:
        """Begin an episode: deploy, warm up, break.

        Args:
            seed: Of another world; None keeps the seed. Where an episode is open, it is given up
                when a seed is named.

        Raises:
            EpisodeOpenError: An episode is open and no seed was named.
            WorldError: The world was not right; `record` holds what happened.
        """
        from sregym_core.conductor.episode import EpisodePlayer
        from sregym_core.sealing import Seal

        self._refuse_closed("reset")
        if self._player is not None:
            if seed is None:
                raise EpisodeOpenError
            self._player.drop()
            self._player = None
        if seed is not None:
            self._plan = replace(self._plan, seed=seed)
        if self._plan.folder is not None and self._plan.seal is None:
            self._plan = replace(self._plan, seal=Seal.made())
        self._record, self._settled = None, 0.0
        player = EpisodePlayer(self._workspace.factory, self._worlds, self._plan, self._on_event)
        self._player = player
        player.begin()
        session = player.session
        if session is None or player.stopped:
            self._give_up(player)
        assert session is not None  # the line above raised otherwise
        return TaskDescription.of(session)

    @checked
    def step(self, tool: str, /, **arguments: object) -> Observation:
        """Use a tool.

        Args:
            tool: Its name.
            arguments: As its schema says.

        Raises:
            UnknownToolError: There is no such tool; nothing was done, nothing is recorded.
            ToolArgumentError: It does not take these arguments; nothing was done.
            EpisodeOverError: The agent's part is over.
        """
        check_call(self._session("step"), tool, arguments)
        return self.call(tool, arguments)

    @checked
    def call(self, tool: str, arguments: Mapping[str, object]) -> Observation:
        """Use a tool as a language model does: what is wrong with the call is an observation.

        It is recorded and counts as a step.

        Raises:
            EpisodeOverError: The agent's part is over.
        """
        results: list[ToolResult] = []
        self._act("call", lambda session: results.append(session.call(tool, arguments)))
        for result in results:
            return self._observed(result.text, result.ok, result.page, result.pages)
        return self._observed(self._open("call").stopped, ok=False)

    @checked
    def submit(self, text: str, claims: Claims | Mapping[str, Any] | None = None) -> Observation:
        """Hand in the current stage.

        Args:
            text: The diagnosis, or word that the repair is done.
            claims: The diagnosis in fields, besides.

        Raises:
            ToolArgumentError: The claims have a field that there is not.
            EpisodeOverError: The agent's part is over.
        """
        given = claims_of("submit", claims)
        receipts: list[tuple[str, bool]] = []

        def hand_in(session: LiveSession) -> None:
            receipt = session.submit(text, given)
            receipts.append((receipt.message, receipt.accepted))

        self._act("submit", hand_in)
        for message, accepted in receipts:
            return self._observed(message, accepted)
        return self._observed(self._open("submit").stopped, ok=False)

    @checked
    def act(self, part: Callable[[Session], object]) -> None:
        """Let a function of the session act; what it raises ends the agent's part.

        Raises:
            EpisodeOverError: The agent's part is over.
        """
        self._act("act", part)

    def fork(self) -> Environment:
        """An equal environment at this moment: the same steps give the same bytes in both.

        Nothing that is done in one is seen in the other. A fork has no folder of its own.

        Raises:
            CannotForkError: The cluster is a real one, or processes outside are connected.
        """
        from copy import copy

        player = self._open("fork").fork()
        if player is None:
            raise CannotForkError(self._worlds.provider.name)
        twin = copy(self)
        twin._plan = replace(self._plan, folder=None, seal=None, session_folder=None)
        player.plan = twin._plan
        twin._player = player
        twin._owns_worlds = False
        return twin

    def end(self) -> EpisodeRecord:
        """Grade the episode, recover the world, and get ready for another `reset`.

        Raises:
            KeyboardInterrupt: The user pressed Ctrl-C meanwhile; the world is recovered.
        """
        player = self._open("end")
        self._player = None
        interrupted = player.interrupted
        record = self._finished(player)
        if player.interrupted and not interrupted:
            raise KeyboardInterrupt
        return record

    def close(self) -> EpisodeRecord:
        """Grade the episode that is open, if one is, and give everything back.

        Returns:
            The record of the last episode; once more when called twice.

        Raises:
            NoEpisodeError: There never was one. Everything is given back all the same.
        """
        try:
            if self._player is not None:
                self.end()
        finally:
            self._release()
        if self._record is None:
            raise NoEpisodeError("close")
        return self._record

    def __enter__(self) -> Environment:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give everything back; an open episode is given up without grading."""
        player, self._player = self._player, None
        try:
            if player is not None:
                player.drop()
        finally:
            self._release()

    # ------------------------------------------------------------------ inner

    def _act(self, what: str, part: Callable[[LiveSession], object]) -> None:
        player, session = self._open(what), self._session(what)
        if player.stopped:
            raise EpisodeOverError(what, player.stopped)
        if session.stage == _DONE:
            raise EpisodeOverError(what, "everything was handed in")
        player.act(part)
        if player.interrupted:
            raise KeyboardInterrupt
        if player.refusal is not None:
            self._give_up(player)

    def _observed(self, text: str, ok: bool, page: int = 1, pages: int = 1) -> Observation:
        player, session = self._open("step"), self._session("step")
        done = bool(player.stopped) or session.stage == _DONE
        reward, before = self._plan.reward, self._settled
        if reward is not None:
            self._settled = reward.so_far(session.transcript)
        return Observation(text, ok, player.at_s, done, page, pages, self._settled - before)

    def _open(self, what: str) -> EpisodePlayer:
        self._refuse_closed(what)
        if self._player is None:
            raise NoEpisodeError(what)
        return self._player

    def _session(self, what: str) -> LiveSession:
        session = self._open(what).session
        if session is None:
            raise NoEpisodeError(what)
        return session

    def _refuse_closed(self, what: str) -> None:
        if self._closed:
            raise EnvironmentClosedError(what)

    def _give_up(self, player: EpisodePlayer) -> None:
        self._player, why = None, player.stopped
        self._finished(player)
        if player.interrupted:
            raise KeyboardInterrupt
        if player.refusal is not None:
            raise player.refusal
        raise WorldError(why)

    def _finished(self, player: EpisodePlayer) -> EpisodeRecord:
        record = self._record = player.finish()
        if self._plan.folder is not None:
            from sregym_core.records import finish_folder

            finish_folder(self._plan.folder, record, self._plan.seal)
            self._plan = replace(self._plan, seal=None)
        return record

    def _release(self) -> None:
        if not self._closed:
            self._closed = True
            if self._owns_worlds and not self._worlds.provider.simulated:
                self._worlds.close()
