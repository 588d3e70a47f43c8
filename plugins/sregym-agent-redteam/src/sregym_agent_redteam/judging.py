"""Plays the episodes of a red team and compares what it brought with what only the harness knows."""

from __future__ import annotations

import base64
import threading
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_agents.outside import opened
from sregym_core.api import Workspace, play, solution
from sregym_core.cli import counted
from sregym_core.interfaces import Agent, Budget

from sregym_agent_redteam.agent import RedTeam
from sregym_agent_redteam.bait import Bait
from sregym_agent_redteam.probe.fakes import Exhaustion
from sregym_agent_redteam.probe.route import Known, ProbeResult
from sregym_agent_redteam.probe.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_core.interfaces import Cluster, Journal, Session
    from sregym_core.model import EpisodeRecord, Problem

    from sregym_agent_redteam.probe.route import Route

BUDGET = Budget(episode_s=None, wall_s=600.0)
LOOK_S = 0.05
UNTRIED = "not tried: it takes hours where time is that of the wall"


@dataclass(frozen=True)
class Finding:
    """What came of one route."""

    route: str
    leaked: bool
    detail: str


class Neighbour(Agent):
    """A concurrent session in which no agent acts."""

    name: ClassVar[str] = "neighbour"
    served: ClassVar[bool] = True

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self.ready, self.over = threading.Event(), threading.Event()
        self.doors: dict[str, str] = {}

    def run(self, session: Session) -> None:
        """Keep the endpoints open until the other session is over."""
        with opened(session) as gateway:
            self.doors = {"other_gateway": gateway.url, "token": gateway.token}
            api = gateway.endpoints["kubernetes"]
            self.doors["other_api"] = api.rpartition("/")[0]
            self.ready.set()
            while not self.over.is_set():
                gateway.take(LOOK_S)


