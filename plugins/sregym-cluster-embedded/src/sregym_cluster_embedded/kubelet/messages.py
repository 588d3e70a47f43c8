"""Termination messages: what a container leaves behind for its status."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.report import pod_of
from sregym_cluster_embedded.kubelet.state import container_spec

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ExitState
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.world import World

_PATH = "/dev/termination-log"
_FILE_BYTES = 4096
_LOG_BYTES = 2048
_LOG_LINES = 80


def with_message(world: World, state: PodState, name: str, ended: ExitState) -> ExitState:
    """The end of a container with what it wrote into its termination log, or logged last."""
    pod = pod_of(world, state)
    if pod is None or ended.message:
        return ended
    spec = container_spec(pod["spec"], name)
    runtime: ContainerRuntime = world.service(RUNTIME)
    ref = state.ref(name)
    text = runtime.read_file(world, ref, spec.get("terminationMessagePath") or _PATH) or ""
    text = text.encode()[:_FILE_BYTES].decode(errors="ignore")
    wants_log = spec.get("terminationMessagePolicy") == "FallbackToLogsOnError"
    if not text and wants_log and ended.exit_code:
        lines = runtime.logs(world, ref, tail_lines=_LOG_LINES)[-_LOG_LINES:]
        logged = "".join(f"{line.text}\n" for line in lines).encode()
        text = logged[-_LOG_BYTES:].decode(errors="ignore")
    return replace(ended, message=text) if text else ended
