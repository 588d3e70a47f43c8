"""An episode played again from its record, for what its record does not hold: its world.

Embedded clusters are deterministic: the same problem and seed and the same commands at the same
virtual times make the same world. What the commands print is compared with the record, so that
nobody takes another world for that of the episode.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar

from sregym_core.conductor import EpisodePlan, EpisodePlayer
from sregym_core.conductor.worlds import Worlds
from sregym_core.errors import UsageError
from sregym_core.interfaces import Agent, Budget, Command
from sregym_core.model import Claims
from sregym_core.modes import mode_named

from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sregym_core.conductor import Bench
    from sregym_core.conductor.worlds import World as PreparedWorld
    from sregym_core.interfaces import Application, Session
    from sregym_core.model import EpisodeRecord, ToolCall

    from sregym_cluster_embedded.world import World

CLUSTER = "embedded"
HOUR_S = 3600.0
EPISODE = "replay"
ENDLESS = Budget(episode_s=None, wall_s=None)
# From the beginning of the heading to what is piped in, as `Command` writes itself down.
_HERE, _END = " <<'EOF'\n", "\nEOF"


@dataclass(frozen=True)
class Replayed:
    """A world with what is known of how it came about.

    Attributes:
        world: At the moment at which the agent stopped.
        began: Virtual second at which the episode began; before that it was deployed and warmed up.
    """

    world: World
    began: float


def replayed(bench: Bench, record: EpisodeRecord, options: Mapping[str, str] | None) -> Replayed:
    """The world of a recorded episode at the end of its agent's part.

    Args:
        bench: The plugins.
        record: What happened.
        options: What the user of the run gave for the cluster; None when nobody wrote it down.

    Raises:
        UsageError: The record does not suffice, or what is played differs from it.
    """
    _check(record)
    stopped = next((e.at_s for e in record.timeline if e.event == "AgentStopped"), None)
    if stopped is None:
        msg = f"{_named(record)} ended before its agent began: {record.reason}; there is nothing to replay"
        raise UsageError(msg)
    agent = _Again(record.transcript, stopped)
    plan = EpisodePlan(
        episode=EPISODE,
        problem=bench.problems.get(record.problem),
        agent=agent,
        seed=record.seed,
        budget=ENDLESS,
        mode=mode_named(record.mode),
        start_before_s=record.start_before_s,
    )
    found = _played(bench, plan, agent, options or {})
    _compare(record, agent, unknown_options=options is None)
    return found


def an_hour(bench: Bench, problem: str, seed: int, *, broken: bool) -> Replayed:
    """The world of a problem after an hour in which nobody repairs anything.

    Args:
        bench: The plugins.
        problem: Its id.
        seed: Of the world.
        broken: False for the healthy control, where nothing is broken.
    """
    agent = _Onlooker()
    plan = EpisodePlan(
        episode=EPISODE,
        problem=bench.problems.get(problem),
        agent=agent,
        seed=seed,
        budget=ENDLESS,
        inject=broken,
    )
    return _played(bench, plan, agent, {})


class _Watched(Worlds):
    """Remembers the cluster that it made last, and the virtual second at which it did."""

    cluster: EmbeddedCluster
    began: float = 0.0

    def make(
        self,
        application: Application,
        warm_up_s: float,
        seed: int,
        served: bool,
        folder: Path | None = None,
    ) -> PreparedWorld:
        made = super().make(application, warm_up_s, seed, served, folder)
        assert isinstance(made.cluster, EmbeddedCluster)
        self.cluster = made.cluster
        self.began = made.cluster.live.now
        return made


class _Keeping(Agent):
    """Keeps the world at the end of its part."""

    name: ClassVar[str] = "replay"
    worlds: _Watched
    kept: World | None = None

    def run(self, session: Session) -> None:
        """Do its part, then keep a fork of the world."""
        try:
            self.act(session)
        finally:
            with self.worlds.cluster.live.open() as world:
                self.kept = world.fork()

    def act(self, session: Session) -> None:
        """What it does."""
        raise NotImplementedError


class _Onlooker(_Keeping):
    def act(self, session: Session) -> None:
        session.wait(HOUR_S)


class _Again(_Keeping):
    """Does what a transcript says, at the times that it says.

    Args:
        calls: The transcript.
        stopped_s: Episode second at which the agent stopped.
    """

    def __init__(self, calls: Sequence[ToolCall], stopped_s: float) -> None:
        super().__init__()
        self.calls = calls
        self.stopped_s = stopped_s
        self.digests: list[str] = []

    def act(self, session: Session) -> None:
        for call in self.calls:
            text = self._once(session, call)
            if text is not None:
                self.digests.append(blake2b(text.encode(), digest_size=16).hexdigest())
            else:
                self.digests.append(call.digest)
            self._until(session, call.at_s)
        self._until(session, self.stopped_s)

    def _once(self, session: Session, call: ToolCall) -> str | None:
        """One call; what it printed where that is to be compared."""
        given = call.arguments
        if call.tool == "kubectl" and "page" not in given and "stdin" not in given:
            result = session.kubectl(as_command(str(given.get("command", ""))))
            return result.stdout + result.stderr
        if call.tool == "wait" and set(given) == {"seconds"}:
            session.wait(float(given["seconds"]))
        elif call.tool == "submit":
            claims = given.get("claims")
            known = None if claims is None else Claims.model_validate_json(claims)
            session.submit(str(given.get("text", "")), known)
        elif not call.own:  # what an agent did with tools of its own is no part of the world
            # Everything else only looks. What a look lets happen is the noise that is due; the
            # time that it took passes afterwards.
            session.call("status", {})
        return None

    def _until(self, session: Session, at_s: float) -> None:
        behind = self.worlds.began + at_s - self.worlds.cluster.live.now
        # Moments in records are rounded to a millisecond.
        if behind > 0.001:
            session.clock.advance(behind)


def as_command(text: str) -> str | Command:
    """What a recorded command was: words, or the text that an agent typed and that no shell reads.

    Commands are recorded as a shell would need them, with what is piped in as a here-document.
    """
    from sregym_core.toolbox import commands

    try:
        commands.parse(text)
    except commands.RefusedError:
        return text
    head, here, rest = text.partition(_HERE)
    if here and rest.endswith(_END):
        return Command(tuple(shlex.split(head)), rest.removesuffix("EOF"))
    return Command(commands.parse(text).argv) if "\n" not in text else _words(text)


def _words(text: str) -> Command:
    words = shlex.split(text)
    return Command(tuple(words if words[:1] == ["kubectl"] else ["kubectl", *words]))


def _played(
    bench: Bench, plan: EpisodePlan, agent: _Keeping, options: Mapping[str, str]
) -> Replayed:
    worlds = _Watched(bench.provider(CLUSTER), options)
    agent.worlds = worlds
    player = EpisodePlayer(bench, worlds, plan)
    try:
        record = player.play()
    finally:
        worlds.close()
    if player.interrupted:
        raise KeyboardInterrupt
    if agent.kept is None:
        msg = f"problem {plan.problem.id!r} cannot be played again: {record.reason}"
        raise UsageError(msg)
    return Replayed(agent.kept, worlds.began)


def _check(record: EpisodeRecord) -> None:
    if record.cluster != CLUSTER:
        msg = f"{_named(record)} was played on cluster {record.cluster!r}: its telemetry is where that cluster keeps it; only episodes of cluster {CLUSTER!r} can be played again"
        raise UsageError(msg)
    if any(entry.event == "SessionOpened" for entry in record.timeline):
        msg = f"{_named(record)} was open to processes outside, and its record does not hold what they did to the API; it cannot be played again (--hour exports an hour of its problem)"
        raise UsageError(msg)


def _compare(record: EpisodeRecord, agent: _Again, *, unknown_options: bool) -> None:
    """Refuse a world in which commands print something else than in the episode."""
    for number, (call, digest) in enumerate(zip(record.transcript, agent.digests, strict=False), 1):
        if call.digest != digest:
            what = str(call.arguments.get("command", call.tool)).partition("\n")[0]
            why = (
                "the run's record, which is older, does not say with which options its cluster ran"
                if unknown_options
                else "was it recorded with other versions? run.json names them"
            )
            msg = f"{_named(record)} cannot be played again: call {number} ({what}) prints something else than recorded; {why}"
            raise UsageError(msg)


def _named(record: EpisodeRecord) -> str:
    return f"episode {record.episode!r}"
