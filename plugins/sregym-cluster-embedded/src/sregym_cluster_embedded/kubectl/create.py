"""`kubectl create -f` and `create namespace|configmap|secret generic|deployment|service`."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.apply import object_namespace
from sregym_cluster_embedded.kubectl.builder import Document, documents, text_of
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, IGNORED, OUTPUT, Flag
from sregym_cluster_embedded.kubectl.printing import (
    dry_run,
    dry_run_query,
    field_validation,
    report,
)
from sregym_cluster_embedded.kubectl.raw import create_raw
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.usage import usage_error

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.client import Client
    from sregym_cluster_embedded.store import Object

_COMMON = (*OUTPUT, *DRY_RUN, *IGNORED)
FILE_FLAGS = (*_COMMON, *FILES, Flag("raw"))
_DATA = (
    Flag("from-literal", kind="repeated"), Flag("from-file", kind="repeated"),
    Flag("from-env-file", kind="repeated"),
)  # fmt: skip
NAMESPACE_FLAGS = _COMMON
CONFIGMAP_FLAGS = (*_COMMON, *_DATA)
SECRET_FLAGS = (*_COMMON, *_DATA, Flag("type"))
DEPLOYMENT_FLAGS = (*_COMMON, Flag("image", kind="list"), Flag("replicas", "r"), Flag("port"))
SERVICE_FLAGS = (
    *_COMMON, Flag("tcp", kind="list"), Flag("clusterip"), Flag("node-port"),
    Flag("external-name"),
)  # fmt: skip

_TEXT_KEY = re.compile(r"[-._a-zA-Z0-9]+")


def create_files(session: Session) -> None:
    """Run `kubectl create -f`."""
    if session.arguments.words:
        words = " ".join(session.arguments.words)
        raise usage_error("create", f"Unexpected args: [{words}]")
    if session.arguments.has("raw"):
        create_raw(session)
        return
    if not session.arguments.of_files:
        raise CommandError("error: must specify one of -f and -k")
    field_validation(session.arguments)
    errors: list[CommandError] = []
    found = documents(session, named=dry_run(session.arguments) == "client")
    if not found:
        raise CommandError("error: no objects passed to create")
    for document in found:
        with collected(errors):
            _create_document(session, document)
    raise_all(errors)


def _create_document(session: Session, document: Document) -> None:
    namespace = object_namespace(session, document)
    query = [*dry_run_query(session.arguments), field_validation(session.arguments)]
    obj = document.obj
    if namespace and not obj["metadata"].get("namespace"):
        obj = {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
    if dry_run(session.arguments) == "client":
        report(session, document.kind, obj, "created", separated=True)
        return
    try:
        created = session.client.create(document.kind, namespace, obj, query)
    except ServerError as error:
        raise error.while_doing(f'error when creating "{document.source}"') from error
    report(session, document.kind, created, "created", separated=True)


def create_namespace(session: Session) -> None:
    """Run `kubectl create namespace`."""
    name = one_name(session)
    obj = {"metadata": {"name": name}, "spec": {}, "status": {}}
    create_object(session, "namespaces", {"apiVersion": "v1", "kind": "Namespace", **obj}, "")


def create_configmap(session: Session) -> None:
    """Run `kubectl create configmap`."""
    obj = head(session, "v1", "ConfigMap")
    text, binary = {}, {}
    for key, value in _data(session, "ConfigMap"):
        try:
            text[key] = value.decode()
        except UnicodeDecodeError:
            binary[key] = base64.b64encode(value).decode()
    if text:
        obj["data"] = text
    if binary:
        obj["binaryData"] = binary
    create_object(session, "configmaps", obj, "configmap")


def create_secret(session: Session) -> None:
    """Run `kubectl create secret generic`."""
    obj = head(session, "v1", "Secret")
    data = {key: base64.b64encode(value).decode() for key, value in _data(session, "Secret")}
    if data:
        obj["data"] = data
    if session.arguments.text("type"):
        obj["type"] = session.arguments.text("type")
    create_object(session, "secrets", obj, "secret")


def create_deployment(session: Session) -> None:
    """Run `kubectl create deployment`."""
    arguments = session.arguments
    images = arguments.all("image")
    if not images:
        raise CommandError('error: required flag(s) "image" not set')
    command = arguments.after_dash
    if command and len(images) > 1:
        raise CommandError("error: cannot specify multiple --image options and command")
    containers: list[Object] = []
    for image in images:
        container: Object = {"image": image, "name": _container_name(image), "resources": {}}
        if command:
            container["command"] = command
        if arguments.has("port") and not containers:
            container["ports"] = [{"containerPort": arguments.number("port", 0)}]
        containers.append(container)
    if len({container["name"] for container in containers}) < len(containers):
        raise NotCovered("two images of one name")
    obj = head(session, "apps/v1", "Deployment")
    labels = {"app": obj["metadata"]["name"]}
    obj["metadata"]["labels"] = labels
    obj["spec"] = {
        "replicas": arguments.number("replicas", 1),
        "selector": {"matchLabels": labels},
        "strategy": {},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
    }
    obj["status"] = {}
    create_object(session, "deployments.apps", obj, "deployment")


def create_service(session: Session) -> None:
    """Run `kubectl create service clusterip|nodeport|loadbalancer|externalname`."""
    arguments = session.arguments
    form = arguments.command.split()[-1]
    types = {
        "clusterip": "ClusterIP", "nodeport": "NodePort", "loadbalancer": "LoadBalancer",
        "externalname": "ExternalName",
    }  # fmt: skip
    obj = head(session, "v1", "Service")
    name = obj["metadata"]["name"]
    labels = {"app": name}
    spec: Object = {"selector": labels, "type": types[form]}
    ports = [_service_port(pair, arguments.number("node-port", 0)) for pair in arguments.all("tcp")]
    if ports:
        spec["ports"] = ports
    elif form != "externalname" and arguments.text("clusterip") != "None":
        raise CommandError("error: at least one tcp port specifier must be provided")
    if arguments.text("clusterip"):
        spec["clusterIP"] = arguments.text("clusterip")
    if form == "externalname" and not arguments.has("external-name"):
        raise CommandError('error: required flag(s) "external-name" not set')
    if arguments.text("external-name"):
        spec["externalName"] = arguments.text("external-name")
    obj["metadata"]["labels"] = labels
    obj |= {"spec": spec, "status": {"loadBalancer": {}}}
    create_object(session, "services", obj, f"{types[form]} service")


def _service_port(pair: str, node_port: int) -> Object:
    port, *others = pair.split(":")
    colon, target = bool(others), others[0] if others else ""
    if not port.isdigit():
        raise NotCovered(f"--tcp={pair}")
    aim: int | str = int(port) if not colon else int(target) if target.isdigit() else target
    entry: Object = {
        "name": pair.replace(":", "-"), "port": int(port), "protocol": "TCP", "targetPort": aim,
    }  # fmt: skip
    return entry | ({"nodePort": node_port} if node_port else {})


def _container_name(image: str) -> str:
    name = image.rsplit("/", 1)[-1]
    return re.split(r"[:@]", name, maxsplit=1)[0]


def one_name(session: Session) -> str:
    """The name of what is to be created."""
    words = session.arguments.words
    if len(words) != 1:
        if session.arguments.after_dash is not None:
            raise NotCovered("not exactly one name before --")
        text = f"exactly one NAME is required, got {len(words)}"
        raise usage_error(session.arguments.command, text)
    return words[0]


def head(session: Session, api_version: str, kind: str) -> Object:
    """Type and name of what is to be created in the namespace of the command."""
    metadata = {"name": one_name(session), "namespace": session.namespace}
    if dry_run(session.arguments) == "client" and not session.arguments.has("namespace"):
        del metadata["namespace"]
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def _data(session: Session, kind: str) -> list[tuple[str, bytes]]:
    entries: list[tuple[str, bytes]] = []
    for word in session.arguments.all("from-file"):
        key, equals, name = word.rpartition("=")
        path = session.files / name
        if not path.exists():
            raise CommandError(f"error: error reading {name}: no such file or directory")
        if not path.is_file():
            raise NotCovered("--from-file of a folder")
        entries.append((key if equals else path.name, path.read_bytes()))
    for word in session.arguments.all("from-literal"):
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise CommandError(f"error: invalid literal source {word}, expected key=value")
        entries.append((key, value.encode()))
    if session.arguments.has("from-env-file"):
        if entries:
            text = "from-env-file cannot be combined with from-file or from-literal"
            raise CommandError(f"error: {text}")
        for name in session.arguments.all("from-env-file"):
            entries += _variables(session, name)
    keys = [key for key, _ in entries]
    twice = next((key for at, key in enumerate(keys) if key in keys[:at]), None)
    if twice is not None and all(map(_TEXT_KEY.fullmatch, keys)):
        if kind == "Secret":
            text = f"cannot add key {twice}, another key by that name already exists"
        else:
            text = f'cannot add key "{twice}", another key by that name already exists in Data for'
            text += f' {kind} "{one_name(session)}"'
        raise CommandError(f"error: {text}")
    if not all(map(_TEXT_KEY.fullmatch, keys)):
        raise NotCovered("an invalid key")
    return entries


def _variables(session: Session, name: str) -> list[tuple[str, bytes]]:
    """The lines of an environment file."""
    path = session.files / name
    if not path.exists():
        raise CommandError(f"error: error reading {name}: no such file or directory")
    entries = []
    for line in text_of(path).split("\n"):
        bare = line.lstrip().removesuffix("\r")
        if not bare or bare.startswith("#"):
            continue
        key, equals, value = bare.partition("=")
        if not equals or not re.fullmatch(r"[-._a-zA-Z][-._a-zA-Z0-9]*", key):
            raise NotCovered("a line of an environment file")
        entries.append((key, value.encode()))
    return entries


def create_object(session: Session, resource: str, obj: Object, what: str) -> None:
    """Create `obj`, or print it with `--dry-run=client`.

    `what` heads a refusal, which is told with the server's kind when empty.
    """
    client: Client = session.client
    kind = client.resource_type(resource)
    if dry_run(session.arguments) == "client":
        report(session, kind, obj, "created")
        return
    query: list[tuple[str, Any]] = [
        *dry_run_query(session.arguments),
        field_validation(session.arguments),
    ]
    try:
        created = client.create(kind, obj["metadata"].get("namespace"), obj, query)
    except ServerError as error:
        if not what:
            raise
        raise CommandError(f"error: failed to create {what}: {error.message}") from error
    report(session, kind, created, "created")
