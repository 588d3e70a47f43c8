"""`kubectl expose`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.builder import NOTHING_NAMED
from sregym_cluster_embedded.kubectl.editing import Found, refuse_foreign, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, OUTPUT, Flag
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import Session, raise_all

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *DRY_RUN, Flag("port"), Flag("target-port"), Flag("name"), Flag("type"),
    Flag("protocol"), Flag("selector"), Flag("labels", "l"), Flag("cluster-ip"),
    Flag("external-ip"), Flag("session-affinity"),
)  # fmt: skip

_EXPOSABLE = {"Pod", "Service", "ReplicationController", "Deployment", "ReplicaSet"}


def expose(session: Session) -> None:
    """Run `kubectl expose`."""
    arguments = session.arguments
    errors: list[CommandError] = []
    selector = arguments.given.pop("selector", [])
    if not arguments.words:
        raise CommandError(NOTHING_NAMED)
    found = selected(session, arguments.words, errors)
    raise_all(errors)
    for one in found:
        refuse_foreign(one)
        if one.kind.kind not in _EXPOSABLE:
            raise CommandError(f"error: cannot expose a {one.kind.kind}")
        service = _service(session, one, selector)
        kind = session.client.resource_type("services")
        if dry_run(arguments) == "client":
            report(session, kind, service, "exposed")
            continue
        query = dry_run_query(arguments)
        created = session.client.create(kind, one.namespace, service, query)
        report(session, kind, created, "exposed")


def _service(session: Session, found: Found, selector: list[str]) -> Object:
    arguments = session.arguments
    name = arguments.text("name") or found.name[:63]
    spec: Object = {"ports": _ports(session, found), "selector": _selector(found, selector)}
    if arguments.text("cluster-ip"):
        spec["clusterIP"] = arguments.text("cluster-ip")
    if arguments.text("type"):
        spec["type"] = arguments.text("type")
    metadata: Object = {"name": name, "namespace": found.namespace}
    if arguments.text("external-ip"):
        spec["externalIPs"] = [arguments.text("external-ip")]
    if arguments.text("session-affinity"):
        spec["sessionAffinity"] = arguments.text("session-affinity")
    labels = found.obj["metadata"].get("labels")
    if arguments.has("labels"):
        labels = dict(pair.partition("=")[::2] for pair in arguments.text("labels").split(","))
        if not all("=" in pair for pair in arguments.text("labels").split(",")):
            raise NotCovered("--labels")
    if labels:
        metadata["labels"] = labels
    return {
        "apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec,
        "status": {"loadBalancer": {}},
    }  # fmt: skip


def _selector(found: Found, given: list[str]) -> dict[str, str]:
    if given:
        pairs = [part.partition("=") for part in given[-1].split(",")]
        if not all(equals for _, equals, _ in pairs):
            raise NotCovered("--selector")
        return {key: value for key, _, value in pairs}
    obj = found.obj
    if obj["kind"] == "Pod":
        labels: dict[str, str] = obj["metadata"].get("labels", {})
    elif obj["kind"] in ("Service", "ReplicationController"):
        labels = obj["spec"].get("selector", {})
    else:
        if obj["spec"]["selector"].get("matchExpressions"):
            raise NotCovered("a selector with expressions")
        labels = obj["spec"]["selector"]["matchLabels"]
    if not labels:
        raise NotCovered("nothing to select by")
    return labels


def _ports(session: Session, found: Found) -> list[Object]:
    arguments = session.arguments
    protocol = arguments.text("protocol")
    numbers = arguments.text("port").split(",") if arguments.text("port") else []
    declared = _declared_ports(found.obj)
    if not numbers:
        numbers = [str(port) for port, _ in declared]
        if not numbers:
            text = "error: couldn't find port via --port flag or introspection"
            raise CommandError(text)
    if not all(number.isdigit() for number in numbers):
        raise NotCovered("--port")
    ports: list[Object] = []
    for index, number in enumerate(numbers):
        spoken = protocol or next((p for port, p in declared if str(port) == number), "TCP")
        target: int | str = arguments.text("target-port") or int(number)
        if isinstance(target, str) and target.isdigit():
            target = int(target)
        entry: Object = {"port": int(number), "protocol": spoken, "targetPort": target}
        if len(numbers) > 1:
            entry["name"] = f"port-{index + 1}"
        ports.append(entry)
    return ports


def _declared_ports(obj: Object) -> list[tuple[int, str]]:
    if obj["kind"] == "Service":
        entries = [(port["port"], port) for port in obj["spec"].get("ports", ())]
    else:
        spec = obj["spec"] if obj["kind"] == "Pod" else obj["spec"]["template"]["spec"]
        entries = [
            (port["containerPort"], port)
            for container in spec["containers"]
            for port in container.get("ports", ())
        ]
    return [(number, port.get("protocol", "TCP")) for number, port in entries]
