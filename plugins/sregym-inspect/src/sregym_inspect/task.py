"""The task: problems in the worlds of seeds."""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.util import SandboxEnvironmentSpec
from sregym_rollouts import Rollouts, rollout_tasks

from sregym_inspect.responder import responder
from sregym_inspect.sandbox import IncidentConfig
from sregym_inspect.scoring import verdict


@task
def sregym(
    problems: str | list[str] = "",
    suite: str = "lite",
    seeds: int = 1,
    mode: str = "standard",
    max_steps: int = 60,
    message_limit: int = 200,
) -> Task:
    """Incidents in simulated Kubernetes systems, to be diagnosed and repaired.

    Args:
        problems: Ids, as a list or with commas between; none for those of the suite.
        suite: Name of a suite; empty for all problems.
        seeds: In how many worlds each problem is played.
        mode: How episodes are put to the model.
        max_steps: Most calls of tools of a sample.
        message_limit: Most messages of a sample.

    Raises:
        UsageError: There is no such problem, suite or mode.
    """
    names = problems.replace(",", " ").split() if isinstance(problems, str) else problems
    rollouts = Rollouts(mode=mode)
    chosen = rollout_tasks(names, suite=suite, seeds=range(seeds), workspace=rollouts.workspace)
    samples = [
        Sample(
            id=one.id,
            input=rollouts.instruction(one).strip(),
            metadata={"problem": one.problem, "seed": one.seed},
            sandbox=SandboxEnvironmentSpec(
                "sregym", IncidentConfig(task=one.id, mode=mode, max_steps=max_steps)
            ),
        )
        for one in chosen
    ]
    return Task(
        dataset=MemoryDataset(samples, name=suite or "sregym"),
        solver=responder(),
        scorer=verdict(),
        message_limit=message_limit,
        fail_on_error=False,
    )
