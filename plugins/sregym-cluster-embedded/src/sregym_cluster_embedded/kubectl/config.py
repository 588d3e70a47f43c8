"""`kubectl config` as far as it reads, and the namespace of a context; `kubectl cluster-info`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.connection import chosen
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import OUTPUT, Flag, switch
from sregym_cluster_embedded.kubectl.jsonpath import Template
from sregym_cluster_embedded.kubectl.kubeconfig import default_kubeconfig, read
from sregym_cluster_embedded.kubectl.kyaml import kyaml_text
from sregym_cluster_embedded.kubectl.printing import refuse_format
from sregym_cluster_embedded.kubectl.tables import aligned
from sregym_cluster_embedded.kubectl.usage import usage_error
from sregym_cluster_embedded.kubectl.yaml_text import json_text, yaml_text

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.kubeconfig import Kubeconfig
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS: tuple[Flag, ...] = ()
VIEW_FLAGS = (*OUTPUT, switch("raw"), switch("minify"), switch("flatten"), switch("merge"))
CONTEXTS_FLAGS = (Flag("output", "o"), switch("no-headers"))
SET_FLAGS = (switch("current"),)

_HIDDEN = {
    "certificate-authority-data": "DATA+OMITTED",
    "client-certificate-data": "DATA+OMITTED",
    "client-key-data": "DATA+OMITTED",
    "token": "REDACTED",
    "password": "REDACTED",
}
_ORDERS = (
    ("name", "cluster", "user", "context"),
    ("server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority",
     "certificate-authority-data"),
    ("client-certificate", "client-certificate-data", "client-key", "client-key-data", "token"),
    ("cluster", "user", "namespace"),
)  # fmt: skip


def view(session: Session) -> None:
    """Run `kubectl config view`."""
    arguments = session.arguments
    if arguments.words:
        words = " ".join(arguments.words)
        raise usage_error("config view", f"unexpected arguments: [{words}]")
    config = _config(session)
    if arguments.on("minify"):
        config = _minified(session, config)
    shown = config.as_object()
    if not arguments.on("raw") and not arguments.on("flatten"):
        shown = _without_secrets(shown)
    output = arguments.text("output", "yaml")
    if output == "yaml":
        session.out.append(yaml_text(shown))
    elif output == "json":
        session.out.append(json_text(_in_order(shown), in_order=False))
    elif output == "kyaml":
        session.out.append(kyaml_text(_in_order(shown)))
    elif output.startswith("jsonpath="):
        session.out.append(Template(output.removeprefix("jsonpath=")).render(shown))
    else:
        refuse_format(arguments)


def current_context(session: Session) -> None:
    """Run `kubectl config current-context`."""
    config = _config(session)
    if not config.current:
        raise CommandError("error: current-context is not set")
    session.say(config.current)


def get_contexts(session: Session) -> None:
    """Run `kubectl config get-contexts`."""
    arguments = session.arguments
    output = arguments.text("output")
    if output not in ("", "name"):
        text = f"--output {output} is not available in kubectl config get-contexts"
        raise CommandError(f"error: {text}; resetting to default output format")
    config = _config(session)
    names = arguments.words or sorted(config.contexts)
    rows = []
    if not output and not arguments.on("no-headers"):
        rows.append(["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"])
    missing = [name for name in names if name not in config.contexts]
    if len(missing) > 1:
        raise NotCovered("several contexts that are not there")
    for name in names:
        if name in missing:
            continue
        entry = config.contexts[name]
        if output:
            rows.append([name])
            continue
        mark = "*" if name == config.current else ""
        rest = [str(entry.get(field, "")) for field in ("cluster", "user", "namespace")]
        rows.append([mark, name, *rest])
    session.out.append(aligned(rows))
    if missing:
        raise CommandError(f"error: context {missing[0]} not found")


def get_clusters(session: Session) -> None:
    """Run `kubectl config get-clusters`."""
    _names(session, sorted(_config(session).clusters))


def get_users(session: Session) -> None:
    """Run `kubectl config get-users`."""
    _names(session, sorted(_config(session).users))


def use_context(session: Session) -> None:
    """Run `kubectl config use-context` of the context that holds already, or of none."""
    words = session.arguments.words
    if len(words) != 1:
        raise NotCovered("use-context without a name")
    config = _config(session)
    if words[0] not in config.contexts:
        raise CommandError(f'error: no context exists with the name: "{words[0]}"')
    if words[0] != config.current:
        raise NotCovered("another context")
    session.say(f'Switched to context "{words[0]}".')


def set_context(session: Session) -> None:
    """Run `kubectl config set-context` of the namespace of the context that holds."""
    arguments = session.arguments
    if arguments.has("kubeconfig") or arguments.has("cluster") or arguments.has("user"):
        raise NotCovered("another kubeconfig")
    path = default_kubeconfig(session.access)
    config = read(path)
    name = config.current if arguments.on("current") else "".join(arguments.words)
    if not name and not arguments.on("current"):
        raise CommandError("error: you must specify a non-empty context name or --current")
    if len(arguments.words) + arguments.on("current") != 1 or name not in config.contexts:
        raise NotCovered("set-context of a new context")
    if arguments.has("namespace"):
        changed = {**config.contexts[name], "namespace": arguments.text("namespace")}
        contexts = {**config.contexts, name: changed}
        path.write_text(yaml_text(replace(config, contexts=contexts).as_object()), encoding="utf-8")
        if name == config.current:
            session.access.memory["namespace"] = arguments.text("namespace")
    session.say(f'Context "{name}" modified.')


def cluster_info(session: Session) -> None:
    """Run `kubectl cluster-info`."""
    if session.arguments.words:
        raise NotCovered("cluster-info with words")
    config = _config(session)
    host = str(config.clusters.get(config.context.get("cluster", ""), {}).get("server", ""))
    namespace = session.namespace if session.arguments.has("namespace") else "kube-system"
    kind = session.client.resource_type("services")
    query = [("labelSelector", "kubernetes.io/cluster-service=true")]
    found = session.client.list(kind, namespace, query)
    session.say(f"Kubernetes control plane is running at {host}")
    for service in found:
        metadata = service["metadata"]
        name = metadata.get("labels", {}).get("kubernetes.io/name") or metadata["name"]
        session.say(f"{name} is running at {_link(service, host)}")
    hint = "To further debug and diagnose cluster problems, use 'kubectl cluster-info dump'."
    session.say(f"\n{hint}")


def _link(service: Object, host: str) -> str:
    name, ports = service["metadata"]["name"], service["spec"].get("ports") or []
    ingress = service.get("status", {}).get("loadBalancer", {}).get("ingress")
    if ingress:
        address = ingress[0].get("ip") or ingress[0].get("hostname", "")
        return "".join(f"http://{address}:{port['port']} " for port in ports)
    if ports:
        first = ports[0].get("name", "")
        secure = first == "https" or ports[0]["port"] == 443
        lead = "https:" if secure else ""
        name = f"{lead}{name}:{first}" if secure or first else name
    return f"{host}/api/v1/namespaces/{service['metadata']['namespace']}/services/{name}/proxy"


def _config(session: Session) -> Kubeconfig:
    arguments = session.arguments
    if any(arguments.has(flag) for flag in ("cluster", "user", "server", "token")):
        raise NotCovered("config with flags of the connection")
    if arguments.has("context") and arguments.command != "config view":
        raise NotCovered("config with another context")
    return chosen(session.access, arguments, session.files, must_exist=False)


def _minified(session: Session, config: Kubeconfig) -> Kubeconfig:
    name = session.arguments.text("context") or config.current
    context = config.contexts.get(name)
    if context is None:
        raise NotCovered("a context that is not there")
    clusters, users = context.get("cluster", ""), context.get("user", "")
    return replace(
        config,
        clusters={key: value for key, value in config.clusters.items() if key == clusters},
        users={key: value for key, value in config.users.items() if key == users},
        contexts={name: context},
        current=name,
    )


def _without_secrets(value: Object) -> Object:
    shown = dict(value)
    for field, one in (("clusters", "cluster"), ("users", "user")):
        shown[field] = value[field] and [
            {**entry, one: {key: _HIDDEN.get(key, text) for key, text in entry[one].items()}}
            for entry in value[field]
        ]
    return shown


def _in_order(shown: Object) -> Object:
    """With the fields of all parts in the order of their structs."""
    return {
        name: [_ordered(entry) for entry in value] if isinstance(value, list) else value
        for name, value in shown.items()
    }


def _ordered(entry: Object) -> Object:
    order = next((order for order in _ORDERS if set(entry) <= set(order)), None)
    if order is None:
        raise NotCovered("an unusual kubeconfig")
    found = {name: entry[name] for name in order if name in entry}
    return {k: _ordered(v) if isinstance(v, dict) else v for k, v in found.items()}


def _names(session: Session, names: list[str]) -> None:
    session.out.append("NAME\n" + "".join(f"{name}\n" for name in names))
