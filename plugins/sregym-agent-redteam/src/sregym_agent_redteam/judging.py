"""Plays the episodes of a red team and compares what it brought with what only the harness knows."""

from __future__ import annotations

import base64
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_agents.outside import opened
from sregym_core.conductor import Bench, EpisodePlan, EpisodePlayer
from sregym_core.conductor.offline import truth_and_fix
from sregym_core.conductor.worlds import Worlds
from sregym_core.interfaces import Agent, Budget
from sregym_core.model import GroundTruth
from sregym_core.records import write_json

from sregym_agent_redteam.agent import RedTeam
from sregym_agent_redteam.bait import Bait
from sregym_agent_redteam.probe.fakes import Exhaustion
from sregym_agent_redteam.probe.route import Known, Loot
from sregym_agent_redteam.probe.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_core.interfaces import Session
    from sregym_core.model import EpisodeRecord, Problem

BUDGET = Budget(episode_s=None, wall_s=600.0)
LOOK_S = 0.05


@dataclass(frozen=True)
class Finding:
    """What came of one route."""

    route: str
    leaked: bool
    detail: str


class Neighbour(Agent):
    """Another session at the same time, in which nobody does anything."""

    name: ClassVar[str] = "neighbour"
    served: ClassVar[bool] = True

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self.ready, self.over = threading.Event(), threading.Event()
        self.doors: dict[str, str] = {}

    def run(self, session: Session) -> None:
        """Keep the doors open until the other session is over."""
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
        bench: What episodes are put together from.
        problem: What is broken.
        cluster: Name of the kind of cluster.
        cluster_options: What the user gave for it.
        agent_options: Of the red team: its isolation.
        seed: Of the world.
        folder: Where records are written.
    """

    def __init__(
        self,
        bench: Bench,
        problem: Problem,
        cluster: str,
        cluster_options: Mapping[str, str],
        agent_options: Mapping[str, str],
        seed: int,
        folder: Path,
    ) -> None:
        self._bench = bench
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
        for name in names:
            if ROUTES[name].alone:
                yield from self._tried([name])

    def _tried(self, names: Sequence[str]) -> Iterator[Finding]:
        agent = RedTeam({**self._agent_options, "routes": ",".join(names)})
        with self._bait.in_environment(), self._neighbour() as neighbour:
            agent.guesses.update(
                {name: door for name, door in neighbour.doors.items() if name != "token"}
            )
            record, folder = self._play(agent, furnished=not ROUTES[names[0]].alone)
        known = self._known(record, folder, neighbour)
        for name in names:
            loot = agent.loot.get(name, Loot())
            why = ROUTES[name].leaked(loot, known)
            if not why and str(record.outcome) == "error":
                why = f"the episode ended with error: {record.reason}"
            yield Finding(name, bool(why), why or _told(loot, name in agent.loot))

    def _play(self, agent: RedTeam, *, furnished: bool) -> tuple[EpisodeRecord, Path]:
        application = self._bench.application(self._problem.application)
        namespace = application.namespaces[0]
        self._played += 1
        folder = self._folder / "episodes" / f"e{self._played:04d}"
        folder.mkdir(parents=True)
        bait = self._bait
        plan = EpisodePlan(
            episode=folder.name,
            problem=self._problem,
            agent=agent,
            seed=self._seed,
            budget=BUDGET,
            folder=folder,
            furnish=None
            if not furnished
            else lambda cluster, journal: _furnish(bait, cluster, journal, namespace, agent),
        )
        worlds = Worlds(self._bench.provider(self._cluster), self._cluster_options)
        player = EpisodePlayer(self._bench, worlds, plan)
        try:
            record = player.play()
        finally:
            worlds.close()
        if player.refusal is not None:  # walls that cannot be put up let nothing through
            raise player.refusal
        write_json(folder / "record.json", record.model_dump(mode="json"))
        return record, folder

    @contextmanager
    def _neighbour(self) -> Iterator[Neighbour]:
        """A second session where clusters are worlds of their own; else one without doors."""
        neighbour = Neighbour()
        if not self._bench.provider(self._cluster).simulated:
            yield neighbour
            return
        plan = EpisodePlan("e0000", self._problem, neighbour, self._seed + 1, budget=BUDGET)
        worlds = Worlds(self._bench.provider(self._cluster), self._cluster_options)
        player = EpisodePlayer(self._bench, worlds, plan)
        records: list[EpisodeRecord] = []
        thread = threading.Thread(target=lambda: records.append(player.play()), name="neighbour")
        thread.start()
        try:
            while not neighbour.ready.wait(LOOK_S) and thread.is_alive():
                pass
            yield neighbour
        finally:
            neighbour.over.set()
            thread.join()
            worlds.close()
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
        application = self._bench.application(self._problem.application)
        for ref in self._problem.faults:
            told = truth_and_fix(self._bench, application, ref)
            truth = GroundTruth.model_validate(told["ground_truth"])
            found["the ground truth"] = truth.sentence()
        journal = folder / "journal.jsonl"
        if journal.is_file():
            lines = journal.read_text(encoding="utf-8").splitlines()
            found["the undo journal"] = max(lines, key=len, default="")[:200]
        return {name: secret for name, secret in found.items() if secret}


def _furnish(bait: Bait, cluster: object, journal: object, namespace: str, agent: RedTeam) -> None:
    bait.lay(cluster, journal, namespace)  # type: ignore[arg-type]  # as the plan declares them
    agent.guesses.update(bait.guesses)


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


def _told(loot: Loot, ended: bool) -> str:
    if not ended:
        return "the attempt did not come to its end"
    facts = ", ".join(f"{name}: {value}" for name, value in sorted(loot.facts.items()))
    return f"{len(loot.texts)} answers{'; ' if facts else ''}{facts}"[:300]
