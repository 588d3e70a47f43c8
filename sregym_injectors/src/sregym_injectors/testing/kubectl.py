"""The kubectl commands that reference fixes use, for a cluster in memory.

Only the words that `sregym_injectors.commands` writes are understood; whatever else a test types
is answered as kubectl answers an unknown command.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import yaml
from sregym_core.interfaces import ClusterError, CommandResult
from sregym_core.model import ObjectRef

from sregym_injectors.edits import ref_of
from sregym_injectors.workloads import RESTARTED_AT, ready_pod, rolled_out

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, Command

API_VERSIONS = {
    "deployment": ("apps/v1", "Deployment"),
    "statefulset": ("apps/v1", "StatefulSet"),
    "daemonset": ("apps/v1", "DaemonSet"),
    "service": ("v1", "Service"),
    "configmap": ("v1", "ConfigMap"),
    "pod": ("v1", "Pod"),
}


def run_kubectl(cluster: Cluster, command: Command) -> CommandResult:
    """Run one command; the cluster's refusals become exit code 1 and stderr."""
    words = list(command.argv[1:])
    tail = words[words.index("--") + 1 :] if "--" in words else []
    words = words[: words.index("--")] if "--" in words else words
    options, plain = _split(words)
    try:
        if plain == ["apply"]:
            return _apply(cluster, command.stdin)
        verb = " ".join(plain[:-1] if plain[0] != "set" else plain[:2])
        if plain[0] == "set":
            return _set_image(cluster, _ref(plain[2], options["n"]), plain[3])
        return _run(cluster, verb, _ref(plain[-1], options["n"]), options, tail)
    except ClusterError as error:
        return CommandResult(1, "", f"Error from server ({error.reason}): {error.message}\n")


def _run(
    cluster: Cluster, verb: str, ref: ObjectRef, options: dict[str, str], tail: list[str]
) -> CommandResult:
    if verb == "patch":
        cluster.patch(ref, json.loads(options["p"]), options["type"])
        return CommandResult(0, f"{ref.name} patched\n")
    if verb == "scale":
        cluster.patch(ref, {"spec": {"replicas": int(options["replicas"])}}, "merge")
        return CommandResult(0, f"{ref.name} scaled\n")
    if verb == "delete":
        cluster.delete(ref)
        return CommandResult(0, f'"{ref.name}" deleted\n')
    if verb == "rollout restart":
        stamp = {RESTARTED_AT: str(cluster.clock.now())}
        template = {"template": {"metadata": {"annotations": stamp}}}
        cluster.patch(ref, {"spec": template}, "merge")
        return CommandResult(0, f"{ref.name} restarted\n")
    if verb == "rollout status":
        return _rollout_status(cluster, ref, float(options["timeout"].removesuffix("s")))
    if verb == "exec":
        pod = ready_pod(cluster, ref)
        if pod is None:
            return CommandResult(1, "", "error: no running pods\n")
        return cluster.exec(ref.namespace, pod["metadata"]["name"], tail, options.get("c", ""))
    return CommandResult(1, "", f'error: unknown command "{verb}" for "kubectl"\n')


def _split(words: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            options[name] = value
        elif word.startswith("-"):
            options[word[1:]] = next(rest)
        else:
            plain.append(word)
    return options, plain


def _ref(target: str, namespace: str) -> ObjectRef:
    kind, _, name = target.partition("/")
    api_version, kind = API_VERSIONS[kind]
    return ObjectRef(api_version=api_version, kind=kind, namespace=namespace, name=name)


def _apply(cluster: Cluster, stdin: str) -> CommandResult:
    lines = []
    for manifest in yaml.safe_load_all(stdin):
        ref = ref_of(manifest)
        if cluster.get(ref) is None:
            cluster.create(manifest)
            lines.append(f"{ref.name} created\n")
        else:
            cluster.patch(ref, manifest)
            lines.append(f"{ref.name} configured\n")
    return CommandResult(0, "".join(lines))


def _set_image(cluster: Cluster, ref: ObjectRef, assignment: str) -> CommandResult:
    container, _, image = assignment.partition("=")
    containers = [{"name": container, "image": image}]
    cluster.patch(ref, {"spec": {"template": {"spec": {"containers": containers}}}})
    return CommandResult(0, f"{ref.name} image updated\n")


def _rollout_status(cluster: Cluster, ref: ObjectRef, timeout_s: float) -> CommandResult:
    def done() -> bool:
        workload = cluster.get(ref)
        return workload is not None and rolled_out(workload)

    if cluster.clock.wait_until(done, timeout_s):
        return CommandResult(0, f'"{ref.name}" successfully rolled out\n')
    return CommandResult(1, "", "error: timed out waiting for the condition\n")
