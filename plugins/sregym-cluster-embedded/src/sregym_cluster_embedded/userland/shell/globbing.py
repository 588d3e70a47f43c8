"""What a shell finds out before it starts a command: names that fit a pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex import globs
from sregym_regex.budget import spend

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

_QUOTED = re.compile(r"\[([*?\[])\]")


def has_wildcard(pattern: str) -> bool:
    """Whether a pattern has characters that stand for others, beside those that were quoted."""
    return any(char in _QUOTED.sub("", pattern) for char in "*?[")


def globbed(session: Session, pattern: str) -> list[str]:
    """The paths that fit a pattern, none when there are none; `[*]` stands for a quoted `*`."""
    folder, slash, last = pattern.rpartition("/")
    places = [_QUOTED.sub(r"\1", folder)]
    if has_wildcard(folder):
        places = globbed(session, folder)
    hits = []
    for place in places:
        base = session.path(place or ("/" if slash else "."))
        names = session.files.listing(base) or []
        spend(10 + 3 * len(names))
        for name in names:
            hidden = name.startswith(".") and not last.startswith(".")
            if globs.matches(name, last) and not hidden:
                hits.append(f"{place}{slash}{name}")
    return hits
