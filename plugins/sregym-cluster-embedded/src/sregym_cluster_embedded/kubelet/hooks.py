"""Lifecycle hooks: what a container's postStart and preStop handlers did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.kubelet.keys import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import (
        ContainerRef,
        ContainerRuntime,
        ProbeResult,
    )
    from sregym_cluster_embedded.world import World


_PLAIN = "http: server gave HTTP response to HTTPS client"


class HookResult(NamedTuple):
    """How a hook went.

    Attributes:
        duration_s: How long it took.
        failure: Empty when it went well, else the message of the kubelet.
    """

    duration_s: float = 0.0
    failure: str = ""


def run_hook(world: World, ref: ContainerRef, handler: dict[str, Any]) -> HookResult:
    """Perform a handler in a container now."""
    runtime: ContainerRuntime = world.service(RUNTIME)
    where = f'for Container "{ref.name}" in Pod "{ref.pod}_{ref.namespace}({ref.pod_uid})" failed'
    if "sleep" in handler:
        return HookResult(float(handler["sleep"].get("seconds", 0)))
    if "exec" in handler:
        command = tuple(handler["exec"].get("command") or ())
        if not command:
            return HookResult()
        done = runtime.exec(world, ref, command, "")
        if done.error:
            problem, output = f"rpc error: code = Unknown desc = {done.error}", ""
        elif done.exit_code:
            words = " ".join(command)
            problem = f"command '{words}' exited with {done.exit_code}: {done.stderr}"
            output = done.stdout + done.stderr
        else:
            return HookResult(done.duration_s)
        failure = (
            f"Exec lifecycle hook ([{' '.join(command)}]) {where} - error: {problem}, "
            f"message: {_quoted(output)}"
        )
        return HookResult(done.duration_s, failure)
    if "httpGet" in handler:
        result = runtime.probe(world, ref, handler)
        # Any answer will do, also that of a server that speaks no TLS: it is asked again without.
        if not result.ok and not result.message.endswith(_PLAIN) and not _answered(result):
            path = handler["httpGet"].get("path", "")
            return HookResult(
                0.0, f"HTTP lifecycle hook ({path}) {where} - error: {result.message}"
            )
    return HookResult()


def _answered(result: ProbeResult) -> bool:
    return result.message.startswith("HTTP probe failed with statuscode: ")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
