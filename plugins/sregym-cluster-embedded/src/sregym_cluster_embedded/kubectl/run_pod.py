"""`kubectl run` of a pod that nobody attaches to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, Flag, switch
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *DRY_RUN, *IGNORED, Flag("image"), Flag("port"), Flag("restart"), switch("command"),
    Flag("env", kind="repeated"), Flag("labels", "l"), Flag("image-pull-policy"),
)  # fmt: skip

_RESTARTS = ("Always", "OnFailure", "Never")


def run(session: Session) -> None:
    """Run `kubectl run` without `-i`, `-t`, `--rm` and `--attach`."""
    arguments = session.arguments
    if not arguments.text("image"):
        missing = 'required flag(s) "image" not set'
        raise CommandError(f"error: {'--image is required' if arguments.has('image') else missing}")
    if len(arguments.words) != 1 or any(" " in word for word in arguments.words):
        raise NotCovered("run without exactly one name")
    restart = arguments.text("restart", "Always")
    if restart not in _RESTARTS:
        raise NotCovered(f"--restart={restart}")
    obj = _pod(session, arguments.words[0], restart)
    kind = session.client.resource_type("pods")
    if dry_run(arguments) == "client":
        if arguments.text("output") not in ("", "name", "yaml"):
            raise NotCovered("--dry-run=client in another format")
        report(session, kind, obj, "created")
        return
    query = dry_run_query(arguments)
    report(session, kind, session.client.create(kind, session.namespace, obj, query), "created")


def _pod(session: Session, name: str, restart: str) -> Object:
    arguments = session.arguments
    container: Object = {"image": arguments.text("image"), "name": name, "resources": {}}
    words = arguments.after_dash or []
    if words:
        container["command" if arguments.on("command") else "args"] = words
    if arguments.has("env"):
        container["env"] = [_variable(pair) for pair in arguments.all("env")]
    if arguments.has("port"):
        container["ports"] = [{"containerPort": arguments.number("port", 0)}]
    if arguments.text("image-pull-policy"):
        container["imagePullPolicy"] = arguments.text("image-pull-policy")
    metadata: Object = {"labels": _labels(arguments.text("labels"), name), "name": name}
    if dry_run(arguments) != "client" or arguments.has("namespace"):
        metadata["namespace"] = session.namespace
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart},
        "status": {},
    }


def _variable(pair: str) -> Object:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise NotCovered(f"--env={pair}")
    return {"name": name, "value": value} if value else {"name": name}


def _labels(text: str, name: str) -> dict[str, str]:
    if not text:
        return {"run": name}
    pairs = dict(pair.partition("=")[::2] for pair in text.split(","))
    if not all(pairs):
        raise NotCovered(f"--labels={text}")
    return pairs
