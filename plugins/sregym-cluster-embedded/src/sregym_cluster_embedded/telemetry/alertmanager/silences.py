"""Silences: the only thing that is told to the Alertmanager of a world, and kept in it.

They are entries of the world's table `alertmanager.silences`, so that forks, checkpoints and
digests know of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sregym_promql.storage import Matcher
from sregym_regex.go import PatternError, anywhere

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.world import World

TABLE: TableKey[str, Silence] = TableKey("alertmanager.silences")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


class SilenceError(ValueError):
    """A silence that Alertmanager refuses, in its words."""


@dataclass(frozen=True)
class Silence:
    """Mutes alerts for a while.

    Attributes:
        id: A UUID.
        matchers: All must match an alert's labels.
        starts_s: Unix seconds.
        ends_s: Unix seconds.
        updated_s: When it was last changed.
        created_by: Who asked for it.
        comment: Why.
    """

    id: str
    matchers: tuple[Matcher, ...]
    starts_s: float
    ends_s: float
    updated_s: float
    created_by: str
    comment: str

    def state(self, now_s: float) -> str:
        """`pending`, `active` or `expired`."""
        if now_s < self.starts_s:
            return "pending"
        return "active" if now_s < self.ends_s else "expired"

    def mutes(self, labels: Mapping[str, str]) -> bool:
        """Whether all matchers match."""
        return all(matcher.matches(labels.get(matcher.name, "")) for matcher in self.matchers)


def silences(world: World) -> list[Silence]:
    """All that were ever made, oldest first."""
    return list(world.table(TABLE).values())


def store_silence(world: World, silence: Silence, now_s: float) -> str:
    """Keep a new silence, or a changed one; gives its id.

    A silence whose matchers change is expired, and a new one takes its place, as in Alertmanager.

    Raises:
        KeyError: It is to change one that is not there.
        SilenceError: It is refused.
    """
    table = world.table(TABLE)
    _check(silence, now_s)
    known = table.get(silence.id)
    if silence.id and known is None:
        raise KeyError(silence.id)
    if known is not None and known.matchers == silence.matchers and known.state(now_s) != "expired":
        table[silence.id] = replace(silence, updated_s=now_s)
        return silence.id
    if known is not None and known.state(now_s) != "expired":
        expire(world, known.id, now_s)
    digest = blake2b(f"{len(table)} {silence}".encode(), digest_size=16).digest()
    made = str(UUID(bytes=digest, version=4))
    starts = max(silence.starts_s, now_s)
    table[made] = replace(silence, id=made, starts_s=starts, updated_s=now_s)
    return made


def expire(world: World, silence_id: str, now_s: float) -> None:
    """End a silence now; one that has ended stays as it is.

    Raises:
        KeyError: There is none of this id.
    """
    table = world.table(TABLE)
    known: Silence = table[silence_id]
    if known.state(now_s) == "expired":
        return
    starts = min(known.starts_s, now_s)
    table[silence_id] = replace(known, starts_s=starts, ends_s=now_s, updated_s=now_s)


def _check(silence: Silence, now_s: float) -> None:
    if not silence.matchers:
        raise SilenceError("silence invalid: at least one matcher required")
    for place, matcher in enumerate(silence.matchers):
        wrong = f"silence invalid: invalid label matcher {place}"
        if not _LABEL.fullmatch(matcher.name):
            raise SilenceError(f'{wrong}: invalid label name "{matcher.name}"')
        if matcher.op in ("=~", "!~"):
            try:
                anywhere(matcher.value)
            except PatternError as error:
                why = f'invalid regular expression "{matcher.value}": error parsing regexp'
                raise SilenceError(f"{wrong}: {why}: {error}") from None
    if all(matcher.matches("") for matcher in silence.matchers):
        raise SilenceError("silence invalid: at least one matcher must not match the empty string")
    if silence.ends_s < silence.starts_s:
        raise SilenceError("Failed to create silence: start time must be before end time")
    if silence.ends_s < now_s:
        raise SilenceError("Failed to create silence: end time can't be in the past")


def matcher_of(given: Mapping[str, Any]) -> Matcher:
    """From the API's form: name, value, isRegex, isEqual."""
    equal, regex = given.get("isEqual"), given.get("isRegex")
    op = {(True, False): "=", (False, False): "!=", (True, True): "=~", (False, True): "!~"}
    return Matcher(str(given["name"]), op[equal is not False, bool(regex)], str(given["value"]))


def matcher_to_json(matcher: Matcher) -> dict[str, Any]:
    """The API's form of a matcher."""
    return {
        "isEqual": matcher.op in ("=", "=~"),
        "isRegex": matcher.op in ("=~", "!~"),
        "name": matcher.name,
        "value": matcher.value,
    }
