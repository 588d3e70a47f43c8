"""Why a pod is not ready, as the kubelet and the scheduler put it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# States of waiting that follow from what the pod says: it stays in them until it is repaired.
PULLING = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")
REFUSED = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")
CRASHING = "CrashLoopBackOff"


@dataclass(frozen=True)
class PodTrouble:
    """Why one pod is not ready.

    Attributes:
        pod: Its name.
        reason: In one word: `ImagePullBackOff`, `Unschedulable`, `NotReady` ...
        detail: Further text of the cluster; may be empty.
        restarts: Of the container that it is about.
    """

    pod: str
    reason: str
    detail: str = ""
    restarts: int = 0

    @property
    def crashing(self) -> bool:
        """Whether a container ends again and again."""
        return self.reason == CRASHING

    @property
    def lasting(self) -> bool:
        """Whether waiting alone does not help, as far as one look shows."""
        return self.crashing or self.reason in (*PULLING, *REFUSED) or self.reason == "Failed"

    def __str__(self) -> str:
        """`search-7d9f: ImagePullBackOff (manifest unknown)`."""
        told = [f"{self.restarts} restarts"] if self.crashing and self.restarts else []
        told += [self.detail] if self.detail else []
        return f"{self.pod}: {self.reason}" + (f" ({', '.join(told)})" if told else "")


def pod_trouble(pod: Mapping[str, Any]) -> PodTrouble | None:
    """Why a pod is not ready; None when it is, or has run to its end."""
    name, status = pod["metadata"]["name"], pod.get("status") or {}
    if status.get("phase") == "Succeeded" or _holds(status, "Ready"):
        return None
    if "deletionTimestamp" in pod["metadata"]:
        return PodTrouble(name, "Terminating")
    if status.get("phase") == "Failed":
        detail = ": ".join(filter(None, (status.get("reason"), status.get("message"))))
        return PodTrouble(name, "Failed", detail)
    for condition in status.get("conditions") or ():
        if (condition["type"], condition["status"]) == ("PodScheduled", "False"):
            return PodTrouble(
                name, condition.get("reason", "Unschedulable"), condition.get("message", "")
            )
    for container in _containers(status):
        trouble = _of_container(name, container)
        if trouble is not None:
            return trouble
    return PodTrouble(name, "NotReady" if status.get("phase") == "Running" else "Pending")


def _containers(status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for field in ("initContainerStatuses", "containerStatuses"):
        yield from status.get(field) or ()


def _of_container(pod: str, container: Mapping[str, Any]) -> PodTrouble | None:
    state = container.get("state") or {}
    restarts = int(container.get("restartCount", 0))
    last = (container.get("lastState") or {}).get("terminated") or {}
    waiting, ended = state.get("waiting"), state.get("terminated")
    if waiting is not None:
        reason = waiting.get("reason", "Waiting")
        if reason == "PodInitializing":  # an init container is at it
            return None
        detail = _ending(last) if reason == CRASHING else waiting.get("message", "")
        return PodTrouble(pod, reason, detail, restarts)
    if ended is not None and (ended.get("exitCode", 0) != 0 or ended.get("signal")):
        return PodTrouble(pod, ended.get("reason", "Error"), _ending(ended), restarts)
    if "running" in state and restarts and not container.get("ready"):
        # Between two ends it runs for a moment; that is no progress.
        return PodTrouble(pod, CRASHING if restarts > 1 else "NotReady", _ending(last), restarts)
    return None


def _ending(terminated: Mapping[str, Any]) -> str:
    """How a container ended: `OOMKilled, exit code 137`."""
    if not terminated:
        return ""
    reason = terminated.get("reason", "")
    message = " ".join(str(terminated.get("message", "")).split())
    words = [reason] if reason not in ("", "Error", "Completed") else []
    words.append(f"exit code {terminated.get('exitCode', 0)}")
    return ", ".join([*words, *([message] if message else [])])


def _holds(status: Mapping[str, Any], kind: str) -> bool:
    return any(
        (condition["type"], condition["status"]) == (kind, "True")
        for condition in status.get("conditions") or ()
    )
