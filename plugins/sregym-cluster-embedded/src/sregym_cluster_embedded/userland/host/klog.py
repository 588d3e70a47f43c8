"""What a kubelet logs of what it has told the API, in the form of klog."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.host.units import KUBELET, main_pid

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_PROBES = {
    "Readiness probe failed: ": "Readiness", "Liveness probe failed: ": "Liveness",
    "Startup probe failed: ": "Startup",
}  # fmt: skip


def kubelet_line(world: World, node: str, event: Object, at: float) -> str | None:
    """The line behind an event of a kubelet; None for one of which it logs nothing."""
    told = _told(event)
    if told is None:
        return None
    level, place, text = told
    return head(world, node, level, place, at) + text


def head(world: World, node: str, level: str, place: str, at: float) -> str:
    """`I1122 10:02:03.456789    1234 kubelet.go:2480] `."""
    when = datetime.fromtimestamp(world.epoch + at, UTC)
    pid = main_pid(world, node, KUBELET)
    return f"{level}{when:%m%d %H:%M:%S.%f} {pid:>7} {place}] "


def _told(event: Object) -> tuple[str, str, str] | None:
    about, reason, message = (
        event["involvedObject"],
        event.get("reason", ""),
        event.get("message", ""),
    )
    pod = f"{about.get('namespace', '')}/{about.get('name', '')}"
    field = about.get("fieldPath", "")
    container = field.partition("{")[2].rstrip("}")
    uid = about.get("uid", "")
    known = f'pod="{pod}" podUID="{uid}"'
    if reason == "Unhealthy":
        kind = next(
            (word for start, word in _PROBES.items() if message.startswith(start)), "Readiness"
        )
        output = message.partition(": ")[2].replace('"', '\\"')
        text = f'"Probe failed" probeType="{kind}" {known} containerName="{container}" '
        return "I", "prober.go:120", f'{text}probeResult="failure" output="{output}"'
    if reason == "BackOff" and "pulling image" in message:
        image = message.partition('"')[2].rstrip('"')
        why = f'failed to \\"StartContainer\\" for \\"{container}\\" with ImagePullBackOff: \\"Back-off pulling image \\\\\\"{image}\\\\\\"\\"'
        return "E", "pod_workers.go:1324", f'"Error syncing pod, skipping" err="{why}" {known}'
    if reason == "BackOff":
        why = f'failed to \\"StartContainer\\" for \\"{container}\\" with CrashLoopBackOff: \\"{message}\\"'
        return "E", "pod_workers.go:1324", f'"Error syncing pod, skipping" err="{why}" {known}'
    if reason in ("Failed", "FailedMount", "FailedCreatePodSandBox", "FailedKillPod"):
        escaped = message.replace('"', '\\"')
        return "E", "pod_workers.go:1324", f'"Error syncing pod, skipping" err="{escaped}" {known}'
    if reason == "Killing":
        return (
            "I",
            "kuberuntime_container.go:864",
            f'"Killing container with a grace period" {known} containerName="{container}"',
        )
    if reason == "Evicted":
        return (
            "I",
            "eviction_manager.go:627",
            f'"Eviction manager: pod is evicted successfully" pod="{pod}"',
        )
    if reason == "Starting":
        return "I", "server.go:1273", '"Started kubelet"'
    if reason.startswith("Node"):
        return (
            "I",
            "kubelet_node_status.go:736",
            f'"Recording event message for node" node="{about.get("name")}" event="{reason}"',
        )
    if reason in ("EvictionThresholdMet", "FreeDiskSpaceFailed", "ImageGCFailed"):
        return (
            "W",
            "eviction_manager.go:376",
            f'"Eviction manager: {message[:1].lower()}{message[1:]}"',
        )
    if reason == "Started":
        return (
            "I",
            "pod_startup_latency_tracker.go:104",
            f'"Observed pod startup duration" pod="{pod}"',
        )
    return None
