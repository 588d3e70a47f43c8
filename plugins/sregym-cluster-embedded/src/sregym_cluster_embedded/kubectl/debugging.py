"""`kubectl debug` of pods and nodes; copies of pods are left to the binary."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from sregym_cluster_embedded.clock.seed import NAME_ALPHABET
from sregym_cluster_embedded.kubectl.attended import PATIENCE_S, join, log_of, tried_ahead
from sregym_cluster_embedded.kubectl.builder import targets
from sregym_cluster_embedded.kubectl.containers import container_status
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.image_names import refuse_invalid
from sregym_cluster_embedded.kubectl.waiting import states

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.builder import Target
    from sregym_cluster_embedded.kubectl.flags import Arguments
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS = (
    Flag("image"), Flag("container", "c"), Flag("target"), switch("quiet", "q"),
    switch("stdin", "i"), switch("tty", "t"), switch("attach"), Flag("profile"), Flag("env"),
    Flag("image-pull-policy"), switch("arguments-only"),
)  # fmt: skip

_SUFFIX = 5
_PULLS = ("Always", "IfNotPresent", "Never", "")
_RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
# What a profile makes of the security of a container in a pod that is there.
_PROFILES: dict[str, Object] = {
    "general": {"capabilities": {"add": ["SYS_PTRACE"]}},
    "baseline": {},
    "restricted": _RESTRICTED,
    "netadmin": {"capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}},
    "sysadmin": {"privileged": True},
}
_TARGETING = (
    'Targeting container "{}". If you don\'t see processes from this container it may be because '
    "the container runtime doesn't support this feature."
)


def debug(session: Session) -> None:
    """Run `kubectl debug`."""
    arguments = session.arguments
    profile = arguments.text("profile", "general")
    if profile == "legacy":
        raise NotCovered("the legacy profile")
    if profile not in _PROFILES:
        raise CommandError(f"error: unknown profile: {profile}")
    if arguments.has("attach") and not arguments.has("image") and not arguments.has("container"):
        raise NotCovered("attaching to nothing")
    if not arguments.text("image"):
        raise CommandError("error: you must specify --image when not using --copy-to.")
    refuse_invalid(arguments.text("image"))
    if not arguments.words:
        raise CommandError("error: NAME or filename is required for debug")
    if arguments.text("image-pull-policy") not in _PULLS:
        raise CommandError(
            f"error: invalid image pull policy: {arguments.text('image-pull-policy')}"
        )
    if len(arguments.words) > 1 or session.headers:
        raise NotCovered("debug of several objects")
    if arguments.text("target") and not arguments.on("quiet"):
        session.say(_TARGETING.format(arguments.text("target")))
    if arguments.on("tty") and not arguments.on("stdin"):
        text = "-i/--stdin is required for containers with -t/--tty=true"
        raise CommandError(f"error: {text}")
    word = arguments.words[0]
    (target,) = targets(session.client, [word if "/" in word else f"pods/{word}"])
    if target.kind.kind == "Node":
        tried_ahead(session, lambda s: _debug_node(s, target))
    elif target.kind.kind == "Pod":
        tried_ahead(session, lambda s: _debug_pod(s, target))
    else:
        session.client.get(target.kind, session.namespace, target.name)
        what = f"{target.kind.group}/{target.kind.version}, Kind={target.kind.kind}"
        raise CommandError(f'error: "{what}" not supported by debug')


def _debug_pod(session: Session, target: Target) -> None:
    """Add an ephemeral container."""
    client, arguments = session.client, session.arguments
    kind = client.resource_type("pods")
    pod = client.get(kind, session.namespace, target.name)
    name = arguments.text("container") or _default_name(session, pod)
    if pod["spec"].get("securityContext", {}).get("runAsUser"):
        raise NotCovered("a pod of another user than root")
    container = _container(arguments, name)
    if arguments.text("target"):
        container["targetContainerName"] = arguments.text("target")
    security = _PROFILES[arguments.text("profile", "general")]
    if security:
        container["securityContext"] = security
    names = [c["name"] for c in pod["spec"].get("ephemeralContainers", ())]
    fields = ("initContainers", "containers")
    if name in names or any(c["name"] == name for f in fields for c in pod["spec"].get(f, ())):
        # The binary gives its profile to the one that is there.
        raise NotCovered("a container of the same name")
    order = [{"name": each} for each in (*names, name)]
    spec = {"$setElementOrder/ephemeralContainers": order, "ephemeralContainers": [container]}
    client.patch(
        kind, session.namespace, target.name, {"spec": spec}, subresource="ephemeralcontainers"
    )
    _join(session, session.namespace, target.name, name)


def _debug_node(session: Session, target: Target) -> None:
    """Make a pod on the node, with its file system at /host."""
    client, arguments = session.client, session.arguments
    client.get(target.kind, None, target.name)
    name = f"node-debugger-{target.name}-{_suffix(session, target.name)}"
    inside = arguments.text("container") or "debugger"
    if not arguments.on("quiet"):
        session.say(f"Creating debugging pod {name} with container {inside} on node {target.name}.")
    container = _container(arguments, inside)
    spec: Object = {
        "containers": [container],
        "nodeName": target.name,
        "restartPolicy": "Never",
        "tolerations": [{"operator": "Exists"}],
    }
    profile = arguments.text("profile", "general")
    if profile in ("general", "netadmin", "sysadmin"):
        spec |= {"hostIPC": True, "hostNetwork": True, "hostPID": True}
    if profile in ("general", "sysadmin"):
        container["volumeMounts"] = [{"mountPath": "/host", "name": "host-root"}]
        spec["volumes"] = [{"hostPath": {"path": "/"}, "name": "host-root"}]
    if profile != "general" and _PROFILES[profile]:
        container["securityContext"] = _PROFILES[profile]
    labels = {"app.kubernetes.io/managed-by": "kubectl-debug"}
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"labels": labels, "name": name},
        "spec": spec, "status": {},
    }  # fmt: skip
    kind = client.resource_type("pods")
    client.create(kind, session.namespace, pod)
    _join(session, session.namespace, name, inside)


def _container(arguments: Arguments, name: str) -> Object:
    container: Object = {
        "image": arguments.text("image"),
        "name": name,
        "resources": {},
        "terminationMessagePolicy": "File",
    }
    if arguments.after_dash:
        field = "args" if arguments.on("arguments-only") else "command"
        container[field] = arguments.after_dash
    for flag in ("stdin", "tty"):
        if arguments.on(flag):
            container[flag] = True
    if arguments.has("env"):
        pairs = [pair for value in arguments.all("env") for pair in value.split(",")]
        if len(pairs) > 1 or "=" not in pairs[0] or '"' in pairs[0]:
            # The binary hands on several in no certain order.
            raise NotCovered("--env")
        key, _, value = pairs[0].partition("=")
        container["env"] = [{"name": key, "value": value} if value else {"name": key}]
    if arguments.text("image-pull-policy"):
        container["imagePullPolicy"] = arguments.text("image-pull-policy")
    return container


def _default_name(session: Session, pod: Object) -> str:
    name = f"debugger-{_suffix(session, pod['metadata']['uid'])}"
    if not session.arguments.on("quiet"):
        session.say(f"Defaulting debug container name to {name}.")
    return name


def _suffix(session: Session, what: str) -> str:
    """Five random letters."""
    digest = sha256(f"debug {what} {session.access.unix_now()}".encode()).digest()
    return "".join(NAME_ALPHABET[byte % len(NAME_ALPHABET)] for byte in digest[:_SUFFIX])


def _join(session: Session, namespace: str, pod: str, container: str) -> None:
    """Attach to the new container when it is asked for, once it runs."""
    arguments = session.arguments
    if not arguments.on("attach", default=arguments.on("stdin")):
        return
    kind = session.client.resource_type("pods")
    said = set()
    for event, obj in states(session, kind, namespace, pod, PATIENCE_S):
        if event == "DELETED":
            raise ServerError({"reason": "NotFound", "message": 'pods "" not found'})
        state = (container_status(obj, container) or {}).get("state", {})
        if "running" in state:
            join(session, namespace, pod, container, fallback=f"pod/{pod}")
            return
        if "terminated" in state:
            session.out.append(log_of(session, namespace, pod, container))
            return
        message = state.get("waiting", {}).get("message")
        if message and message not in said and not arguments.on("quiet"):
            said.add(message)
            session.warn(f"container {container}: {message}")
    raise NotCovered("a container that does not start")
