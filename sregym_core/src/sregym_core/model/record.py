"""The record of an episode: what happened, when, and what came of it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from sregym_core.model.base import Value
from sregym_core.model.truth import Claims, GroundTruth
from sregym_core.model.verdict import Outcome, Verdict


class TimelineEntry(Value):
    """One event of the timeline.

    Attributes:
        at_s: Seconds on the episode's clock since the episode began.
        wall_s: Wall-clock seconds since the episode began; 0.0 where runs must be comparable.
        event: Name of the event class.
        fields: Its fields.
    """

    at_s: float
    wall_s: float
    event: str
    fields: dict[str, Any] = Field(default_factory=dict)


class Tokens(Value):
    """Tokens of a language model.

    Attributes:
        prompt: What it read.
        completion: What it wrote.
        cached: How many of `prompt` its provider had read before and kept.
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0

    @property
    def total(self) -> int:
        """Prompt and completion together."""
        return self.prompt + self.completion


class ToolCall(Value):
    """One thing the agent did.

    Attributes:
        at_s: Seconds on the episode's clock since the episode began.
        tool: `kubectl`, `wait`, `submit` ...
        arguments: As called.
        exit_code: For commands.
        output: Result, cut at a cap; see `truncated`.
        truncated: Whether `output` was cut.
        digest: blake2b of the whole output, hexadecimal.
        cost_s: Modelled seconds the call took on the episode's clock.
        wall_s: Wall-clock seconds since the agent began; 0.0 where runs must be comparable.
        took_s: Wall-clock seconds the call took; 0.0 where runs must be comparable.
        tokens: Of a language model since the call before, where the adapter reported them.
        ok: False for calls that were refused or failed.
        said: Text of the agent since the call before, where the adapter reported it.
        own: Whether it was a tool of the agent's own, not one of the session; then as far as the
            adapter learnt of it.
    """

    at_s: float
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    exit_code: int | None = None
    output: str = ""
    truncated: bool = False
    digest: str = ""
    cost_s: float = 0.0
    wall_s: float = 0.0
    took_s: float = 0.0
    tokens: Tokens | None = None
    ok: bool = True
    said: str = ""
    own: bool = False


class ApiRequest(Value):
    """One request of an agent's own client to the Kubernetes API.

    Attributes:
        at_s: Seconds on the episode's clock since the episode began, as of when it was noted.
        method: HTTP method.
        path: With its query.
        status: HTTP status of the answer; 101 where an exec, copy or forward began, 0 for none.
        took_s: Wall-clock seconds from its beginning to its end.
        refused: Why it was not passed on; empty when it was.
        call: Of which command of kubectl it is a part, by the number that kubectl gives it; empty
            for other clients.
    """

    at_s: float = 0.0
    method: str
    path: str
    status: int
    took_s: float = 0.0
    refused: str = ""
    call: str = ""


class Attempt(Value):
    """One attempt at what the agent may not do: an endpoint without its token, for instance.

    Attributes:
        at_s: Seconds on the episode's clock since the episode began, as of when it was noted.
        via: Where: `gateway`, `mcp`, `guard`, or the adapter that reported it.
        what: What was tried.
        answer: What came of it.
    """

    at_s: float = 0.0
    via: str
    what: str
    answer: str = ""


class Judgement(Value):
    """A verdict on what was submitted, and who gave it.

    Attributes:
        by: An oracle with its options, or a person; empty for the oracles of the run itself.
        at: When, in RFC 3339 and UTC; empty for the run's own.
        note: What the judge adds.
        verdict: The verdict.
    """

    by: str = ""
    at: str = ""
    note: str = ""
    verdict: Verdict


class Support(Value):
    """A concrete thing that a diagnosis names, and where it was seen.

    Attributes:
        what: A component, a name or a value.
        call: Place in the transcript of the first call whose answer shows it, from 0.
    """

    what: str
    call: int


class Grounding(Value):
    """Which observations support a diagnosis; no part of its verdict.

    Attributes:
        supported: What was seen before it was handed in.
        unsupported: What no answer showed.
    """

    supported: tuple[Support, ...] = ()
    unsupported: tuple[str, ...] = ()

    @property
    def coverage(self) -> float | None:
        """The share of what is said that was seen; None where nothing concrete is said."""
        total = len(self.supported) + len(self.unsupported)
        return len(self.supported) / total if total else None


class StageRecord(Value):
    """One graded stage: the submission and its verdict.

    Attributes:
        text: What was submitted.
        claims: The structured diagnosis, when one was given.
        submitted_at_s: Episode seconds; None when nothing was submitted.
        verdict: What counts: what the oracles of the run say, or who judged last.
        judgements: All verdicts in order, where there is more than that of the run.
        grounding: Which observations support a diagnosis; None for a repair.
    """

    text: str = ""
    claims: Claims | None = None
    submitted_at_s: float | None = None
    verdict: Verdict
    judgements: tuple[Judgement, ...] = ()
    grounding: Grounding | None = None


class RepairRecord(Value):
    """What a repair cost, whatever came of it; what else it changed stands in the verdict.

    Attributes:
        blast_radius: Objects that are neither as they were when all was well nor as the agent found
            them.
        restarts: Containers that were started after the agent had begun, of workloads that were not
            broken.
        requests: Requests of users between the agent's start and its end, by the load generator's log.
        failed_requests: How many of these failed.
        relief_s: Seconds from the agent's start to the end of the first round of the load generator
            in which users were served as before; None where none was.
    """

    blast_radius: int = 0
    restarts: int = 0
    requests: int = 0
    failed_requests: int = 0
    relief_s: float | None = None


