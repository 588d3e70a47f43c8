"""The kubectl commands with which people change objects, on any `Cluster` that lacks its own.

Knows `apply`, `create`, `replace` (`-f -`), `patch`, `delete`, `scale`, `set image`, `exec` and
`rollout` with `restart` and `status`, `debug node/NAME -- chroot /host COMMAND`; anything else answers with exit code 1 and says so.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import yaml
from sregym_core.interfaces import ClusterError, Command, CommandResult
from sregym_core.model import ObjectRef

from sregym_testing.memory.api_errors import not_found
from sregym_testing.memory.pods import is_ready, owned_by, rolled_out

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster

# What people type -> API version and kind.
_KINDS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("configmap", "configmaps", "cm"), ("v1", "ConfigMap")),
    **dict.fromkeys(
        ("deployment", "deployments", "deploy", "deployment.apps"), ("apps/v1", "Deployment")
    ),
    **dict.fromkeys(("statefulset", "statefulsets", "sts"), ("apps/v1", "StatefulSet")),
    **dict.fromkeys(("daemonset", "daemonsets", "ds"), ("apps/v1", "DaemonSet")),
    **dict.fromkeys(("endpointslice", "endpointslices"), ("discovery.k8s.io/v1", "EndpointSlice")),
    **dict.fromkeys(("namespace", "namespaces", "ns"), ("v1", "Namespace")),
    **dict.fromkeys(
        ("networkpolicy", "networkpolicies", "netpol"), ("networking.k8s.io/v1", "NetworkPolicy")
    ),
    **dict.fromkeys(("persistentvolumeclaim", "pvc"), ("v1", "PersistentVolumeClaim")),
    **dict.fromkeys(("pod", "pods", "po"), ("v1", "Pod")),
    **dict.fromkeys(("secret", "secrets"), ("v1", "Secret")),
    **dict.fromkeys(("service", "services", "svc"), ("v1", "Service")),
    **dict.fromkeys(("node", "nodes", "no"), ("v1", "Node")),
    **dict.fromkeys(("persistentvolume", "pv"), ("v1", "PersistentVolume")),
    "serviceaccount": ("v1", "ServiceAccount"),
    "resourcequota": ("v1", "ResourceQuota"),
    "limitrange": ("v1", "LimitRange"),
    "ingress": ("networking.k8s.io/v1", "Ingress"),
    "cronjob": ("batch/v1", "CronJob"),
    "poddisruptionbudget": ("policy/v1", "PodDisruptionBudget"),
    "horizontalpodautoscaler": ("autoscaling/v2", "HorizontalPodAutoscaler"),
    "priorityclass": ("scheduling.k8s.io/v1", "PriorityClass"),
    "flowschema": ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
    "prioritylevelconfiguration": (
        "flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration",
    ),
    "role": ("rbac.authorization.k8s.io/v1", "Role"),
    "rolebinding": ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    "validatingwebhookconfiguration": (
        "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"
    ),
}  # fmt: skip
_CLUSTER_WIDE = (
    "Namespace", "Node", "PersistentVolume", "PriorityClass", "FlowSchema",
    "PriorityLevelConfiguration", "ValidatingWebhookConfiguration",
)  # fmt: skip


class _Refusal(Exception):
    """What kubectl would print before it exits with 1."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Refusal(f"error: {message}")


def run_kubectl(cluster: Cluster, command: Command) -> CommandResult:
    """Run one command."""
    words, tail = list(command.argv[1:]), []
    if "--" in words:
        end = words.index("--")
        words, tail = words[:end], words[end + 1 :]
    if words[:1] == ["debug"] and tail[:2] == ["chroot", "/host"]:
        return _on_host(cluster, words, tail[2:], command.stdin)
    verb = next((word for word in words if word in _KNOWN), "")
    if not verb:
        text = f"error: this cluster's kubectl knows only {', '.join(_KNOWN)}, not {command}\n"
        return CommandResult(1, stderr=text)
    words.remove(verb)
    try:
        options = _options(words)
        if verb == "exec":
            return _exec(cluster, options, tail, command.stdin)
        lines = list(_VERBS[verb](cluster, options, command.stdin))
    except ClusterError as error:
        return CommandResult(1, stderr=f"Error from server ({error.reason}): {error.message}\n")
    except _Refusal as error:
        return CommandResult(1, stderr=f"{error}\n")
    return CommandResult(0, stdout="".join(f"{line}\n" for line in lines))


def _on_host(cluster: Cluster, words: list[str], argv: list[str], stdin: str) -> CommandResult:
    node = next((word[5:] for word in words if word.startswith("node/")), "")
    access = cluster.nodes
    if access is None or node not in [known.name for known in access.nodes()]:
        message = f'Error from server (NotFound): nodes "{node}" not found\n'
        return CommandResult(1, stderr=message)
    return access.run(node, argv, stdin)


def _options(words: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="kubectl", add_help=False, allow_abbrev=False)
    parser.add_argument("words", nargs="*")
    parser.add_argument("-n", "--namespace", default="default")
    parser.add_argument("-c", "--container", default="")
    parser.add_argument("-f", "--filename", default="")
    parser.add_argument("-p", "--patch", default="")
    parser.add_argument("--type", default="strategic")
    parser.add_argument("--replicas", type=int, default=None)
    parser.add_argument("--timeout", default="0s")
    parser.add_argument("--ignore-not-found", action="store_true")
    return parser.parse_intermixed_args(words)


