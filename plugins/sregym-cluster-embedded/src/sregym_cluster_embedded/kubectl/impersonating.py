"""`--as` and its companions: the headers by which requests act as another user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.access.impersonation import (
    ANONYMOUS,
    EXTRA,
    GROUPS,
    SEPARATOR,
    UID,
    USER,
)
from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.flags import Arguments

FLAGS = (
    Flag("as"),
    Flag("as-group", kind="repeated"),
    Flag("as-uid"),
    Flag("as-user-extra", kind="repeated"),
)
# Commands that are nothing but requests whose refusal ends them.
_COVERED = frozenset({
    "access_review", "create", "delete", "generators", "get", "labels", "patch", "recent",
    "replace", "run_pod", "scale", "streams",
})  # fmt: skip


def headers(command: str, arguments: Arguments, warm: bool = False) -> dict[str, str]:
    """The headers of the requests of a command; none when it acts for itself.

    Args:
        command: The module that runs it.
        arguments: Its command line.
        warm: Whether the types are known already, which not everybody may ask for.

    Raises:
        NotCovered: The binary does more with these flags than send them.
    """
    if not any(arguments.has(flag.name) for flag in FLAGS):
        return {}
    name = arguments.text("as")
    if command not in _COVERED or not name or (name == ANONYMOUS and not warm):
        raise NotCovered(f"--as of {command}")
    found = {USER: name}
    groups = [group for value in arguments.all("as-group") for group in value.split(",")]
    if groups:
        found[GROUPS] = SEPARATOR.join(groups)
    if arguments.has("as-uid"):
        found[UID] = arguments.text("as-uid")
    for entry in arguments.all("as-user-extra"):
        key, equals, value = entry.partition("=")
        if not equals:
            raise NotCovered(f"--as-user-extra={entry}")
        header = f"{EXTRA}{key.lower()}"
        found[header] = f"{found[header]}{SEPARATOR}{value}" if header in found else value
    return found
