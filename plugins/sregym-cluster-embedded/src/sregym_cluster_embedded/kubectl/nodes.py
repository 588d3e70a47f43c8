"""`kubectl cordon`, `kubectl uncordon` and `kubectl drain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.kubectl.editing import Found
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.evictions import LATE, end_pods, joined
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, Flag, switch
from sregym_cluster_embedded.kubectl.printing import DRY_RUNS, dry_run, dry_run_query
from sregym_cluster_embedded.kubectl.usage import usage_error
from sregym_cluster_embedded.store import Object, owner_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session

FLAGS = (*DRY_RUN, *IGNORED, Flag("selector", "l"))
DRAIN_FLAGS = (
    *FLAGS, switch("force"), switch("ignore-daemonsets"), switch("delete-emptydir-data"),
    switch("disable-eviction"), Flag("grace-period"), Flag("timeout"), Flag("pod-selector"),
)  # fmt: skip

_ENDED = ("Succeeded", "Failed")
_MIRROR = "kubernetes.io/config.mirror"


def cordon(session: Session) -> None:
    """Run `kubectl cordon`."""
    _mark(session, _nodes(session), True)


def uncordon(session: Session) -> None:
    """Run `kubectl uncordon`."""
    _mark(session, _nodes(session), False)


def drain(session: Session) -> None:
    """Run `kubectl drain`."""
    arguments = session.arguments
    if any(char in arguments.text("pod-selector") for char in "\"'&|;"):
        raise NotCovered("--pod-selector")
    nodes = _nodes(session)
    _mark(session, nodes, True)
    fatal: list[str] = []
    left: list[str] = []
    for node in nodes:
        problems = _empty(session, node.name)
        if not problems:
            _tell(session, node.name, "drained")
            continue
        text = f'error: unable to drain node "{node.name}" due to error: {joined(problems)}'
        session.complain(f"{text}, continuing command...")
        fatal += problems
        left.append(node.name)
    if left:
        session.complain("There are pending nodes to be drained:")
        for name in left:
            session.complain(f" {name}")
        raise CommandError("\n".join(f"error: {one}" if one == LATE else one for one in fatal))


def _nodes(session: Session) -> list[Found]:
    arguments = session.arguments
    if not arguments.words and not arguments.has("selector"):
        raise usage_error(arguments.command, f"USAGE: {arguments.command} NODE [flags]")
    if arguments.words and arguments.text("selector"):
        text = "cannot specify both a node name and a --selector option"
        raise usage_error(arguments.command, text)
    kind = session.client.resource_type("nodes")
    if arguments.words:
        names = [_name(word) for word in arguments.words]
        return [Found(kind, None, name, session.client.get(kind, None, name)) for name in names]
    query = [("labelSelector", arguments.text("selector"))]
    listed = session.client.list(kind, None, query)
    return [Found(kind, None, obj["metadata"]["name"], obj) for obj in listed]


def _name(word: str) -> str:
    head, slash, name = word.rpartition("/")
    if slash and head not in ("node", "nodes", "no"):
        raise NotCovered(f"the node {word}")
    return name


def _tell(session: Session, name: str, done: str) -> None:
    session.say(f"node/{name} {done}{DRY_RUNS[dry_run(session.arguments)]}")


def _mark(session: Session, nodes: Sequence[Found], unschedulable: bool) -> None:
    verb = "cordon" if unschedulable else "uncordon"
    patch = {"spec": {"unschedulable": True if unschedulable else None}}
    for node in nodes:
        if bool(node.obj["spec"].get("unschedulable")) == unschedulable:
            _tell(session, node.name, f"already {verb}ed")
            continue
        if dry_run(session.arguments) != "client":
            query = dry_run_query(session.arguments)
            try:
                session.client.patch(node.kind, None, node.name, patch, query=query)
            except ServerError as error:
                text = f'error: unable to {verb} node "{node.name}": {error.message}'
                session.complain(text)
                continue
        _tell(session, node.name, f"{verb}ed")


class _Verdict(NamedTuple):
    """What is to happen with a pod: whether it goes, and `warning` or `error` with its text."""

    goes: bool
    kind: str = ""
    text: str = ""


def _empty(session: Session, node: str) -> list[str]:
    """Evict the pods of a node and wait for their end; what went wrong."""
    pods, problems, warning = _chosen(session, node)
    if problems:
        return problems
    if warning:
        session.warn(warning)
    if dry_run(session.arguments) == "client":
        for pod in pods:
            name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            session.say(f"evicting pod {name} (dry run)")
        return []
    problems = end_pods(session, pods) if pods else []
    if problems:
        left, further, _ = _chosen(session, node)
        if left:
            head = f'There are pending pods in node "{node}" when an error occurred'
            session.complain(f"{head}: {joined(problems)}")
            for pod in left:
                session.complain(f"pod/{pod['metadata']['name']}")
        if further:
            head = "Following errors occurred while getting the list of pods to delete:\n"
            session.err.append(head + joined(further))
    return problems


def _chosen(session: Session, node: str) -> tuple[list[Object], list[str], str]:
    """The pods of a node that go, the errors and the warnings about all of its pods."""
    query = [("fieldSelector", f"spec.nodeName={node}")]
    if session.arguments.text("pod-selector"):
        query.append(("labelSelector", session.arguments.text("pod-selector")))
    kind = session.client.resource_type("pods")
    going: list[Object] = []
    told: dict[str, dict[str, list[str]]] = {"error": {}, "warning": {}}
    for pod in session.client.list(kind, None, query):
        verdict = _verdict(session, pod)
        if verdict.goes:
            going.append(pod)
        if verdict.kind:
            name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            told[verdict.kind].setdefault(verdict.text, []).append(name)
    errors = [f"cannot delete {text}: {', '.join(names)}" for text, names in told["error"].items()]
    warnings = [f"{text}: {', '.join(names)}" for text, names in told["warning"].items()]
    return going, errors, "; ".join(warnings)


def _verdict(session: Session, pod: Object) -> _Verdict:
    arguments = session.arguments
    ended = pod.get("status", {}).get("phase") in _ENDED
    owner = owner_of(pod)
    if owner is not None and owner["kind"] == "DaemonSet" and not ended:
        kind = session.client.resource_type("daemonsets.apps")
        path = kind.path(pod["metadata"]["namespace"], owner["name"])
        try:
            session.client.send("GET", path)
        except ServerError as error:
            if error.not_found and arguments.on("force"):
                return _Verdict(True, "warning", error.message)
            return _Verdict(False, "error", error.message)
        if not arguments.on("ignore-daemonsets"):
            text = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"
            return _Verdict(False, "error", text)
        return _Verdict(False, "warning", "ignoring DaemonSet-managed Pods")
    if _MIRROR in pod["metadata"].get("annotations", {}):
        return _Verdict(False)
    if ended:
        return _Verdict(True)
    local = any("emptyDir" in volume for volume in pod["spec"].get("volumes", ()))
    if local and not arguments.on("delete-emptydir-data"):
        text = "Pods with local storage (use --delete-emptydir-data to override)"
        return _Verdict(False, "error", text)
    if owner is not None:
        return _Verdict(True)
    if arguments.on("force"):
        return _Verdict(True, "warning", "deleting Pods that declare no controller")
    text = "Pods that declare no controller (use --force to override)"
    return _Verdict(False, "error", text)