def _target(cluster: Cluster, options: argparse.Namespace) -> ObjectRef:
    words = [part for word in options.words[:2] for part in word.split("/", 1)]
    known = _KINDS | _custom_kinds(cluster)
    if len(words) < 2 or words[0].lower() not in known:
        raise _Refusal(
            f'error: the server doesn\'t have a resource type "{words[0] if words else ""}"'
        )
    api_version, kind = known[words[0].lower()]
    namespace = "" if kind in _CLUSTER_WIDE else options.namespace
    return ObjectRef(api_version=api_version, kind=kind, namespace=namespace, name=words[1])


def _custom_kinds(cluster: Cluster) -> dict[str, tuple[str, str]]:
    """Namespaced kinds that definitions in the cluster add, by their names in the singular."""
    found = {}
    for definition in cluster.list("apiextensions.k8s.io/v1", "CustomResourceDefinition"):
        spec = definition["spec"]
        api_version = f"{spec['group']}/{spec['versions'][0]['name']}"
        found[spec["names"]["singular"]] = (api_version, spec["names"]["kind"])
    return found


def _manifests(options: argparse.Namespace, stdin: str) -> Iterator[dict[str, Any]]:
    if options.filename != "-":
        raise _Refusal("error: only -f - is understood: pipe the manifest in")
    for obj in yaml.safe_load_all(stdin):
        if obj:
            if obj["kind"] != "Namespace":
                obj["metadata"].setdefault("namespace", options.namespace)
            yield obj


def _apply(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    for obj in _manifests(options, stdin):
        ref = ObjectRef.of(obj)
        if cluster.get(ref) is None:
            cluster.create(obj)
            yield f"{ref.kind.lower()}/{ref.name} created"
        else:
            cluster.patch(ref, obj)
            yield f"{ref.kind.lower()}/{ref.name} configured"


def _create(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    for obj in _manifests(options, stdin):
        cluster.create(obj)
        yield f"{obj['kind'].lower()}/{obj['metadata']['name']} created"


def _replace(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    for obj in _manifests(options, stdin):
        cluster.replace(obj)
        yield f"{obj['kind'].lower()}/{obj['metadata']['name']} replaced"


def _patch(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    ref = _target(cluster, options)
    cluster.patch(ref, yaml.safe_load(options.patch), options.type)
    yield f"{ref.kind.lower()}/{ref.name} patched"


def _delete(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    ref = _target(cluster, options)
    if cluster.get(ref) is None and not options.ignore_not_found:
        raise not_found(ref)
    cluster.delete(ref)
    yield f'{ref.kind.lower()} "{ref.name}" deleted'


def _scale(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    ref = _target(cluster, options)
    if options.replicas is None:
        raise _Refusal('error: required flag(s) "replicas" not set')
    cluster.patch(ref, {"spec": {"replicas": options.replicas}}, "merge")
    yield f"{ref.kind.lower()}/{ref.name} scaled"


def _set(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    what = options.words.pop(0) if options.words else ""
    if what != "image":
        raise _Refusal(f"error: this cluster's kubectl knows only set image, not set {what!r}")
    pairs = [word.split("=", 1) for word in options.words if "=" in word]
    options.words = [word for word in options.words if "=" not in word]
    ref = _target(cluster, options)
    containers = [{"name": name, "image": image} for name, image in pairs]
    cluster.patch(ref, {"spec": {"template": {"spec": {"containers": containers}}}})
    yield f"{ref.kind.lower()}/{ref.name} image updated"


def _rollout(cluster: Cluster, options: argparse.Namespace, stdin: str) -> Iterator[str]:
    what = options.words.pop(0) if options.words else ""
    if what not in ("restart", "status"):
        raise _Refusal(
            "error: this cluster's kubectl knows only rollout restart and rollout status, "
            f"not rollout {what!r}"
        )
    ref = _target(cluster, options)
    if what == "status":
        yield _rollout_status(cluster, ref, float(options.timeout.removesuffix("s")))
        return
    stamp = {"kubectl.kubernetes.io/restartedAt": json.dumps(cluster.clock.now())}
    cluster.patch(ref, {"spec": {"template": {"metadata": {"annotations": stamp}}}})
    yield f"{ref.kind.lower()}/{ref.name} restarted"


def _rollout_status(cluster: Cluster, ref: ObjectRef, timeout_s: float) -> str:
    def done() -> bool:
        return rolled_out(_existing(cluster, ref))

    if not cluster.clock.wait_until(done, timeout_s):
        raise _Refusal("error: timed out waiting for the condition")
    return f'{ref.kind.lower()} "{ref.name}" successfully rolled out'


def _exec(
    cluster: Cluster, options: argparse.Namespace, argv: list[str], stdin: str
) -> CommandResult:
    ref = _target(cluster, options)
    _existing(cluster, ref)
    pods = [
        pod["metadata"]["name"]
        for pod in cluster.list("v1", "Pod", ref.namespace)
        if is_ready(pod) and (owned_by(pod, ref) or pod["metadata"]["name"] == ref.name)
    ]
    if not pods:
        raise _Refusal(f"error: no pod of {ref.kind.lower()}/{ref.name} is ready")
    return cluster.exec(ref.namespace, pods[0], argv, options.container, stdin)


def _existing(cluster: Cluster, ref: ObjectRef) -> dict[str, Any]:
    found = cluster.get(ref)
    if found is None:
        raise not_found(ref)
    return found


_Verb = Callable[["Cluster", argparse.Namespace, str], Iterator[str]]
_VERBS: dict[str, _Verb] = {
    "apply": _apply,
    "create": _create,
    "delete": _delete,
    "patch": _patch,
    "replace": _replace,
    "rollout": _rollout,
    "scale": _scale,
    "set": _set,
}
_KNOWN = sorted((*_VERBS, "exec"))
