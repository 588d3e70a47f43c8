"""The same manifests in namespaces with other names, so that several copies share a cluster."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_apps.manifests import KubeObject

# A name of the cluster's DNS goes on with the zone, a port, a path, or it ends.
_GOES_ON = r"(?=(?:\.svc(?:\.cluster\.local)?)?(?:[^\w.-]|\.?$|\.\s))"


def cluster_wide(objects: Sequence[KubeObject]) -> list[str]:
    """What of manifests stands outside namespaces, which two copies could not both have."""
    return [
        f"{obj['kind']} {obj['metadata']['name']}"
        for obj in objects
        if not obj["metadata"].get("namespace") and obj["kind"] != "Namespace"
    ]


class Relocation:
    """Renames namespaces in objects and texts.

    Args:
        namespaces: Those that are renamed.
        suffix: What their names then end with.
    """

    def __init__(self, namespaces: Sequence[str], suffix: str) -> None:
        self.names = {name: f"{name}{suffix}" for name in namespaces}
        known = "|".join(sorted(map(re.escape, namespaces), key=len, reverse=True))
        # `service.namespace`: the first label of a name of DNS, then the namespace.
        self._host = re.compile(rf"(?<=[a-z0-9]\.)({known}){_GOES_ON}")
        self._prose = re.compile(rf"(?<=[Nn]amespace )({known})\b")

    def text(self, text: str) -> str:
        """A text with the names of hosts in these namespaces, and of the namespaces in prose."""
        for pattern in (self._host, self._prose):
            text = pattern.sub(lambda found: self.names[found[1]], text)
        return text

    def object(self, obj: KubeObject) -> KubeObject:
        """An object as it stands in the renamed namespaces."""
        moved: KubeObject = self._value(copy.deepcopy(obj))
        if obj["kind"] == "Namespace":
            moved["metadata"]["name"] = self.names.get(
                obj["metadata"]["name"], obj["metadata"]["name"]
            )
        return moved

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._field(key, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._value(inner) for inner in value]
        return self.text(value) if isinstance(value, str) else value

    def _field(self, key: str, value: Any) -> Any:
        if key == "namespace" and isinstance(value, str):
            return self.names.get(value, value)
        if key == "namespaces" and isinstance(value, list):
            return [self.names.get(one, one) for one in value]
        if key == "kubernetes.io/metadata.name" and isinstance(value, str):
            return self.names.get(value, value)
        return self._value(value)
