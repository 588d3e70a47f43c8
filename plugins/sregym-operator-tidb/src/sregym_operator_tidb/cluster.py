"""What a TidbCluster asks for, component by component, with the operator's defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import Object

GROUP, VERSION, KIND = "pingcap.com", "v1alpha1", "TidbCluster"
_LABEL = "app.kubernetes.io"
# The label that tells components apart.
COMPONENT = f"{_LABEL}/component"
# Port that others use first.
PORTS = {"pd": 2379, "tikv": 20160, "tidb": 4000}
COMPONENTS = tuple(PORTS)
TITLES = {"pd": "PD", "tikv": "TiKV", "tidb": "TiDB"}


@dataclass(frozen=True)
class TidbComponent:
    """One component of a TidbCluster.

    Attributes:
        owner: The TidbCluster.
        name: `pd`, `tikv` or `tidb`.
    """

    owner: Object
    name: str

    @property
    def spec(self) -> dict[str, Any]:
        """What the resource says of the component alone."""
        found: dict[str, Any] = self.owner["spec"].get(self.name) or {}
        return found

    @property
    def cluster(self) -> str:
        """Name of the TidbCluster."""
        name: str = self.owner["metadata"]["name"]
        return name

    @property
    def namespace(self) -> str:
        """Where all of it is."""
        namespace: str = self.owner["metadata"]["namespace"]
        return namespace

    @property
    def member(self) -> str:
        """Name of its StatefulSet and Service: `basic-pd`."""
        return f"{self.cluster}-{self.name}"

    @property
    def replicas(self) -> int:
        """How many pods are wanted."""
        return int(self.spec.get("replicas", 1))

    @property
    def image(self) -> str:
        """Its image: named, or by repository and version."""
        if self.spec.get("image"):
            return str(self.spec["image"])
        version = self.spec.get("version") or self.owner["spec"].get("version") or "latest"
        return f"{self.spec.get('baseImage') or f'pingcap/{self.name}'}:{version}"

    @property
    def labels(self) -> dict[str, str]:
        """By which its pods are found."""
        return labels_of(self.owner, self.name)

    def setting(self, name: str) -> Any:
        """A field that the component has, or else all of the cluster."""
        own = self.spec.get(name)
        return self.owner["spec"].get(name) if own is None else own


def labels_of(owner: Object, component: str) -> dict[str, str]:
    """The labels of everything that the operator makes."""
    return {
        f"{_LABEL}/name": "tidb-cluster",
        f"{_LABEL}/managed-by": "tidb-operator",
        f"{_LABEL}/instance": owner["metadata"]["name"],
        COMPONENT: component,
    }


def metadata_of(owner: Object, name: str, labels: dict[str, str]) -> dict[str, Any]:
    """Metadata of what the operator makes of a TidbCluster."""
    metadata = owner["metadata"]
    reference = {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": KIND,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "name": name,
        "namespace": metadata["namespace"],
        "labels": labels,
        "ownerReferences": [reference],
    }


def invalid(owner: Object) -> list[str]:
    """What is wrong with a TidbCluster by itself; the operator looks at it no further then."""
    found = []
    for name in COMPONENTS:
        spec = owner["spec"].get(name)
        if spec is None:
            continue
        if int(spec.get("replicas", 1)) < 0:
            found.append(
                f"spec.{name}.replicas: Invalid value: {spec['replicas']}: must be greater than or equal to 0"
            )
        if name != "tidb" and not (spec.get("requests") or {}).get("storage"):
            found.append(
                f"spec.{name}.requests.storage: Required value: storage request must not be empty"
            )
    return found
