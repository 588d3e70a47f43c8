"""Who an agent is to an API server: an engineer on call. What that one may do, a cluster's operations grant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Identity:
    """A user, as an API server knows it.

    Attributes:
        name: Its name.
        groups: Its groups, without `system:authenticated`.
    """

    name: str
    groups: tuple[str, ...] = ()


ON_CALL = Identity("on-call", ("site-reliability-engineers",))


def on_call(suffix: str = "") -> Identity:
    """Who an agent is, among those that share a cluster."""
    groups = tuple(f"{name}{suffix}" for name in ON_CALL.groups)
    return Identity(f"{ON_CALL.name}{suffix}", groups)
