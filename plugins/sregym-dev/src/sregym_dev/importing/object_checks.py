"""Objects that do not match their schema, found by reading each alone before all are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import WORKLOAD_KINDS

from sregym_dev.importing.call_graph import Network
from sregym_dev.importing.container_inputs import parts_of
from sregym_dev.importing.entrance import entrances_of
from sregym_dev.importing.executables import executables_of
from sregym_dev.importing.listening import listeners_of
from sregym_dev.importing.references import references_of

if TYPE_CHECKING:
    from sregym_apps.manifests import KubeObject

# What reading a text where a mapping should stand, and the like, ends in.
MISREAD = (TypeError, AttributeError, KeyError, ValueError, IndexError)


def try_alone(obj: KubeObject) -> None:
    """Read an object as all its readers do.

    Raises:
        Exception: One of `MISREAD`: a field has another form than Kubernetes gives it.
    """
    metadata = obj["metadata"]
    dict(metadata.get("annotations") or {}).items()
    parts = parts_of([obj])
    network = Network([obj], parts)
    for service in network.services:
        selector = dict(service["spec"].get("selector") or {})
        # A pod that it selects, so that its ports are looked at.
        pod = {"containers": [{"name": "any", "image": "any"}]}
        other = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {**metadata, "labels": selector},
            "spec": pod,
        }
        [*Network([obj], parts_of([other])).ports(service)]
        dict.fromkeys(entry.get("name") for entry in service["spec"].get("ports") or ())
    entrances_of([obj], network, [], [])
    if obj["kind"] in WORKLOAD_KINDS:
        listeners_of(parts, network, [])
        for part in parts:
            executables_of(part, None)
            references_of(part, [])
            part.memory_limit_mib()
            dict(part.labels)
