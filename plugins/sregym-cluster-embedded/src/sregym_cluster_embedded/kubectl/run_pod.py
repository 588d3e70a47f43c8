"""`kubectl run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from sregym_cluster_embedded.kubectl.attended import run_and_attach, tried_ahead
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, Flag, switch
from sregym_cluster_embedded.kubectl.image_names import refuse_invalid
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.flags import Arguments
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *DRY_RUN, *IGNORED, Flag("image"), Flag("port"), Flag("restart"), switch("command"),
    Flag("env", kind="repeated"), Flag("labels", "l"), Flag("image-pull-policy"),
    switch("attach"), switch("stdin", "i"), switch("tty", "t"), switch("rm"), switch("expose"),
    switch("privileged"), switch("quiet", "q"), Flag("overrides"), Flag("override-type"),
    Flag("annotations", kind="repeated"), Flag("pod-running-timeout"), switch("leave-stdin-open"),
)  # fmt: skip

_RESTARTS = ("Always", "OnFailure", "Never")


def run(session: Session) -> None:
    """Run `kubectl run`."""
    arguments = session.arguments
    if not arguments.text("image"):
        missing = 'required flag(s) "image" not set'
        raise CommandError(f"error: {'--image is required' if arguments.has('image') else missing}")
    if not arguments.words:
        raise CommandError("error: NAME is required for run")
    refuse_invalid(arguments.text("image"))
    if arguments.on("tty") and not arguments.on("stdin"):
        text = "-i/--stdin is required for containers with -t/--tty=true"
        raise CommandError(f"error: {text}")
    attached = arguments.on("attach", default=arguments.on("stdin"))
    if arguments.on("rm") and not attached:
        raise CommandError("error: --rm should only be used for attached containers")
    if attached and dry_run(arguments) != "none":
        options = "attached containers options (--attach, --stdin, or --tty)"
        raise CommandError(f"error: --dry-run=[server|client] can't be used with {options}")
    if arguments.on("expose") and not arguments.text("port"):
        raise CommandError("error: --port must be set when exposing a service")
    restart = arguments.text("restart", "Always")
    if restart not in _RESTARTS:
        valid = f"valid values are: {', '.join(_RESTARTS)}"
        raise CommandError(f"error: invalid restart policy: {restart}, {valid}")
    if arguments.text("port") and not arguments.text("port").isdigit():
        raise CommandError("error: --port must be a number")
    obj = _pod(session, arguments.words[0], restart)
    if arguments.text("overrides"):
        _override(arguments, obj)
    if attached:
        if arguments.on("expose") or session.headers:
            raise NotCovered("a Service for what is attached to, or attaching as somebody else")
        tried_ahead(session, lambda tried: run_and_attach(tried, obj, restart))
        return
    kind = session.client.resource_type("pods")
    if dry_run(arguments) == "client":
        report(session, kind, obj, "created")
        _expose(session, obj)
        return
    query = dry_run_query(arguments)
    report(session, kind, session.client.create(kind, session.namespace, obj, query), "created")
    _expose(session, obj)


def _override(arguments: Arguments, obj: Object) -> None:
    """Merge what `--overrides` says into the pod."""
    if arguments.text("override-type", "merge") != "merge":
        raise NotCovered("--override-type")
    try:
        given = orjson.loads(arguments.text("overrides"))
    except orjson.JSONDecodeError as error:
        raise NotCovered("malformed overrides") from error
    if not isinstance(given, dict) or given.get("kind", "Pod") != "Pod":
        raise NotCovered("overrides of another kind")
    _merge(obj, given)
    spec = obj.get("spec")
    containers = spec.get("containers") if isinstance(spec, dict) else None
    if not isinstance(containers, list) or not isinstance(obj.get("metadata"), dict):
        raise NotCovered("overrides that leave no pod")
    for container in containers:
        if not isinstance(container, dict):
            raise NotCovered("overrides that leave no pod")
        container.setdefault("resources", {})


def _merge(target: Object, given: Object) -> None:
    for key, value in given.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = value


def _expose(session: Session, pod: Object) -> None:
    """Make the Service of `--expose`."""
    arguments = session.arguments
    if not arguments.on("expose"):
        return
    port = arguments.number("port", 0)
    output = arguments.text("output")
    if output == "yaml":
        session.out.append("---\n")
    elif output not in ("", "name", "json"):
        raise NotCovered("--expose in another format")
    spec = {
        "ports": [{"port": port, "protocol": "TCP", "targetPort": port}],
        "selector": pod["metadata"]["labels"],
    }
    kept = ("name", "namespace", *(("labels",) if arguments.text("labels") else ()))
    metadata = {key: pod["metadata"][key] for key in kept if key in pod["metadata"]}
    service: Object = {
        "apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec,
        "status": {"loadBalancer": {}},
    }  # fmt: skip
    kind = session.client.resource_type("services")
    if dry_run(arguments) != "client":
        query = dry_run_query(arguments)
        service = session.client.create(kind, session.namespace, service, query)
    report(session, kind, service, "created")


def _pod(session: Session, name: str, restart: str) -> Object:
    arguments = session.arguments
    container: Object = {"image": arguments.text("image"), "name": name, "resources": {}}
    words = [*arguments.words[1:], *(arguments.after_dash or ())]
    if words:
        container["command" if arguments.on("command") else "args"] = words
    if arguments.has("env"):
        container["env"] = [_variable(pair) for pair in arguments.all("env")]
    if arguments.has("port"):
        container["ports"] = [{"containerPort": arguments.number("port", 0)}]
    if arguments.text("image-pull-policy"):
        container["imagePullPolicy"] = arguments.text("image-pull-policy")
    for flag, field in (("stdin", "stdin"), ("stdin", "stdinOnce"), ("tty", "tty")):
        if arguments.on(flag) and (field != "stdinOnce" or not arguments.on("leave-stdin-open")):
            container[field] = True
    if arguments.on("privileged"):
        container["securityContext"] = {"privileged": True}
    metadata: Object = {"labels": _labels(arguments.text("labels"), name), "name": name}
    annotations = dict(pair.partition("=")[::2] for pair in arguments.all("annotations"))
    if not all("=" in pair for pair in arguments.all("annotations")):
        raise NotCovered("--annotations")
    if annotations:
        metadata["annotations"] = annotations
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
        raise CommandError(f"error: invalid env: {pair}")
    return {"name": name, "value": value} if value else {"name": name}


def _labels(text: str, name: str) -> dict[str, str]:
    if not text:
        return {"run": name}
    for pair in text.split(","):
        if "=" not in pair:
            raise CommandError(f"error: unexpected label spec: {pair}")
    pairs = dict(pair.partition("=")[::2] for pair in text.split(","))
    if not all(pairs):
        raise CommandError("error: unexpected empty label key")
    return pairs
