"""What an environment raises when it is used in a way that cannot work. One family.

What goes wrong with the world (a cluster that cannot be had, a fault without effect) is a
`sregym_core.errors.WorldError`; what a model does wrong with a tool is an observation with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class EnvironmentUsageError(UsageError):
    """Base of all errors in the use of an `Environment`."""


class EnvironmentClosedError(EnvironmentUsageError):
    """The environment was closed.

    Args:
        what: Name of the method that was called.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}: this environment is closed; make a new Environment to play another episode"
        )


class NoEpisodeError(EnvironmentUsageError):
    """No episode was begun.

    Args:
        what: Name of the method that was called.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: no episode is open; call reset() first")


class EpisodeOpenError(EnvironmentUsageError):
    """An episode is open and would be lost."""

    def __init__(self) -> None:
        super().__init__(
            "reset: an episode is open; end() grades it, close() grades it and ends the environment, "
            "reset(seed=...) gives it up and begins another"
        )


class EpisodeOverError(EnvironmentUsageError):
    """The agent's part is over.

    Args:
        what: Name of the method that was called.
        why: What ended it.
    """

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: the agent's part is over: {why}; end() or close() grades it")


class UnknownToolError(EnvironmentUsageError):
    """There is no tool of that name."""

    def __init__(self, name: str, known: Sequence[str], near: Sequence[str]) -> None:
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        super().__init__(f"step: no tool named {name!r}; {hint}There are: {', '.join(known)}")


class ToolArgumentError(EnvironmentUsageError):
    """A tool does not take these arguments; nothing was done.

    Args:
        what: Name of the method that was called.
        message: What is wrong with which argument.
    """

    def __init__(self, what: str, message: str) -> None:
        super().__init__(f"{what}: {message}")


class CannotForkError(EnvironmentUsageError):
    """This episode cannot be forked.

    Args:
        cluster: Name of the kind of cluster.
    """

    def __init__(self, cluster: str) -> None:
        super().__init__(
            f"fork: an episode on cluster {cluster!r} cannot be forked here: only simulated clusters "
            "that no process outside is connected to can be"
        )
