"""What a small policy can do: lines that a person on call might type, known beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_rollouts import Rollouts, RolloutTask


def moves_of(
    rollouts: Rollouts, tasks: Iterable[RolloutTask], looks: Sequence[str]
) -> tuple[str, ...]:
    """The looks, and all that the reference solutions of the tasks do, each once and sorted.

    What is right for one problem is wrong for the others: a policy has to find out which is which.

    Args:
        rollouts: Where the solutions come from.
        tasks: The tasks that are played.
        looks: Lines that only look, as a policy types them.

    Raises:
        UsageError: Agent `expert` is not installed, or does not solve a task.
    """
    tools = rollouts.tools()
    done = {action.line(tools) for task in tasks for action in rollouts.reference(task)}
    return (*looks, *sorted(done - set(looks)))
