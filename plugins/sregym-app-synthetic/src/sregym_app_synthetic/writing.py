"""What all parts of the application have in common in manifests and service model."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_app_synthetic.graph import Graph, Part
    from sregym_app_synthetic.sizing import Size


@dataclass
class Written:
    """An application as it is written down.

    Attributes:
        namespace: Of its parts.
        registry: Where its own images are.
        objects: Manifests.
        notes: `components.yaml`.
        images: Of the service model.
        programs: Of the service model.
        entry_points: Of the service model.
    """

    namespace: str
    registry: str
    objects: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    images: list[dict[str, Any]] = field(default_factory=list)
    programs: dict[str, Any] = field(default_factory=dict)
    entry_points: dict[str, Any] = field(default_factory=dict)

    def model(self, application: str) -> dict[str, Any]:
        """What `service_model.yaml` would hold."""
        return {
            "application": application,
            "images": self.images,
            "programs": self.programs,
            "entry_points": self.entry_points,
        }


@dataclass(frozen=True)
class Context:
    """What is written from.

    Attributes:
        graph: The call graph.
        sizes: By name of the part.
        seed: From which keys derive.
        out: Where it is written.
    """

    graph: Graph
    sizes: dict[str, Size]
    seed: int
    out: Written

    def metadata(self, name: str, part: str = "") -> dict[str, Any]:
        """Of an object that belongs to a part; its own name where only that is given."""
        return {"name": name, "namespace": self.out.namespace, "labels": self.labels(part or name)}

    def labels(self, part: str) -> dict[str, str]:
        """By which Services and workloads find pods."""
        return {
            "app.kubernetes.io/name": part,
            "app.kubernetes.io/part-of": self.graph.brand,
        }

    def password(self, what: str) -> str:
        """A key that follows from the seed, and cannot be guessed."""
        return sha256(f"{self.seed} {self.graph.brand} {what}".encode()).hexdigest()[:20]

    def service(self, part: Part, name: str, port: int, target: int | str) -> None:
        """Write a Service with one port."""
        ports = [{"name": name, "port": port, "targetPort": target}]
        spec = {"selector": self.labels(part.name), "ports": ports}
        metadata = self.metadata(part.name)
        self.out.objects.append(
            {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
        )

    def secret(self, name: str, part: str, values: dict[str, str]) -> None:
        """Write a Secret."""
        data = {key: b64encode(value.encode()).decode() for key, value in values.items()}
        metadata = self.metadata(name, part)
        self.out.objects.append(
            {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}
        )  # fmt: skip

    def config_map(self, name: str, part: str, data: dict[str, str]) -> None:
        """Write a ConfigMap."""
        metadata = self.metadata(name, part)
        self.out.objects.append(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
        )

    def workload(self, kind: str, part: Part, pod: dict[str, Any], **spec: Any) -> None:
        """Write a Deployment or StatefulSet."""
        labels = self.labels(part.name)
        whole = {
            "replicas": self.sizes[part.name].replicas,
            "selector": {"matchLabels": labels},
            **spec,
            "template": {
                "metadata": {"labels": labels},
                "spec": {"enableServiceLinks": False, **pod},
            },
        }
        metadata = self.metadata(part.name)
        self.out.objects.append(
            {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": whole}
        )


def secret_value(variable: str, secret: str, key: str) -> dict[str, Any]:
    """An environment variable from a Secret."""
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def setting_name(name: str) -> str:
    """A name as settings of service models, collections and databases have it."""
    return name.replace("-", "_")
