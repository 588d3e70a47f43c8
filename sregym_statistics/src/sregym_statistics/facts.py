"""What counts of an episode: one flat row for each record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.api import Workspace, solution
from sregym_core.errors import SregymError
from sregym_core.model import Outcome

from sregym_statistics.conduct import Conduct, conduct_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.api import GroundTruth, Problem
    from sregym_core.model import EpisodeRecord, StageRecord

UNKNOWN = "unknown"


@dataclass(frozen=True)
class ProblemFacts:
    """What a report says of a problem, and by what it is split.

    Attributes:
        id: Of the problem.
        application: Its application.
        layer: The layer of its faults.
        suites: Suites that it belongs to.
        origin: How near it is to the upstream benchmark: `ported` from it; `similar`, with no fault
            and no mode that no ported problem has; else `new`.
        difficulty: A class of difficulty, `unknown` where nothing was measured.
        ground_truths: Its ground truth; empty where the plugins that know it are not installed.
        components: Names of the components of its application; empty as well then.
    """

    id: str
    application: str = UNKNOWN
    layer: str = UNKNOWN
    suites: tuple[str, ...] = ()
    origin: str = UNKNOWN
    difficulty: str = UNKNOWN
    ground_truths: tuple[GroundTruth, ...] = ()
    components: tuple[str, ...] = ()


def problem_facts(
    problem: Problem,
    *,
    difficulty: str = UNKNOWN,
    workspace: Workspace | None = None,
) -> ProblemFacts:
    """What is known of a problem.

    Args:
        problem: Any.
        difficulty: Its class, where it was measured.
        workspace: The plugins that know its ground truth.
    """
    ground_truths: tuple[GroundTruth, ...] = ()
    components: tuple[str, ...] = ()
    place = workspace or Workspace()
    try:
        ground_truths = solution(problem, workspace=place).ground_truths
        components = tuple(one.name for one in place.application(problem.application).components())
    except SregymError:
        pass  # the report says what it can
    known = place.factory.problems
    return ProblemFacts(
        problem.id,
        problem.application,
        problem.layer,
        known.suites_of(problem),
        known.origin_of(problem),
        difficulty,
        ground_truths,
        components,
    )


@dataclass(frozen=True)
class EpisodeFacts:
    """One episode.

    A stage that was not judged, or that its judge left undecided, is None: it counts neither way.

    Attributes:
        problem: What is known of the problem.
        agent: As the campaign or the run calls it.
        mode: Of the episode.
        noise: Name of the level of noise.
        seed: Of the world.
        attempt: Of the agent in the same world.
        informed: Whether the agent got the answer key.
        outcome: Of the record.
        diagnosis: Whether the diagnosis passed.
        mitigation: Whether the mitigation passed.
        e2e: Whether all that was judged passed.
        undecided: Whether a judge could not tell.
        ttd_s: Seconds on the episode's clock to a diagnosis that passed.
        ttm_s: The same to a mitigation that passed.
        tokens: Of the language model; None where the adapter told of none.
        cost: In money; None where tokens or prices are not known.
        steps: Tool calls.
        wall_s: Wall-clock seconds of the episode.
        conduct: What the agent did.
        episode: Id of its record.
    """

    problem: ProblemFacts
    agent: str
    mode: str
    noise: str
    seed: int
    attempt: int
    informed: bool
    outcome: Outcome
    diagnosis: bool | None
    mitigation: bool | None
    e2e: bool | None
    undecided: bool
    ttd_s: float | None
    ttm_s: float | None
    tokens: int | None
    cost: float | None
    steps: int
    wall_s: float
    conduct: Conduct
    episode: str = ""

    @property
    def graded(self) -> bool:
        """Whether it says something about the agent."""
        return self.outcome in (Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED)


def facts_of(
    record: EpisodeRecord,
    problem: ProblemFacts | None = None,
    *,
    agent: str = "",
    noise: str = "",
    prices: Mapping[str, float] | None = None,
) -> EpisodeFacts:
    """The row of a record.

    Args:
        record: Of an episode.
        problem: What is known of its problem.
        agent: What the campaign calls the agent, if not by the adapter's name.
        noise: Name of the level of noise; a record does not tell it.
        prices: Money for a million tokens: `prompt`, `completion`, and `cached` for the part of the
            prompt that the provider had kept; empty for an agent that costs nothing.
    """
    known = problem or ProblemFacts(record.problem)
    diagnosis, mitigation = _passed(record.diagnosis), _passed(record.mitigation)
    return EpisodeFacts(
        problem=known,
        agent=agent or record.agent,
        mode=record.mode,
        noise=noise,
        seed=record.seed,
        attempt=record.attempt,
        informed=informed(record),
        outcome=record.outcome,
        diagnosis=diagnosis,
        mitigation=mitigation,
        e2e=_whole(record.outcome),
        undecided=any(
            stage is not None and stage.verdict.outcome is Outcome.UNDECIDED
            for stage in (record.diagnosis, record.mitigation)
        ),
        ttd_s=record.ttd_s if diagnosis else None,
        ttm_s=record.ttm_s if mitigation else None,
        tokens=None if record.tokens is None else record.tokens.total,
        cost=cost_of(record, prices),
        steps=record.steps,
        wall_s=record.wall_s,
        conduct=conduct_of(record, known.ground_truths, known.components),
        episode=record.episode,
    )


def cost_of(record: EpisodeRecord, prices: Mapping[str, float] | None) -> float | None:
    """Money that an episode cost; None where tokens or prices are not known."""
    if prices is None:
        return None
    tokens = record.tokens
    if tokens is None:
        return None if prices else 0.0
    prompt = prices.get("prompt", 0.0)
    fresh = tokens.prompt - tokens.cached
    millionths = (
        fresh * prompt
        + tokens.cached * prices.get("cached", prompt)
        + tokens.completion * prices.get("completion", 0.0)
    )
    return millionths / 1e6


def informed(record: EpisodeRecord) -> bool:
    """Whether the agent got the answer key."""
    return any(
        entry.event == "AgentStarted" and bool(entry.fields.get("privileged"))
        for entry in record.timeline
    )


def _passed(stage: StageRecord | None) -> bool | None:
    if stage is None or stage.verdict.outcome not in (Outcome.PASS, Outcome.FAIL):
        return None
    return stage.verdict.outcome is Outcome.PASS


def _whole(outcome: Outcome) -> bool | None:
    return outcome is Outcome.PASS if outcome in (Outcome.PASS, Outcome.FAIL) else None
