"""`kubectl describe ingress`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.services import endpoints_text, slices_of
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.errors import NotCovered, ServerError

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object


def describe_ingress(session: Session, obj: Object) -> str:
    """The description of one Ingress, with the endpoints behind its backends."""
    writer = Writer()
    metadata, spec = obj["metadata"], obj["spec"]
    entries = obj.get("status", {}).get("loadBalancer", {}).get("ingress") or ()
    addresses = {one.get("ip") or one.get("hostname", "") for one in entries} - {""}
    writer.field(0, "Name", metadata["name"])
    write_labels(writer, "Labels", metadata.get("labels"))
    writer.field(0, "Namespace", metadata["namespace"])
    writer.field(0, "Address", ",".join(sorted(addresses)))
    writer.field(0, "Ingress Class", spec.get("ingressClassName") or "<none>")
    default = spec.get("defaultBackend")
    fallback = _backend(session, obj, default) if default else "<default>"
    writer.field(0, "Default backend", fallback)
    if spec.get("tls"):
        writer.line(0, "TLS:")
        for entry in spec["tls"]:
            hosts = ",".join(entry.get("hosts", ()))
            secret = entry.get("secretName")
            writer.line(1, f"{secret} terminates {hosts}" if secret else f"SNI routes {hosts}")
    writer.line(0, "Rules:\n  Host\tPath\tBackends")
    writer.line(1, "----\t----\t--------")
    rules = [rule for rule in spec.get("rules", ()) if rule.get("http")]
    for rule in rules:
        writer.line(1, f"{rule.get('host') or '*'}\t")
        for path in rule["http"]["paths"]:
            told = _backend(session, obj, path["backend"])
            writer.line(2, f"\t{path.get('path', '')} \t{told}")
    if not rules:
        writer.line(1, f"*\t*\t{fallback}")
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    write_events(writer, session, obj)
    return writer.text()


def _backend(session: Session, obj: Object, backend: Object) -> str:
    service = backend.get("service")
    if service is None:
        raise NotCovered("a backend that is no Service")
    name, port = service["name"], service.get("port", {})
    shown = f"{name}:{port.get('name') or port.get('number', 0)}"
    namespace = obj["metadata"]["namespace"]
    kind = session.client.resource_type("services")
    try:
        found = session.client.get(kind, namespace, name)
    except ServerError as error:
        return f"{shown} (<error: {error.message}>)"
    named = [
        one.get("name", "")
        for one in found["spec"].get("ports", ())
        if one["port"] == port.get("number") or (port.get("name") or None) == one.get("name")
    ]
    return f"{shown} ({endpoints_text(slices_of(session, found), named[-1] if named else '')})"


def describe_ingress_class(session: Session, obj: Object) -> str:
    """The description of one IngressClass."""
    writer = Writer()
    metadata, spec = obj["metadata"], obj["spec"]
    writer.field(0, "Name", metadata["name"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "Controller", spec.get("controller", ""))
    parameters = spec.get("parameters")
    if parameters is not None:
        writer.line(0, "Parameters:")
        if parameters.get("apiGroup") is not None:
            writer.field(1, "APIGroup", parameters["apiGroup"])
        writer.field(1, "Kind", parameters["kind"])
        writer.field(1, "Name", parameters["name"])
    write_events(writer, session, obj)
    return writer.text()
