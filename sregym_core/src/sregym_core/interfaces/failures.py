"""Whose failing calls made whose requests fail, where a cluster knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class FatalCalls:
    """Calls that failed, and with them what they were made for.

    What a caller does without, or gets elsewhere, is not among them.

    Attributes:
        namespace: Of the pod that was called; empty where it is not known.
        pod: That pod, or the one that last had the address or registered name that was called.
        host: By what the caller knows it: a name in DNS, an address, a name in a registry.
        requests: Requests to the caller that failed because of these calls.
        starts: Starts of the caller's containers that failed or hang because of them.
    """

    namespace: str
    pod: str
    host: str
    requests: float = 0.0
    starts: int = 0


@dataclass(frozen=True, order=True)
class PodFailures:
    """What became of the requests to a pod in a span of time.

    Attributes:
        namespace: Of the pod.
        pod: Its name; it may be gone by now.
        requests: All requests that it was sent.
        failed: Those that failed.
        calls: By whose failing calls, sorted; what is left of `failed` is the pod's own doing.
    """

    namespace: str
    pod: str
    requests: float
    failed: float
    calls: tuple[FatalCalls, ...] = ()
