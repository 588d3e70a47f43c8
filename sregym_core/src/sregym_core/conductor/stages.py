"""The order in which stages are handed in, and how a session speaks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import Stage

if TYPE_CHECKING:
    from sregym_core.interfaces import Task


def following(task: Task, stage: Stage) -> Stage:
    """The stage that is handed in after one."""
    index = task.submissions.index(stage) + 1
    return task.submissions[index] if index < len(task.submissions) else Stage.DONE


def all_in(task: Task) -> str:
    """That everything was handed in."""
    if len(task.submissions) > 1:
        return "both stages were submitted"
    return f"the {task.submissions[0]} was submitted"


def what_is_next(task: Task, stage: Stage) -> str:
    """What the agent hands in next."""
    if stage is Stage.DONE:
        return all_in(task)
    if stage is Stage.DIAGNOSIS:
        return "next: submit the diagnosis"
    received = "" if stage is task.submissions[0] else "the diagnosis was received; "
    return f"{received}next: repair, then submit a note that it is done"
