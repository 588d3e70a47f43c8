"""What of its configuration file a kubelet goes by: eviction thresholds, image collection, most pods.

The file is read when the kubelet starts; until then the values of its last start hold.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.quantity import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.machines import Machine

EVICTION = "evictionHard"
MAX_PODS = "maxPods"
IMAGES_HIGH, IMAGES_LOW = "imageGCHighThresholdPercent", "imageGCLowThresholdPercent"
FIELDS = (EVICTION, MAX_PODS, IMAGES_HIGH, IMAGES_LOW)
DEFAULTS: Mapping[str, str] = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "imagefs.available": "15%",
}


def read_by_kubelet(content: Mapping[str, Any]) -> str:
    """The fields of a configuration file that are gone by, as text for `Machine`; empty for none."""
    found = {field: content[field] for field in FIELDS if content.get(field) not in (None, 0, {})}
    return json.dumps(found, sort_keys=True) if found else ""


def invalid(content: Mapping[str, Any]) -> str:
    """What a kubelet says of a configuration that it does not take; empty for a valid one."""
    hard = content.get(EVICTION)
    for signal, value in (hard if isinstance(hard, dict) else {}).items():
        try:
            _bytes(str(value), 1)
        except ValueError:
            return (
                f"failed to create eviction thresholds: quantities must match the regular "
                f"expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' ({signal}: {value})"
            )
    return ""


def configured(machine: Machine) -> dict[str, Any]:
    """The fields that differ from the defaults."""
    fields: dict[str, Any] = json.loads(machine.kubelet_configuration or "{}")
    return fields


def threshold(machine: Machine, signal: str, capacity_bytes: int) -> tuple[str, int]:
    """When a kubelet begins to evict: as its file says it, and in bytes.

    A file that names any threshold leaves those out that it does not name, as kubelets do.
    """
    hard = configured(machine).get(EVICTION) or DEFAULTS
    text = str(hard.get(signal, "0"))
    return text, _bytes(text, capacity_bytes)


def image_limits(machine: Machine) -> tuple[float, float]:
    """From which part of the disk in use images are removed, and until which."""
    fields = configured(machine)
    return fields.get(IMAGES_HIGH, 85) / 100, fields.get(IMAGES_LOW, 80) / 100


def _bytes(text: str, capacity_bytes: int) -> int:
    if text.endswith("%"):
        return int(float(text.removesuffix("%")) / 100 * capacity_bytes)
    return int(parse(text))
