"""A pod as the checks of pod security see it, and the texts in which they name violations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sregym_cluster_embedded.store import Object


class Finding(NamedTuple):
    """What one check objects to."""

    reason: str
    detail: str


class Subject(NamedTuple):
    """A pod, or the template of one.

    Attributes:
        annotations: Of the pod.
        spec: Its spec.
        context: Its security context.
        containers: Init containers, containers and ephemeral ones, in this order.
        minor: Version of the standard.
    """

    annotations: Mapping[str, str]
    spec: Object
    context: Mapping[str, Any]
    containers: Sequence[Object]
    minor: int

    @property
    def windows(self) -> bool:
        """Whether checks that only Linux knows are left out (from v1.25 on)."""
        return self.minor >= 25 and (self.spec.get("os") or {}).get("name") == "windows"

    @property
    def own_users(self) -> bool:
        """Whether root in the pod is an unprivileged user on the node (looked at from v1.35 on)."""
        return self.minor >= 35 and self.spec.get("hostUsers") is False


def subject(metadata: Object, spec: Object, minor: int) -> Subject:
    """What the checks of version `minor` look at."""
    containers = [
        container
        for field in ("initContainers", "containers", "ephemeralContainers")
        for container in spec.get(field) or ()
    ]
    return Subject(
        metadata.get("annotations") or {},
        spec,
        spec.get("securityContext") or {},
        containers,
        minor,
    )


def context(container: Object) -> Mapping[str, Any]:
    """The security context of a container."""
    return container.get("securityContext") or {}


def named(pod: Subject, bad: Callable[[Object], bool]) -> list[str]:
    """The names of the containers that are `bad`."""
    return [container["name"] for container in pod.containers if bad(container)]


def quoted(values: Iterable[str]) -> str:
    """`"a", "b"`."""
    return ", ".join(f'"{value}"' for value in values)


def plural(word: str, count: int) -> str:
    """The word, with an s unless it is about one."""
    return word if count == 1 else f"{word}s"


def containers(names: Sequence[str]) -> str:
    """`container "a"`, `containers "a", "b"`."""
    return f"{plural('container', len(names))} {quoted(names)}"


def setters(pod: bool, names: Sequence[str]) -> str:
    """`pod and containers "a", "b"`: which set something; empty for none."""
    who = ["pod"] if pod else []
    if names:
        who.append(containers(names))
    return " and ".join(who)
