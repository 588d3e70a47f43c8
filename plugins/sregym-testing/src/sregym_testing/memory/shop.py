"""The smallest application for tests of faults, noise and oracles: a web shop with a cart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import Component, ConfigUse, ObjectRef, Port

from sregym_testing.memory.application import MemoryApplication

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import KubeObject

_NAMESPACE = "shop"
_PORTS = {"cart": 7070, "web": 8080}


class Shop(MemoryApplication):
    """Two services, `web` calls `cart`; `cart` reads the ConfigMap `cart-settings`. No visitors."""

    name: ClassVar[str] = "shop"
    title: ClassVar[str] = "Shop"
    namespaces: ClassVar[tuple[str, ...]] = (_NAMESPACE,)
    description: ClassVar[str] = "A web shop with a cart."

    def manifests(self) -> list[KubeObject]:
        """Namespace, ConfigMap, and a Deployment and Service for each part."""
        objects: list[KubeObject] = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}},
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "cart-settings", "namespace": _NAMESPACE},
                "data": {"cart.json": '{"currency": "EUR", "limit": 20}'},
            },
        ]
        for name, port in _PORTS.items():
            objects += [_deployment(name, port), _service(name, port)]
        return objects

    def components(self) -> tuple[Component, ...]:
        """`cart` and `web`."""
        settings = ConfigUse(
            source=_ref("v1", "ConfigMap", "cart-settings"),
            keys=("cart.json",),
            path="/etc/cart",
            entries={"cart.json": ("currency", "limit")},
        )
        return tuple(
            Component(
                name=name,
                namespace=_NAMESPACE,
                workload=_ref("apps/v1", "Deployment", name),
                container=name,
                image=f"example.com/shop/{name}:1.4",
                pod_labels={"app": name},
                service=_ref("v1", "Service", name),
                selector={"app": name},
                ports=(Port(name="http", port=port, target_port=port, container_port=port),),
                config=(settings,) if name == "cart" else (),
                memory_limit="128Mi",
                callers=("web",) if name == "cart" else (),
                operations=("browse", "buy") if name == "web" else ("buy",),
            )
            for name, port in _PORTS.items()
        )


def _ref(api_version: str, kind: str, name: str) -> ObjectRef:
    return ObjectRef(api_version=api_version, kind=kind, namespace=_NAMESPACE, name=name)


def _deployment(name: str, port: int) -> KubeObject:
    container = {
        "name": name,
        "image": f"example.com/shop/{name}:1.4",
        "ports": [{"name": "http", "containerPort": port}],
        "resources": {"limits": {"memory": "128Mi"}},
    }
    pod: dict[str, Any] = {"containers": [container]}
    if name == "cart":
        container["volumeMounts"] = [{"name": "settings", "mountPath": "/etc/cart"}]
        pod["volumes"] = [{"name": "settings", "configMap": {"name": "cart-settings"}}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": _NAMESPACE, "labels": {"app": name}},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": pod},
        },
    }


def _service(name: str, port: int) -> KubeObject:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": _NAMESPACE},
        "spec": {
            "selector": {"app": name},
            "ports": [{"name": "http", "port": port, "targetPort": port}],
        },
    }
