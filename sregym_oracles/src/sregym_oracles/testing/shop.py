"""A ready-made application for the memory cluster: front -> catalogue, front -> orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import Component, ObjectRef, Port

from sregym_oracles.testing.application import MemoryApplication
from sregym_oracles.testing.pods import Program

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces.cluster import KubeObject

NAMESPACE = "shop"
PORTS = {"front": 8080, "catalogue": 9090, "orders": 7070, "visitors": 8000}
CALLERS = {"catalogue": ("front",), "orders": ("front",)}


def shop_programs() -> Mapping[str, Program]:
    """What runs in the shop's containers, by image."""
    return {f"shop/{name}:1.0": Program(port=port) for name, port in PORTS.items()}


def service_port(name: str) -> int:
    """The port on which a part of the shop listens."""
    return PORTS[name]


def shop_application(programs: Mapping[str, Program] | None = None) -> MemoryApplication:
    """The shop; `browse` passes front and catalogue, `order` passes front and orders."""
    manifests: list[KubeObject] = [_settings()]
    for name in PORTS:
        manifests += [_deployment(name), _service(name)]
    return MemoryApplication(
        manifests=manifests,
        components=[_component(name) for name in PORTS],
        paths={"browse": ("front", "catalogue"), "order": ("front", "orders")},
        rates={"browse": 9, "order": 1},
        load="visitors",
        programs=programs or shop_programs(),
    )


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
