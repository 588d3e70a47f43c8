"""Workloads and their pods: who they are, whether a rollout is done, how to start them anew."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.interfaces import Cluster, CommandResult
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

    from sregym_injectors.edits import Edits

SCALABLE_KINDS = ("Deployment", "StatefulSet")
RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
TERMINATION_TIMEOUT_S = 180.0


def label_selector(selector: dict[str, Any]) -> str:
    """A LabelSelector object in kubectl's syntax: `app=geo,tier in (a,b)`."""
    terms = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for expression in selector.get("matchExpressions") or []:
        key, operator = expression["key"], expression["operator"]
        values = ",".join(expression.get("values") or [])
        terms.append(
            {
                "In": f"{key} in ({values})",
                "NotIn": f"{key} notin ({values})",
                "Exists": key,
                "DoesNotExist": f"!{key}",
            }[operator]
        )
    return ",".join(terms)


def labels_selector(labels: dict[str, str]) -> str:
    """A plain map of labels, as a Service has it, in kubectl's syntax."""
    return ",".join(f"{key}={value}" for key, value in labels.items())


def pods_of(cluster: Cluster, workload: KubeObject) -> list[KubeObject]:
    """Pods that a workload's selector matches and that have not run to their end.

    Pods that are being deleted are among them; see `live`.
    """
    selector = label_selector(workload["spec"]["selector"])
    pods = cluster.list("v1", "Pod", workload["metadata"]["namespace"], selector)
    return [
        pod for pod in pods if pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")
    ]


def live(pods: Sequence[KubeObject]) -> list[KubeObject]:
    """Those that nobody has asked to go."""
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]


def is_ready(pod: KubeObject) -> bool:
    """Whether the pod's Ready condition is true."""
    conditions = pod.get("status", {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def container_of(workload: KubeObject, name: str) -> dict[str, Any] | None:
    """A container of a workload's pod template, or None."""
    containers = workload["spec"]["template"]["spec"]["containers"]
    return next((c for c in containers if c["name"] == name), None)


def workload_defects(cluster: Cluster, ref: ObjectRef) -> list[str]:
    """Why nothing of a workload can run, whatever its template says; empty when it can.

    A look at the configuration, not at pods: whether they are ready is for oracles to judge.
    """
    workload = cluster.get(ref)
    if workload is None:
        return [f"{ref} does not exist"]
    if ref.kind in SCALABLE_KINDS and workload["spec"].get("replicas", 1) == 0:
        return [f"{ref} has spec.replicas 0"]
    return []


def examined_container(
    cluster: Cluster, ref: ObjectRef, name: str
) -> tuple[dict[str, Any], list[str]]:
    """A container of a workload that wants pods; else an empty one, and why."""
    workload, defects = cluster.get(ref), workload_defects(cluster, ref)
    if workload is None or defects:
        return {}, defects
    container = container_of(workload, name)
    return (container, []) if container else ({}, [f"{ref} has no container {name}"])


def rolled_out(workload: KubeObject) -> bool:
    """Whether every desired pod of a workload runs the current template and is ready.

    A workload that wants no pods at all is not rolled out.
    """
    spec, status = workload["spec"], workload.get("status", {})
    if status.get("observedGeneration", 0) < workload["metadata"].get("generation", 0):
        return False
    if workload["kind"] == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        updated, ready = status.get("updatedNumberScheduled", 0), status.get("numberReady", 0)
        return bool(wanted > 0 and updated >= wanted and ready >= wanted)
    wanted = spec.get("replicas", 1)
    updated, ready = status.get("updatedReplicas", 0), status.get("readyReplicas", 0)
    # Ready pods may be old ones: while any is left, the new ones have not taken over.
    old = status.get("replicas", 0) - updated
    return bool(wanted > 0 and updated >= wanted and ready >= wanted and old <= 0)


@contextmanager
def scaled_to_zero(edits: Edits, workloads: Sequence[ObjectRef]) -> Iterator[None]:
    """Take workloads down, let the caller change things, and bring them up again.

    This and not a rolling restart is how a fault makes pods start anew: where the new pod cannot
    start, a rolling restart leaves the old one in service and no user notices anything.

    Workloads that already want no pods stay as they are; a DaemonSet, which has no replicas, is
    restarted by its template at the end. When the caller's block raises, nothing is brought up:
    the journal does that.

    Raises:
        WorldError: When pods are still there after `TERMINATION_TIMEOUT_S`.
    """
    scalable = [ref for ref in dict.fromkeys(workloads) if ref.kind in SCALABLE_KINDS]
    others = [ref for ref in dict.fromkeys(workloads) if ref.kind not in SCALABLE_KINDS]
    before = {ref: edits.read(ref) for ref in scalable}
    replicas = {ref: obj["spec"].get("replicas", 1) for ref, obj in before.items()}
    running = [ref for ref in scalable if replicas[ref] > 0]
    for ref in running:
        edits.patch(ref, {"spec": {"replicas": 0}}, "merge")
    for ref in running:
        _wait_until_gone(edits.cluster, ref, before[ref])
    yield
    for ref in running:
        edits.patch(ref, {"spec": {"replicas": replicas[ref]}}, "merge")
    for ref in others:
        restart_rollout(edits, ref)


def _wait_until_gone(cluster: Cluster, ref: ObjectRef, workload: KubeObject) -> None:
    if cluster.clock.wait_until(lambda: not pods_of(cluster, workload), TERMINATION_TIMEOUT_S):
        return
    names = ", ".join(pod["metadata"]["name"] for pod in pods_of(cluster, workload))
    raise WorldError(
        f"{ref} was scaled to zero, but after {TERMINATION_TIMEOUT_S:.0f} s these pods are still "
        f"there: {names}; look for finalizers and for nodes that do not answer"
    )


def restart_rollout(edits: Edits, ref: ObjectRef) -> None:
    """Do what `kubectl rollout restart` does, with the time of the cluster's clock."""
    moment = datetime.fromtimestamp(int(edits.cluster.clock.now()), UTC)
    annotations = {RESTARTED_AT: moment.strftime("%Y-%m-%dT%H:%M:%SZ")}
    edits.patch(ref, {"spec": {"template": {"metadata": {"annotations": annotations}}}}, "merge")


def ready_pod(cluster: Cluster, ref: ObjectRef) -> KubeObject | None:
    """The first ready pod of a workload by name, or None, also when there is no workload."""
    workload = cluster.get(ref)
    if workload is None:
        return None
    return next((pod for pod in live(pods_of(cluster, workload)) if is_ready(pod)), None)


def run_in_workload(
    cluster: Cluster, ref: ObjectRef, container: str, argv: Sequence[str], stdin: str = ""
) -> CommandResult:
    """Run a command in a ready pod of a workload.

    Raises:
        WorldError: When no pod is ready. What the command says is the caller's business.
    """
    pod = ready_pod(cluster, ref)
    if pod is None:
        raise WorldError(
            f"{ref} has no ready pod in which a command could run; wait until it is ready"
        )
    return cluster.exec(
        ref.namespace, pod["metadata"]["name"], tuple(argv), container=container, stdin=stdin
    )
