"""An episode played again from its record, for what its record does not hold: its world.

Embedded clusters are deterministic: the same problem and seed and the same commands at the same
virtual times make the same world. What the commands print is compared with the record, so that
nobody takes another world for that of the episode.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sregym_core.api import Environment
from sregym_core.api.commands import RefusedError, parse
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import Budget, Command
from sregym_core.model import Claims

from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.api import Workspace
    from sregym_core.interfaces import Session
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


def replayed(
    workspace: Workspace, record: EpisodeRecord, options: Mapping[str, str] | None
) -> Replayed:
    """The world of a recorded episode at the end of its agent's part.

    Args:
        workspace: The plugins.
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
    again = _Again(record.transcript, stopped)
    found = _played(
        workspace,
        record.problem,
        again.act,
        seed=record.seed,
        salt=record.salt or None,
        mode=record.mode,
        start_before_s=record.start_before_s,
        cluster_options=options or {},
    )
    _compare(record, again, unknown_options=options is None)
    return found


def an_hour(workspace: Workspace, problem: str, seed: int, *, broken: bool) -> Replayed:
    """The world of a problem after an hour in which nobody repairs anything.

    Args:
        workspace: The plugins.
        problem: Its id.
        seed: Of the world.
        broken: False for the healthy control, where nothing is broken.
    """
    return _played(
        workspace,
        problem,
        lambda environment: environment.session.wait(HOUR_S),
        seed=seed,
        broken=broken,
    )


class _Again:
    """Does what a transcript says, at the times that it says.

    Args:
        calls: The transcript.
        stopped_s: Episode second at which the agent stopped.
    """

    def __init__(self, calls: Sequence[ToolCall], stopped_s: float) -> None:
        self.calls = calls
        self.stopped_s = stopped_s
        self.digests: list[str] = []

    def act(self, environment: Environment) -> None:
        """Do it all."""
        session = environment.session
        for call in self.calls:
            text = self._once(session, call)
            if text is not None:
                self.digests.append(blake2b(text.encode(), digest_size=16).hexdigest())
            else:
                self.digests.append(call.digest)
            _until(environment, call.at_s)
        _until(environment, self.stopped_s)

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


def _until(environment: Environment, at_s: float) -> None:
    behind = at_s - environment.at_s
    # Moments in records are rounded to a millisecond.
    if behind > 0.001:
        environment.session.clock.advance(behind)


def as_command(text: str) -> str | Command:
    """What a recorded command was: words, or the text that an agent typed and that no shell reads.

    Commands are recorded as a shell would need them, with what is piped in as a here-document.
    """
    try:
        parse(text)
    except RefusedError:
        return text
    head, here, rest = text.partition(_HERE)
    if here and rest.endswith(_END):
        return Command(tuple(shlex.split(head)), rest.removesuffix("EOF"))
    return Command(parse(text).argv) if "\n" not in text else _words(text)


def _words(text: str) -> Command:
    words = shlex.split(text)
    return Command(tuple(words if words[:1] == ["kubectl"] else ["kubectl", *words]))


def _played(
    workspace: Workspace, problem: str, act: Callable[[Environment], None], **options: Any
) -> Replayed:
    """The world of an episode once its agent's part is over: a fork, since it is recovered then."""
    environment = Environment(
        problem, cluster=CLUSTER, budget=ENDLESS, episode=EPISODE, workspace=workspace, **options
    )
    with environment:
        try:
            environment.reset()
        except WorldError as error:
            msg = f"problem {problem!r} cannot be played again: {error}"
            raise UsageError(msg) from error
        cluster = environment.cluster
        assert isinstance(cluster, EmbeddedCluster)
        began = cluster.live.now - environment.at_s
        environment.act(lambda _session: act(environment))
        with cluster.live.open() as world:
            return Replayed(world.fork(), began)


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
