"""From a look at the world to a named check, with the rule for what cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import Check, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A person reads the first few findings; the rest only says how wide the damage is.
SHOWN = 5
# What an agent wrote may be of any length.
LONGEST = 200
# Answers of an API server that are about who asks, when, or how often; any other of this class is
# about what stands in the cluster.
_ABOUT_THE_CALLER = (401, 403, 408, 429)


def check_from_findings(
    name: str, expected: str, find: Callable[[], Sequence[str]], *, good: str = "all of it"
) -> Check:
    """A check from a function that lists what is wrong, one phrase each.

    The list being empty is a pass. What cannot be read or judged is reported by `guarded_check`.

    Args:
        name: Of the check.
        expected: What a pass looks like.
        find: Lists what is wrong.
        good: What `got` says on a pass.
    """

    def made() -> Check:
        return _told(name, expected, list(find()), good)

    return guarded_check(name, expected, made)


def guarded_check(name: str, expected: str, make: Callable[[], Check]) -> Check:
    """A check, whatever stands in the cluster: the one that `make` gives, or why it gives none.

    A system was judged without trouble when it was healthy and when it had been broken. What makes
    that impossible later is of the one who changed it since, and fails. Only a cluster that does not
    answer, or answers so about the client itself, is an error: it means nothing for the repair.

    Args:
        name: Of the check.
        expected: What a pass looks like.
        make: Looks.
    """
    try:
        return make()
    except ClusterError as error:
        if 400 <= error.status < 500 and error.status not in _ABOUT_THE_CALLER:
            return Check(name=name, outcome=Outcome.FAIL, expected=expected, got=error.message)
        return unreadable_check(name, expected, error)
    except Exception as error:
        got = (
            f"what stands in the cluster cannot be judged: {type(error).__name__}: {_short(error)}"
        )
        return Check(name=name, outcome=Outcome.FAIL, expected=expected, got=got)


def _short(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _told(name: str, expected: str, wrong: Sequence[str], good: str) -> Check:
    if not wrong:
        return Check(name=name, outcome=Outcome.PASS, expected=expected, got=good)
    got = "; ".join(wrong[:SHOWN])
    if len(wrong) > SHOWN:
        got += f"; and {len(wrong) - SHOWN} more"
    return Check(name=name, outcome=Outcome.FAIL, expected=expected, got=got)


def unreadable_check(name: str, expected: str, error: ClusterError) -> Check:
    """The check of a state that the API would not show."""
    code = f" ({error.status} {error.reason})" if error.status else ""
    return Check(
        name=name,
        outcome=Outcome.ERROR,
        expected=expected,
        got=f"the cluster could not be read{code}: {error.message}",
        detail="this says nothing about the repair; play the episode again on a cluster that answers",
    )
