"""What a shell finds out before it starts a command: names that fit a pattern, who reads its input."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.budget import spend
from sregym_cluster_embedded.patterns import globs

if TYPE_CHECKING:
    from collections.abc import Container

    from sregym_cluster_embedded.userland.shell.session import Session

# Commands that read standard input to its end when no file is named.
_READERS = frozenset(
    {"cat", "wc", "grep", "egrep", "fgrep", "head", "tail", "sort", "uniq", "cut", "tr", "sed"}
    | {"awk", "tee", "xargs", "base64", "md5sum", "sha256sum", "sh", "bash", "ash", "dash", "tac"}
    | {"tar", "dd", "nc", "od", "rev", "nl"}
    | {
        "gzip",
        "gunzip",
        "zcat",
        "hexdump",
        "xxd",
        "join",
        "column",
        "paste",
        "mawk",
        "fold",
        "split",
        "cksum",
        "cmp",
    }
)
# Commands whose own commands this shell runs: these write, as those of functions do.
READ_IN = (".", "source", "eval")


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


def reads(words: list[str], consoles: Container[str]) -> bool:
    """Whether a command reads its standard input; consoles of servers do."""
    name = words[0].rpartition("/")[2]
    if name in ("timeout", "env", "nice", "nohup", "time", "command"):
        return True
    return name in _READERS or name in consoles