class OutdatedDocument(Value):
    """A document that an agent could read, and what in it no longer held."""

    name: str
    what: str


class UpdateRecord(Value):
    """An update that the agent posted to the incident's channel.

    Attributes:
        at_s: Seconds on the episode's clock since the episode began.
        text: As posted.
        truth: Whether what it says of the users was so then: `true`, `false` or `undecided`.
    """

    at_s: float
    text: str
    truth: str


class RewardRecord(Value):
    """What an episode is worth to a trainer.

    Attributes:
        name: Of the reward.
        total: The sum of the terms, held within the reward's bounds.
        terms: What it consists of, by name.
    """

    name: str
    total: float
    terms: dict[str, float] = Field(default_factory=dict)


class EpisodeRecord(Value):
    """One problem, one seed, one agent, from deploy to verdict.

    Attributes:
        episode: Id of the episode in its run.
        problem: Problem id.
        agent: Agent name.
        instruction: The text that the agent received.
        seed: Seed of the world.
        salt: What keys, later uids and moments followed from besides; written nowhere else, and empty in
            records of earlier versions.
        mode: How the episode was put to the agent.
        start_before_s: Within how many seconds of the agent's start the system broke; None where
            it was broken before.
        alerts: The alerts that were reported to the agent, as a payload of Alertmanager's webhook.
        attempt: 1 for the first attempt with the same problem and agent.
        cluster: Name of the cluster provider.
        outcome: Pass when both stages pass; error when the world was not right.
        reason: Why, in one sentence.
        truths: The root causes, as diagnoses were judged by them; empty where none was.
        diagnosis: First stage, None when it was not reached.
        mitigation: Second stage, None when it was not reached.
        repair: What the repair cost; None where no mitigation was judged.
        reward: What it is worth to a trainer; None where none was requested, and for an error.
        recovered: Whether recovery restored the baseline exactly; False also where it was not wanted.
        stopped: What ended the agent's part, a used-up budget for instance; empty when it ended
            by itself.
        injected_at_s: Episode seconds at which the first fault was injected.
        noise: Level of each source of noise that disturbed the episode, by name.
        noise_level: How much noise was requested besides sources that were named, 0 to 3.
        noise_blamed: Sources of noise whose work the diagnosis holds responsible in place of a root
            cause.
        outdated_documents: Documents that the agent could read and that were out of date.
        updates: What it posted to the incident's channel.
        false_alarms: How many incidents a watching agent reported before there was one.
        ttd_s: Episode seconds from the agent's start, or from the injection where that came
            later, to its diagnosis.
        ttm_s: The same to its mitigation.
        steps: Number of tool calls, and of commands of an own kubectl.
        tokens: Of the agent's language model, where the adapter reported them.
        agent_version: Of the agent's program, where the adapter reported it.
        model: Its language model, where the adapter reported it.
        last_words: Text of the agent after its last call, where the adapter reported it.
        wall_s: Wall-clock seconds of the whole episode.
        warnings: Failures of observers and other things that did not decide the outcome.
        timeline: All events.
        transcript: All tool calls.
        requests: Requests of the agent's own clients to the Kubernetes API, where a guard stood before
            it; the first of very many.
        attempts: Attempts at the session's endpoints that were not permitted; the first of very
            many.
    """

    episode: str
    problem: str
    agent: str
    seed: int
    salt: str = ""
    mode: str = "standard"
    start_before_s: float | None = None
    attempt: int = 1
    instruction: str = ""
    alerts: dict[str, Any] | None = None
    cluster: str
    outcome: Outcome
    reason: str = ""
    truths: tuple[GroundTruth, ...] = ()
    diagnosis: StageRecord | None = None
    mitigation: StageRecord | None = None
    repair: RepairRecord | None = None
    reward: RewardRecord | None = None
    recovered: bool = False
    stopped: str = ""
    injected_at_s: float | None = None
    noise: dict[str, int] = Field(default_factory=dict)
    noise_level: int = 0
    noise_blamed: tuple[str, ...] = ()
    outdated_documents: tuple[OutdatedDocument, ...] = ()
    updates: tuple[UpdateRecord, ...] = ()
    false_alarms: int = 0
    ttd_s: float | None = None
    ttm_s: float | None = None
    steps: int = 0
    tokens: Tokens | None = None
    agent_version: str = ""
    model: str = ""
    last_words: str = ""
    wall_s: float = 0.0
    warnings: tuple[str, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()
    transcript: tuple[ToolCall, ...] = ()
    requests: tuple[ApiRequest, ...] = ()
    attempts: tuple[Attempt, ...] = ()


def outcome_of(
    world_problem: str, diagnosis: StageRecord | None, mitigation: StageRecord | None
) -> tuple[Outcome, str]:
    """The outcome of an episode and why: error before fail before undecided before pass."""
    if world_problem:
        return Outcome.ERROR, world_problem
    stages = [("diagnosis", diagnosis), ("mitigation", mitigation)]
    for wanted in (Outcome.ERROR, Outcome.FAIL, Outcome.UNDECIDED):
        for name, stage in stages:
            if stage is not None and stage.verdict.outcome is wanted:
                return wanted, f"{name}: {stage.verdict.reason}"
    passed = [name for name, stage in stages if stage is not None]
    return Outcome.PASS, f"{' and '.join(passed)} passed"
