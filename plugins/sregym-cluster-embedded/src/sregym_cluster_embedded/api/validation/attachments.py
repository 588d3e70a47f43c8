"""Validation of CSI drivers, of what nodes have of them, and of attached volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
_MODES = ("Persistent", "Ephemeral")
_SHORTEST_TOKEN_S, _LONGEST_TOKEN_S = 600, 2**32
_NODE_ID_LENGTH = 256
_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


def csi_driver(obj: Object) -> list[Cause]:
    """CSIDriver."""
    spec = obj.get("spec") or {}
    found = causes.one_of("spec.fsGroupPolicy", spec.get("fsGroupPolicy"), _GROUP_POLICIES)
    found += _tokens(spec.get("tokenRequests") or ())
    for mode in spec.get("volumeLifecycleModes") or ():
        found += causes.one_of("spec.volumeLifecycleModes", mode, _MODES)
    return found


def _tokens(requests: Sequence[dict[str, Any]]) -> list[Cause]:
    found: list[Cause] = []
    seen: set[str] = set()
    for index, request in enumerate(requests):
        place = f"spec.tokenRequests[{index}]"
        audience = request.get("audience", "")
        if audience in seen:
            found.append(causes.duplicate(f"{place}.audience", audience))
            continue
        seen.add(audience)
        lifetime_s = request.get("expirationSeconds")
        if lifetime_s is not None and lifetime_s < _SHORTEST_TOKEN_S:
            why = "may not specify a duration less than 10 minutes"
            found.append(causes.invalid(f"{place}.expirationSeconds", lifetime_s, why))
        elif lifetime_s is not None and lifetime_s > _LONGEST_TOKEN_S:
            why = "may not specify a duration larger than 2^32 seconds"
            found.append(causes.invalid(f"{place}.expirationSeconds", lifetime_s, why))
    return found


def csi_node(obj: Object) -> list[Cause]:
    """CSINode."""
    found: list[Cause] = []
    seen: set[str] = set()
    for index, driver in enumerate((obj.get("spec") or {}).get("drivers") or ()):
        place = f"spec.drivers[{index}]"
        name, node = driver.get("name", ""), driver.get("nodeID", "")
        found += formats.driver(f"{place}.name", name)
        if not node:
            found.append(causes.required(f"{place}.nodeID"))
        if len(node) > _NODE_ID_LENGTH:
            why = f"must be {_NODE_ID_LENGTH} characters or less"
            found.append(causes.invalid(f"{place}.nodeID", node, why))
        count = (driver.get("allocatable") or {}).get("count")
        found += causes.not_negative(f"{place}.allocatable.count", count)
        if name in seen:
            found.append(causes.duplicate(f"{place}.name", name))
        seen.add(name)
        keys = driver.get("topologyKeys") or ()
        for number, key in enumerate(keys):
            if not key:
                found.append(causes.required(place))
            if key in keys[:number]:
                found.append(causes.duplicate(place, key))
            found += formats.qualified(place, key)
    return found


def volume_attachment(obj: Object) -> list[Cause]:
    """VolumeAttachment."""
    spec = obj.get("spec") or {}
    found = [] if spec.get("attacher") else [causes.required("spec.attacher")]
    source = spec.get("source") or {}
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and name is None:
        found.append(causes.required("spec.source", _ONE_SOURCE))
    elif inline is not None and name is not None:
        found.append(causes.forbidden("spec.source", _ONE_SOURCE))
    elif name == "":
        why = "must specify non empty persistentVolumeName"
        found.append(causes.required("spec.source.persistentVolumeName", why))
    return found + formats.subdomain("spec.nodeName", spec.get("nodeName", ""))
