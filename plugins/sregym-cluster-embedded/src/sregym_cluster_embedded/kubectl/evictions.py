"""The end of the pods of a drained node: evictions that are tried again, and the wait for all."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.ages import go_duration
from sregym_cluster_embedded.kubectl.errors import ServerError
from sregym_cluster_embedded.kubectl.printing import DRY_RUNS, dry_run
from sregym_cluster_embedded.kubectl.waiting import PATIENCE_S, pause, timed_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_RETRY_S, _LOOK_S = 5.0, 1.0
# What is said of a wait that was without success.
LATE = "context deadline exceeded"
_TOO_MANY = "TooManyRequests"


def joined(problems: Sequence[str]) -> str:
    """Several errors as one, told once each."""
    told = list(dict.fromkeys(problems))
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


def end_pods(session: Session, pods: Sequence[Object]) -> list[str]:
    """Evict or delete the pods and wait until they are gone; what went wrong."""
    if session.arguments.on("disable-eviction"):
        return _delete(session, pods)
    # The binary starts all at once, and the last one gets its turn first.
    return _Evictions(session, [pods[-1], *pods[:-1]]).run()


def _path(pod: Object) -> str:
    metadata = pod["metadata"]
    return f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"


def _options(session: Session) -> dict[str, Any]:
    grace = session.arguments.number("grace-period", -1)
    options: dict[str, Any] = {} if grace < 0 else {"gracePeriodSeconds": grace}
    if dry_run(session.arguments) == "server":
        options["dryRun"] = ["All"]
    return options


def _gone(session: Session, pod: Object) -> bool:
    try:
        found = session.client.send("GET", _path(pod))
    except ServerError as error:
        if error.not_found:
            return True
        raise
    return bool(found["metadata"]["uid"] != pod["metadata"]["uid"])


def _delete(session: Session, pods: Sequence[Object]) -> list[str]:
    for pod in pods:
        try:
            session.client.send("DELETE", _path(pod), body=_options(session))
        except ServerError as error:
            if not error.not_found:
                return [error.message]
    left, passed = list(pods), 0.0
    limit = session.arguments.duration("timeout", 0.0)
    while True:
        for pod in [one for one in left if _gone(session, one)]:
            session.say(f"pod/{pod['metadata']['name']} deleted")
            left.remove(pod)
        if not left:
            return []
        if passed + _LOOK_S > (limit or PATIENCE_S):
            pause(session, (limit or PATIENCE_S) - passed)
            if not limit:
                raise timed_out()
            return [LATE]
        pause(session, _LOOK_S)
        passed += _LOOK_S


class _Evictions:
    """The evictions of one drain, each with the moment of its next step.

    Args:
        session: The command.
        pods: In the order in which they are tried.
    """

    def __init__(self, session: Session, pods: Sequence[Object]) -> None:
        self._session = session
        self._pods = list(pods)
        self._asked = [False] * len(pods)
        self._timeout_s = session.arguments.duration("timeout", 0.0)
        self._due = [(0.0, at) for at in range(len(pods))]
        self._problems: list[str] = []

    def run(self) -> list[str]:
        """Let time pass until all pods are gone; what went wrong."""
        passed = 0.0
        heapq.heapify(self._due)
        limit = self._timeout_s or PATIENCE_S
        for at in range(len(self._pods)):
            self._announce(at)
        while self._due:
            due, at = heapq.heappop(self._due)
            late = due >= limit
            if late and not self._timeout_s:
                raise timed_out()
            if self._asked[at] and late:
                due = limit
            pause(self._session, due - passed)
            passed = max(passed, due)
            self._look(due, at, late) if self._asked[at] else self._try(due, at, late)
        return self._problems

    def _announce(self, at: int) -> None:
        metadata = self._pods[at]["metadata"]
        done = DRY_RUNS[dry_run(self._session.arguments)]
        self._session.say(f"evicting pod {metadata['namespace']}/{metadata['name']}{done}")

    def _try(self, now: float, at: int, late: bool) -> None:
        if now:
            self._announce(at)
        pod = self._pods[at]
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        head = f'error when evicting pods/"{name}" -n "{namespace}"'
        if late:
            reached = go_duration(self._timeout_s)
            self._problems.append(f"{head}: global timeout reached: {reached}")
            return
        eviction = {
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"name": name, "namespace": namespace},
            "deleteOptions": _options(self._session),
        }  # fmt: skip
        try:
            self._session.client.send("POST", f"{_path(pod)}/eviction", body=eviction)
        except ServerError as error:
            if error.not_found:
                return
            if error.reason != _TOO_MANY:
                self._problems.append(f"{head}: {error.message}")
                return
            self._session.complain(f"{head} (will retry after 5s): {error.message}")
            heapq.heappush(self._due, (now + _RETRY_S, at))
            return
        if dry_run(self._session.arguments) != "server":
            self._asked[at] = True
            heapq.heappush(self._due, (now, at))

    def _look(self, now: float, at: int, late: bool) -> None:
        pod = self._pods[at]
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        if late:
            head = f'error when waiting for pod "{name}" in namespace "{namespace}" to terminate'
            self._problems.append(f"{head}: {LATE}")
        elif _gone(self._session, pod):
            self._session.say(f"pod/{name} evicted")
        else:
            heapq.heappush(self._due, (now + _LOOK_S, at))
