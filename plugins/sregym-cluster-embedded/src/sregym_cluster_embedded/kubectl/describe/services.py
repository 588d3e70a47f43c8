"""`kubectl describe service`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_SHOWN_ADDRESSES = 3


def describe_service(session: Session, obj: Object) -> str:
    """The description of one Service."""
    writer = Writer()
    metadata, spec = obj["metadata"], obj["spec"]
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    selector = spec.get("selector", {})
    chosen = ",".join(f"{key}={selector[key]}" for key in sorted(selector))
    writer.field(0, "Selector", chosen or "<none>")
    writer.field(0, "Type", spec["type"])
    if spec.get("ipFamilyPolicy"):
        writer.field(0, "IP Family Policy", spec["ipFamilyPolicy"])
    writer.field(0, "IP Families", ",".join(spec.get("ipFamilies", ())) or "<none>")
    writer.field(0, "IP", spec.get("clusterIP", ""))
    writer.field(0, "IPs", ",".join(spec.get("clusterIPs", ())) or "<none>")
    if spec.get("externalIPs"):
        writer.field(0, "External IPs", ",".join(spec["externalIPs"]))
    for title, field in (
        ("Desired LoadBalancer IP", "loadBalancerIP"),
        ("External Name", "externalName"),
    ):
        if spec.get(field):
            writer.field(0, title, spec[field])
    entries = obj.get("status", {}).get("loadBalancer", {}).get("ingress")
    if entries:
        writer.field(0, "LoadBalancer Ingress", ", ".join(map(_address, entries)))
    slices = slices_of(session, obj)
    for port in spec.get("ports", ()):
        _port(writer, port, slices)
    writer.field(0, "Session Affinity", spec.get("sessionAffinity", ""))
    for title, field in (
        ("External Traffic Policy", "externalTrafficPolicy"),
        ("Internal Traffic Policy", "internalTrafficPolicy"),
        ("HealthCheck NodePort", "healthCheckNodePort"),
        ("LoadBalancer Source Ranges", "loadBalancerSourceRanges"),
        ("Traffic Distribution", "trafficDistribution"),
    ):
        value = spec.get(field)
        if value:
            writer.field(0, title, ",".join(value) if isinstance(value, list) else value)
    write_events(writer, session, obj)
    return writer.text()


def _address(entry: Object) -> str:
    if not entry.get("ip"):
        return str(entry.get("hostname", ""))
    return f"{entry['ip']} ({entry['ipMode']})" if entry.get("ipMode") else str(entry["ip"])


def _port(writer: Writer, port: Object, slices: Sequence[Object]) -> None:
    name = port.get("name") or "<unset>"
    protocol = port.get("protocol", "TCP")
    writer.line(0, f"Port:\t{name}\t{port['port']}/{protocol}")
    writer.field(0, "TargetPort", f"{port.get('targetPort', 0)}/{protocol}")
    if port.get("appProtocol"):
        writer.field(0, "AppProtocol", port["appProtocol"])
    if port.get("nodePort"):
        writer.line(0, f"NodePort:\t{name}\t{port['nodePort']}/{protocol}")
    writer.field(0, "Endpoints", endpoints_text(slices, port.get("name", "")))


def slices_of(session: Session, obj: Object) -> list[Object]:
    """The EndpointSlices of a Service."""
    kind = session.client.resource_type("endpointslices.discovery.k8s.io")
    name = obj["metadata"]["name"]
    selector = [("labelSelector", f"kubernetes.io/service-name={name}")]
    return session.client.list(kind, obj["metadata"]["namespace"], selector)


def endpoints_text(slices: Sequence[Object], port_name: str) -> str:
    """Ready addresses of a port: three of them and how many more there are."""
    if not slices:
        return "<none>"
    found: list[str] = []
    for entry in slices:
        ready = [
            endpoint["addresses"][0]
            for endpoint in entry.get("endpoints") or ()
            if endpoint.get("conditions", {}).get("ready") is not False
        ]
        ports = entry.get("ports") or ()
        if not ports:
            found += ready
        for port in ports:
            if port.get("name", "") == port_name:
                found += (f"{address}:{port['port']}" for address in ready)
    more = len(found) - _SHOWN_ADDRESSES
    return ",".join(found[:_SHOWN_ADDRESSES]) + (f" + {more} more..." if more > 0 else "")
