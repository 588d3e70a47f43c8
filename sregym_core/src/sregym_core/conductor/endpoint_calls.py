"""Calls of processes outside in a session, as its endpoints report them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.events import SessionOpened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import Access, Task
    from sregym_core.model import ApiRequest, Attempt

# So many fill no disk.
REQUEST_CAP = 50_000
ATTEMPT_CAP = 5_000


class OutsideCalls:
    """Requests of an agent's own clients, and attempts to open what is not theirs.

    Attributes:
        requests: The first of very many.
        attempts: The first of very many.
    """

    def __init__(self) -> None:
        self.requests: list[ApiRequest] = []
        self.attempts: list[Attempt] = []

    @property
    def calls(self) -> int:
        """How many commands of an own kubectl they were."""
        return len({one.call for one in self.requests if one.call})

    def fork(self) -> OutsideCalls:
        """The same so far, to go on by itself."""
        twin = OutsideCalls()
        twin.requests, twin.attempts = list(self.requests), list(self.attempts)
        return twin

    def add_requests(self, requests: Sequence[ApiRequest], at_s: float) -> None:
        """Keep requests that were made at this second of the episode."""
        room = max(0, REQUEST_CAP - len(self.requests))
        self.requests.extend(one.model_copy(update={"at_s": at_s}) for one in requests[:room])

    def add_attempts(self, attempts: Sequence[Attempt], at_s: float) -> None:
        """Keep attempts that were made at this second of the episode."""
        room = max(0, ATTEMPT_CAP - len(self.attempts))
        self.attempts.extend(one.model_copy(update={"at_s": at_s}) for one in attempts[:room])


def session_opened(
    access: Access, instruction: str, task: Task, alerts: Mapping[str, Any] | None
) -> SessionOpened:
    """The event with the addresses at which people reach the world."""
    return SessionOpened(
        str(access.kubeconfig),
        dict(access.endpoints),
        instruction,
        str(access.folder),
        access.token,
        task.mode,
        tuple(str(stage) for stage in task.submissions),
        None if alerts is None else dict(alerts),
    )
