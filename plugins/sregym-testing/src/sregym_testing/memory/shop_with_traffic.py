"""A small application with simulated traffic of users: front -> catalogue, front -> orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import Component, ObjectRef, Port

from sregym_testing.memory.application import MemoryApplication
from sregym_testing.memory.pods import Program

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import KubeObject

NAMESPACE = "shop"
PORTS = {"front": 8080, "catalogue": 9090, "orders": 7070, "visitors": 8000}
CALLERS = {"catalogue": ("front",), "orders": ("front",)}


class ShopWithTraffic(MemoryApplication):
    """`browse` passes front and catalogue, `order` passes front and orders.

    Its Deployments have the strategy `Recreate`: a new template that cannot run takes the old pods
    down, so that a test need not wait for anything to see it.
    """

    name: ClassVar[str] = "shop"
    title: ClassVar[str] = "A small shop"
    namespaces: ClassVar[tuple[str, ...]] = (NAMESPACE,)
    description: ClassVar[str] = "A web front, a catalogue and a store of orders."
    load: ClassVar[str] = "visitors"
    paths: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "browse": ("front", "catalogue"),
        "order": ("front", "orders"),
    }
    rates: ClassVar[Mapping[str, int]] = {"browse": 9, "order": 1}

    @staticmethod
    def programs() -> dict[str, Program]:
        """What runs in its containers, by image: for the constructor of the cluster."""
        return {f"shop/{name}:1.0": Program(port=port) for name, port in PORTS.items()}

    def manifests(self) -> list[KubeObject]:
        """A ConfigMap, and a Deployment and Service for each part."""
        manifests: list[KubeObject] = [_settings()]
        for name in PORTS:
            manifests += [_deployment(name), _service(name)]
        return manifests

    def components(self) -> tuple[Component, ...]:
        """`catalogue`, `front`, `orders` and `visitors`."""
        return tuple(_component(name) for name in sorted(PORTS))


def _settings() -> KubeObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": NAMESPACE},
        "data": {"currency": "EUR"},
    }


def _deployment(name: str) -> KubeObject:
    container = {
        "name": name,
        "image": f"shop/{name}:1.0",
        "ports": [{"containerPort": PORTS[name]}],
        "readinessProbe": {"tcpSocket": {"port": PORTS[name]}},
        "resources": {"requests": {"cpu": "50m"}, "limits": {"memory": "64Mi"}},
    }
    spec: KubeObject = {"containers": [container]}
    if name == "catalogue":
        spec["volumes"] = [{"name": "settings", "configMap": {"name": "settings"}}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
        },
    }


def _service(name: str) -> KubeObject:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "selector": {"app": name},
            "ports": [{"port": PORTS[name], "targetPort": PORTS[name]}],
        },
    }


def _component(name: str) -> Component:
    port = PORTS[name]
    return Component(
        name=name,
        kind="load" if name == "visitors" else "service",
        namespace=NAMESPACE,
        workload=ObjectRef(
            api_version="apps/v1", kind="Deployment", namespace=NAMESPACE, name=name
        ),
        container=name,
        image=f"shop/{name}:1.0",
        pod_labels={"app": name},
        service=ObjectRef(api_version="v1", kind="Service", namespace=NAMESPACE, name=name),
        selector={"app": name},
        ports=(Port(port=port, target_port=port, container_port=port),),
        callers=CALLERS.get(name, ()),
    )
