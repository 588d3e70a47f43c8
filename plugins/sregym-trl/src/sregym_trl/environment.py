"""What TRL's `GRPOTrainer` takes as `environment_factory`, and what goes with it.

TRL makes one environment for each rollout of a batch, resets it with the columns of a row, gives the
model every public method but `reset` and `get_reward` as a tool, and asks for the reward afterwards.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_core.api import Budget
from sregym_core.errors import UsageError
from sregym_rollouts import Rollouts, RolloutTask, rollout_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_rollouts import Rollout


class IncidentEnvironment:
    """One incident, whose tools are methods.

    Tools are what a model sees, with their docstrings.

    Args:
        rollouts: Where episodes come from.
    """

    def __init__(self, rollouts: Rollouts) -> None:
        self._rollouts = rollouts
        self._rollout: Rollout | None = None

    def reset(self, **row: Any) -> None:
        """Begin an episode; what the model is told stands in the row's prompt.

        Args:
            row: The columns of a row of the data; `task` is needed: `PROBLEM@SEED`.

        Raises:
            UsageError: There is no column `task`, or no such problem.
            WorldError: The world was not right.
        """
        if "task" not in row:
            msg = "the data has no column 'task'; make it with sregym_trl.rows(...)"
            raise UsageError(msg)
        if self._rollout is not None:
            self._rollout.drop()
        self._rollout = self._rollouts.start(RolloutTask.named(str(row["task"])))

    def kubectl(self, command: str) -> str:
        """Run one kubectl command with the rights of an engineer on call.

        Args:
            command: The command line, e.g. 'kubectl get pods -n shop -o wide'. There is no shell.

        Returns:
            What it prints.
        """
        return self._call("kubectl", command=command)

    def query_metrics(self, query: str) -> str:
        """Evaluate a PromQL expression now.

        Args:
            query: A PromQL expression.

        Returns:
            One line for each series.
        """
        return self._call("query_metrics", query=query)

    def query_logs(self, query: str) -> str:
        """Search the logs of all containers of the last 15 minutes with LogQL.

        Args:
            query: A LogQL expression, e.g. '{namespace="shop"} |= "error"'.

        Returns:
            The newest lines, oldest first.
        """
        return self._call("query_logs", query=query)

    def search_traces(self, service: str) -> str:
        """Find traces of a service of the last 15 minutes.

        Args:
            service: Name of a service that sends traces.

        Returns:
            One line for each trace, the newest first.
        """
        return self._call("search_traces", service=service)

    def alerts(self) -> str:
        """List the alerts that are pending or firing now.

        Returns:
            One line for each alert.
        """
        return self._call("alerts")

    def wait(self, seconds: float) -> str:
        """Let time pass, for a rollout or for new measurements.

        Args:
            seconds: How long.

        Returns:
            What time it is.
        """
        return self._call("wait", seconds=seconds)

    def submit(
        self,
        text: str,
        component: str = "",
        mechanism: str = "",
        detail: str = "",
        before: str = "",
        after: str = "",
    ) -> str:
        """Hand in what comes next: first the diagnosis, then word that the repair is done.

        Args:
            text: The root cause and what it should be; then a short note.
            component: Once more, where you like: the one component or object that is the cause.
            mechanism: What is wrong with it, in a few words, e.g. 'wrong target port'.
            detail: The field, key, account or setting concerned.
            before: Its right value.
            after: Its value now.

        Returns:
            Which submission follows.
        """
        fields = {
            "component": component,
            "mechanism": mechanism,
            "detail": detail,
            "before": before,
            "after": after,
        }
        claims = {name: value for name, value in fields.items() if value}
        return self._call("submit", text=text, **({"claims": claims} if claims else {}))

    def _call(self, tool: str, **arguments: object) -> str:
        if self._rollout is None or self._rollout.done:
            return "The episode is over; nothing more can be done."
        return self._rollout.call(tool, arguments).text

    def get_reward(self) -> float | None:
        """Grade the episode as it stands; TRL leaves out a rollout whose world was not right (None)."""
        return None if self._rollout is None else self._rollout.finish().reward


def environment_factory(rollouts: Rollouts | None = None) -> Callable[[], IncidentEnvironment]:
    """For `GRPOTrainer(environment_factory=...)`: environments that share checkpoints.

    Args:
        rollouts: Where episodes come from; None for episodes of up to 30 calls.
    """
    chosen = rollouts or Rollouts(budget=Budget(steps=30), agent="trl")
    return partial(IncidentEnvironment, chosen)


def rows(
    problems: Iterable[str] = (), *, suite: str = "", seeds: Iterable[int] = (0,)
) -> list[dict[str, Any]]:
    """For `Dataset.from_list(...)`: one row for each problem and seed, with its prompt.

    Args:
        problems: Ids; none for those of the suite.
        suite: Name of a suite; empty for all problems.
        seeds: Of the worlds.

    Raises:
        UsageError: There is no such problem or suite.
    """
    rollouts = Rollouts()
    found = rollout_tasks(problems, suite=suite, seeds=seeds, workspace=rollouts.workspace)
    return [
        {
            "prompt": [{"role": "user", "content": rollouts.instruction(task).strip()}],
            "task": task.id,
        }
        for task in found
    ]