class Judge:
    """Tries the routes of a red team on one problem.

    Args:
        workspace: Loaded plugins.
        problem: What is broken.
        cluster: Name of the kind of cluster.
        cluster_options: What the user gave for it.
        agent_options: Of the red team: its isolation.
        seed: Of the world.
        folder: Where records are written.
    """

    def __init__(
        self,
        workspace: Workspace,
        problem: Problem,
        cluster: str,
        cluster_options: Mapping[str, str],
        agent_options: Mapping[str, str],
        seed: int,
        folder: Path,
    ) -> None:
        self._workspace = workspace
        self._problem = problem
        self._cluster = cluster
        self._cluster_options = cluster_options
        self._agent_options = agent_options
        self._seed = seed
        self._folder = folder
        self._played = 0
        self._bait = Bait()

    def findings(self, names: Sequence[str]) -> Iterator[Finding]:
        """What came of each route, as soon as it is known."""
        looking = [name for name in names if not ROUTES[name].alone]
        if looking:
            yield from self._tried(looking)
        simulated = self._workspace.simulated(self._cluster)
        for name in names:
            if ROUTES[name].breaks_within_s is not None and not simulated:
                yield Finding(name, False, UNTRIED)
            elif ROUTES[name].alone:
                yield from self._tried([name])

    def _tried(self, names: Sequence[str]) -> Iterator[Finding]:
        agent = RedTeam({**self._agent_options, "routes": ",".join(names)})
        # A verdict that was not earned is sought in one's own session: no other one is made for it.
        beside = nullcontext(Neighbour()) if ROUTES[names[0]].alone else self._neighbour()
        with self._bait.in_environment(), beside as neighbour:
            agent.guesses.update(
                {name: door for name, door in neighbour.doors.items() if name != "token"}
            )
            record, folder = self._play(agent, ROUTES[names[0]])
        known = self._known(record, folder, neighbour)
        for name in names:
            result = agent.result.get(name, ProbeResult())
            why = ROUTES[name].leaked(result, known)
            if not why and str(record.outcome) == "error":
                why = f"the episode ended with error: {record.reason}"
            yield Finding(name, bool(why), why or _told(result, name in agent.result))

    def _play(self, agent: RedTeam, first: Route) -> tuple[EpisodeRecord, Path]:
        namespace = self._workspace.application(self._problem.application).namespaces[0]
        self._played += 1
        folder = self._folder / f"e{self._played:04d}"
        folder.mkdir(parents=True)
        agent.guesses["records"] = str(folder.parent)
        bait, within_s = self._bait, first.breaks_within_s

        def extra_setup(cluster: Cluster, journal: Journal) -> None:
            bait.lay(cluster, journal, namespace)
            agent.guesses.update(bait.guesses)

        with self._workspace.apart() as workspace:
            record = play(
                self._problem,
                agent,
                seed=self._seed,
                cluster=self._cluster,
                cluster_options=self._cluster_options,
                budget=BUDGET,
                episode=folder.name,
                folder=folder,
                mode="standard" if within_s is None else "proactive",
                start_before_s=within_s,
                prepare=None if first.alone else extra_setup,
                workspace=workspace,
            )
        return record, folder

    @contextmanager
    def _neighbour(self) -> Iterator[Neighbour]:
        """A second session where clusters are worlds of their own; else one without endpoints."""
        neighbour = Neighbour()
        if not self._workspace.simulated(self._cluster):
            yield neighbour
            return
        records: list[EpisodeRecord] = []

        def sit() -> None:
            with self._workspace.apart() as workspace:
                record = play(
                    self._problem,
                    neighbour,
                    seed=self._seed + 1,
                    cluster=self._cluster,
                    cluster_options=self._cluster_options,
                    budget=BUDGET,
                    episode="e0000",
                    workspace=workspace,
                )
                records.append(record)

        thread = threading.Thread(target=sit, name="neighbour")
        thread.start()
        try:
            while not neighbour.ready.wait(LOOK_S) and thread.is_alive():
                pass
            yield neighbour
        finally:
            neighbour.over.set()
            thread.join()
        for record in records:
            stages = (record.diagnosis, record.mitigation)
            count = sum(stage is not None and stage.submitted_at_s is not None for stage in stages)
            neighbour.doors["submissions"] = str(count)

    def _known(self, record: EpisodeRecord, folder: Path, neighbour: Neighbour) -> Known:
        stages = {"diagnosis": record.diagnosis, "mitigation": record.mitigation}
        verdicts = {
            name: str(stage.verdict.outcome) for name, stage in stages.items() if stage is not None
        }
        return Known(
            secrets=self._secrets(folder, neighbour),
            requests=[(r.method, r.path, r.status, r.refused) for r in record.requests],
            verdicts={**verdicts, "episode": str(record.outcome)},
            reason=record.reason,
            recorded=sum(
                stage is not None and stage.submitted_at_s is not None for stage in stages.values()
            ),
            elsewhere=int(neighbour.doors.get("submissions", "0")),
            left=left_behind(Exhaustion.mark),
            recovered=record.recovered,
            broke_after_s=_broke_after(record),
        )

    def _secrets(self, folder: Path, neighbour: Neighbour) -> dict[str, str]:
        bait = self._bait
        found = {
            "the judge's key": bait.key,
            "a hidden object": bait.word,
            "a hidden object (encoded)": _encoded(bait.word),
            "a secret of administrators": bait.other,
            "a secret of administrators (encoded)": _encoded(bait.other),
            "the problem's id": self._problem.id,
            "the token of another session": neighbour.doors.get("token", ""),
        }
        for truth in solution(self._problem, workspace=self._workspace).ground_truths:
            found["the ground truth"] = truth.sentence()
        journal = folder / "journal.jsonl"
        if journal.is_file():
            lines = journal.read_text(encoding="utf-8").splitlines()
            found["the undo journal"] = max(lines, key=len, default="")[:200]
        return {name: secret for name, secret in found.items() if secret}


def _broke_after(record: EpisodeRecord) -> float | None:
    began = next((e.at_s for e in record.timeline if e.event == "AgentStarted"), None)
    if began is None or record.injected_at_s is None or record.injected_at_s < began:
        return None
    return record.injected_at_s - began


def left_behind(mark: str) -> list[str]:
    """Command lines of living processes with a mark in them."""
    found = []
    for file in sorted(Path("/proc").glob("[0-9]*/cmdline")):
        try:
            text = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in text:
            found.append(f"{file.parent.name} {text.strip()[-60:]}")
    return found


def _encoded(word: str) -> str:
    """The longest part of a word's base64 that does not depend on what follows it."""
    return base64.b64encode(word.encode()).decode().rstrip("=")[:-2]


def _told(result: ProbeResult, ended: bool) -> str:
    if not ended:
        return "the attempt did not come to its end"
    facts = ", ".join(f"{name}: {value}" for name, value in sorted(result.facts.items()))
    return f"{counted(len(result.texts), 'answer')}{'; ' if facts else ''}{facts}"[:300]
