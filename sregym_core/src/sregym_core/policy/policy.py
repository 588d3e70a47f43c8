"""The policy of one session: as whom an agent acts, what is refused, what is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.model import ObjectRef
    from sregym_core.policy.role import Identity


class Policy:
    """What holds for one session; clusters and guards enforce it (`sregym_kubernetes`).

    Args:
        redacted: Objects that are tools of the harness, read anew each time.
        identity: As whom the API server sees the agent; None for the harness's own rights.
        debugged_from: Namespaces in which it may create pods that reach into their node, to look at
            machines and repair them (`kubectl debug node/NAME`).
    """

    def __init__(
        self,
        redacted: Callable[[], Sequence[ObjectRef]] = tuple,
        identity: Identity | None = None,
        debugged_from: Sequence[str] = (),
    ) -> None:
        self.redacted = redacted
        self.identity = identity
        self.debugged_from = tuple(debugged_from)

    @property
    def redacts(self) -> bool:
        """Whether anything is hidden: only then do answers have to be read."""
        return bool(self.redacted())
