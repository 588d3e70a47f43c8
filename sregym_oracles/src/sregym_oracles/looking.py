"""From a look at the world to a named check, with the rule for what cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import Check, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A person reads the first few findings; the rest only says how wide the damage is.
SHOWN = 5
NOT_FOUND = 404


def look(
    name: str, expected: str, find: Callable[[], Sequence[str]], *, good: str = "all of it"
) -> Check:
    """A check from a function that lists what is wrong, one phrase each.

    The list being empty is a pass. A `ClusterError` is an error, since it says nothing about the
    agent; except that a thing is not there (404), which is a fail.

    Args:
        name: Of the check.
        expected: What a pass looks like.
        find: Lists what is wrong.
        good: What `got` says on a pass.
    """
    try:
        wrong = list(find())
    except ClusterError as error:
        if error.status == NOT_FOUND:
            return Check(name=name, outcome=Outcome.FAIL, expected=expected, got=error.message)
        return unreadable(name, expected, error)
    if not wrong:
        return Check(name=name, outcome=Outcome.PASS, expected=expected, got=good)
    got = "; ".join(wrong[:SHOWN])
    if len(wrong) > SHOWN:
        got += f"; and {len(wrong) - SHOWN} more"
    return Check(name=name, outcome=Outcome.FAIL, expected=expected, got=got)


def unreadable(name: str, expected: str, error: ClusterError) -> Check:
    """The check of something that the API would not show."""
    code = f" ({error.status} {error.reason})" if error.status else ""
    return Check(
        name=name,
        outcome=Outcome.ERROR,
        expected=expected,
        got=f"the cluster could not be read{code}: {error.message}",
        detail="this says nothing about the repair; play the episode again on a cluster that answers",
    )
