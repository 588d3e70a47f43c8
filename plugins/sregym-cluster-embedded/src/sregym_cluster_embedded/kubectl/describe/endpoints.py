"""`kubectl describe endpoints` and `endpointslice`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_UNSET = "<unset>"


def _head(obj: Object) -> Writer:
    writer = Writer()
    metadata = obj["metadata"]
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    return writer


def describe_endpoints(session: Session, obj: Object) -> str:
    """The description of one Endpoints object."""
    writer = _head(obj)
    writer.line(0, "Subsets:")
    for subset in obj.get("subsets", ()):
        for title, field in (
            ("Addresses", "addresses"),
            ("NotReadyAddresses", "notReadyAddresses"),
        ):
            listed = ",".join(one["ip"] for one in subset.get(field) or ())
            writer.field(1, title, listed or "<none>")
        if subset.get("ports"):
            writer.line(1, "Ports:")
            writer.line(2, "Name\tPort\tProtocol")
            writer.line(2, "----\t----\t--------")
            for port in subset["ports"]:
                name = port.get("name") or _UNSET
                writer.line(2, f"{name}\t{port['port']}\t{port.get('protocol', '')}")
        writer.line(0, "")
    write_events(writer, session, obj)
    return writer.text()


def describe_slice(session: Session, obj: Object) -> str:
    """The description of one EndpointSlice."""
    writer = _head(obj)
    writer.field(0, "AddressType", obj["addressType"])
    ports = obj.get("ports") or ()
    if not ports:
        writer.line(0, "Ports: <unset>")
    else:
        writer.line(0, "Ports:")
        writer.line(1, "Name\tPort\tProtocol")
        writer.line(1, "----\t----\t--------")
        for port in ports:
            number = port.get("port", _UNSET)
            writer.line(1, f"{port.get('name') or _UNSET}\t{number}\t{port.get('protocol', '')}")
    endpoints = obj.get("endpoints") or ()
    writer.line(0, "Endpoints:" if endpoints else "Endpoints:\t<none>")
    for endpoint in endpoints:
        _endpoint(writer, endpoint)
    write_events(writer, session, obj)
    return writer.text()


def _endpoint(writer: Writer, endpoint: Object) -> None:
    if endpoint.get("deprecatedTopology"):
        raise NotCovered("the topology of an endpoint")
    writer.field(1, "- Addresses", ", ".join(endpoint["addresses"]))
    writer.line(2, "Conditions:")
    ready = endpoint.get("conditions", {}).get("ready")
    writer.field(3, "Ready", _text(ready))
    writer.field(2, "Hostname", endpoint.get("hostname") or _UNSET)
    target = endpoint.get("targetRef")
    if target:
        writer.field(2, "TargetRef", f"{target['kind']}/{target['name']}")
    writer.field(2, "NodeName", endpoint.get("nodeName") or _UNSET)
    writer.field(2, "Zone", endpoint.get("zone") or _UNSET)


def _text(value: Any) -> str:
    if value is None:
        return _UNSET
    return "true" if value else "false"
