"""`kubectl describe configmap` and `secret`."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object


def _head(writer: Writer, obj: Object) -> None:
    metadata = obj["metadata"]
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))


def describe_configmap(session: Session, obj: Object) -> str:
    """The description of one ConfigMap, with its data."""
    writer = Writer()
    _head(writer, obj)
    writer.line(0, "\nData\n====")
    data = obj.get("data", {})
    for key in sorted(data):
        writer.line(0, f"{key}:\n----\n{data[key]}\n")
    writer.line(0, "\nBinaryData\n====")
    binary = obj.get("binaryData", {})
    for key in sorted(binary):
        writer.line(0, f"{key}: {len(base64.b64decode(binary[key]))} bytes")
    writer.line(0, "")
    write_events(writer, session, obj)
    return writer.text()


def describe_secret(_session: Session, obj: Object) -> str:
    """The description of one Secret: names and sizes of its data."""
    writer = Writer()
    _head(writer, obj)
    writer.line(0, f"\nType:\t{obj.get('type', '')}")
    writer.line(0, "\nData\n====")
    data = obj.get("data", {})
    for key in sorted(data):
        value = base64.b64decode(data[key])
        if key == "token" and obj.get("type") == "kubernetes.io/service-account-token":
            writer.field(0, key, value.decode())
        else:
            writer.field(0, key, f"{len(value)} bytes")
    return writer.text()
