"""Guesses by the audit log of the API server alone: who was written to last, or unlike all others.

Reading there what was changed, and thinking about what that does, is no longer guessing.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from sregym_agents.survey.listed import KubeObject, Listing

_WORKLOADS = ("deployments", "statefulsets", "daemonsets", "cronjobs")


def _done(event: KubeObject) -> bool:
    return bool(event["responseStatus"]["code"] < 400)


def _about(event: KubeObject) -> str:
    return str((event.get("objectRef") or {}).get("resource", ""))


def _owned(seen: Listing, wanted: Callable[[KubeObject], bool]) -> Iterator[tuple[str, KubeObject]]:
    for event in seen.audit:
        if wanted(event) and (name := seen.of_request(event)) is not None:
            yield name, event


def _last(found: Sequence[tuple[str, KubeObject]]) -> set[str]:
    return {found[-1][0]} if found else set()


def last_request(seen: Listing) -> set[str]:
    """The component whose object was written last."""
    return _last([*_owned(seen, _done)])


def last_of(*resources: str) -> Callable[[Listing], set[str]]:
    """The component whose object of one of these resources was written last."""

    def look(seen: Listing) -> set[str]:
        return _last([*_owned(seen, lambda e: _done(e) and _about(e) in resources)])

    return look


def _deleted(event: KubeObject) -> bool:
    # Pods are deleted all day long.
    return event["verb"] == "delete" and _done(event) and _about(event) != "pods"


def last_deleted(seen: Listing) -> set[str]:
    """The component whose object was deleted last, pods left out."""
    return _last([*_owned(seen, _deleted)])


def only_deleted(seen: Listing) -> set[str]:
    """The component whose object was deleted, if it is the only one."""
    names = {name for name, _ in _owned(seen, _deleted)}
    return names if len(names) == 1 else set()


def gone_for_good(seen: Listing) -> set[str]:
    """The only component with a deleted object that was not created within the log."""
    made = {_key(event) for event in seen.audit if event["verb"] == "create" and _done(event)}
    names = {name for name, event in _owned(seen, _deleted) if _key(event) not in made}
    return names if len(names) == 1 else set()


def _key(event: KubeObject) -> tuple[str, str, str]:
    about = event.get("objectRef") or {}
    return _about(event), str(about.get("namespace", "")), str(about.get("name", ""))


def rarest(of: Callable[[KubeObject], Hashable]) -> Callable[[Listing], set[str]]:
    """Who was written to in the way that is the rarest in the log."""

    def look(seen: Listing) -> set[str]:
        found = [(name, of(event)) for name, event in _owned(seen, _done)]
        counts = Counter(way for _, way in found)
        least = min(counts.values(), default=0)
        return {name for name, way in found if counts[way] == least}

    return look


def written_then_restarted(seen: Listing) -> set[str]:
    """The component whose Service or configuration was the last write before a restart."""
    last: set[str] = set()
    before = ""
    for name, event in _owned(seen, _done):
        if _about(event) in ("services", "configmaps", "secrets"):
            before = name
        elif before and _about(event) in _WORKLOADS:
            last, before = {before}, ""
    return last


def last_refused(seen: Listing) -> set[str]:
    """The component at whose object the last refused write was aimed."""
    return _last([*_owned(seen, lambda event: not _done(event))])


AUDITED: Mapping[str, Callable[[Listing], set[str]]] = MappingProxyType(
    {
        "audit: last write": last_request,
        "audit: last write of a workload": last_of(*_WORKLOADS),
        "audit: last write of a Service": last_of("services"),
        "audit: last write of configuration": last_of("configmaps", "secrets"),
        "audit: last deletion": last_deleted,
        "audit: only deletion": only_deleted,
        "audit: only deletion of what was not made": gone_for_good,
        "audit: rarest user": rarest(lambda event: event["user"]["username"]),
        "audit: rarest client": rarest(lambda event: event["userAgent"]),
        "audit: rarest kind of write": rarest(lambda event: (event["verb"], _about(event))),
        "audit: write before a restart": written_then_restarted,
        "audit: last refusal": last_refused,
    }
)
