"""An application with one of everything that a fault may hold on to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar

import yaml
from sregym_core.model import Account, Component, ConfigUse, ObjectRef, Port, ProgramSetting
from sregym_kubernetes.copying import copied

from sregym_testing.memory.application import MemoryApplication

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import KubeObject

NAMESPACE = "shop"
OPERATIONS = ("browse", "buy")


def _ref(kind: str, name: str) -> ObjectRef:
    api_version = "apps/v1" if kind == "Deployment" else "v1"
    return ObjectRef(api_version=api_version, kind=kind, namespace=NAMESPACE, name=name)


@cache
def _manifests() -> list[KubeObject]:
    text = files("sregym_testing.memory").joinpath("full_shop.yaml").read_text("utf-8")
    return list(yaml.safe_load_all(text))


@cache
def _components() -> tuple[Component, ...]:
    catalog = Component(
        name="catalog",
        namespace=NAMESPACE,
        workload=_ref("Deployment", "catalog"),
        container="catalog",
        image="shop/catalog:latest",
        memory_limit="256Mi",
        pod_labels={"app": "catalog"},
        service=_ref("Service", "catalog"),
        selector={"app": "catalog"},
        ports=(
            Port(name="metrics", port=9091, target_port=9091, container_port=9091),
            Port(name="grpc", port=8083, target_port=8083, container_port=8083),
        ),
        config=(
            ConfigUse(
                source=_ref("ConfigMap", "catalog-config"),
                keys=("config.json", "motd.txt"),
                path="/etc/catalog/config.json",
                entries={"config.json": ("tracing", "listen", "store")},
            ),
        ),
        callers=("front",),
        calls=("catalog-db",),
        operations=OPERATIONS,
    )
    catalog_db = Component(
        name="catalog-db",
        kind="datastore",
        namespace=NAMESPACE,
        workload=_ref("Deployment", "catalog-db"),
        container="mongod",
        image="mongo:4.4.6",
        memory_limit="512Mi",
        pod_labels={"app": "catalog-db"},
        service=_ref("Service", "catalog-db"),
        selector={"app": "catalog-db"},
        ports=(Port(name="mongodb", port=27017, target_port=27017, container_port=27017),),
        config=(
            ConfigUse(
                source=_ref("ConfigMap", "catalog-db-script"),
                keys=("create-user.sh",),
                path="/docker-entrypoint-initdb.d",
            ),
        ),
        accounts=(
            Account(
                engine="mongodb",
                user="clerk",
                password="clerk-secret",
                database="catalog",
                role="readWrite",
                admin_user="root",
                admin_password="root-secret",
                used_by=("catalog",),
            ),
        ),
        callers=("catalog",),
        operations=OPERATIONS,
    )
    front = Component(
        name="front",
        namespace=NAMESPACE,
        workload=_ref("Deployment", "front"),
        container="web",
        image="images.example.com:5000/shop/front",
        replicas=2,
        pod_labels={"app": "front"},
        service=_ref("Service", "front"),
        selector={"app": "front"},
        ports=(Port(name="http", port=80, target_port="http", container_port=8080),),
        callers=("visitors",),
        calls=("catalog",),
        operations=OPERATIONS,
        settings=(
            ProgramSetting(name="CALL_TIMEOUT", role="timeout"),
            ProgramSetting(name="CALL_ATTEMPTS", role="attempts"),
            ProgramSetting(name="MAX_REQUESTS", role="concurrency"),
            ProgramSetting(name="GOGC", role="gc-growth"),
            ProgramSetting(name="GOMEMLIMIT", role="gc-limit"),
            ProgramSetting(name="PATH_RULE", role="filter"),
            ProgramSetting(name="pool", role="pool", argument=r"(?<=^--pool=)\d+"),
        ),
    )
    visitors = Component(
        name="visitors",
        kind="load",
        namespace=NAMESPACE,
        workload=_ref("Deployment", "visitors"),
        container="wrk",
        image="shop/wrk:1.0",
        pod_labels={"app": "visitors"},
        calls=("front",),
        settings=(
            ProgramSetting(name="rate", role="rate", argument=r"(?<=^--rate=)\d+"),
            ProgramSetting(name="WEIGHT_BROWSE", role="weight", operation="browse"),
            ProgramSetting(name="WEIGHT_BUY", role="weight", operation="buy"),
        ),
    )
    return (catalog, catalog_db, front, visitors)


class FullShop(MemoryApplication):
    """Visitors load `front`, which calls `catalog`, which reads `catalog-db`, a MongoDB."""

    name: ClassVar[str] = "shop"
    title: ClassVar[str] = "Shop"
    namespaces: ClassVar[tuple[str, ...]] = (NAMESPACE,)
    description: ClassVar[str] = "A shop with a web front, a catalog service and its database."
    load: ClassVar[str] = "visitors"
    paths: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
        OPERATIONS, ("front", "catalog", "catalog-db")
    )
    rates: ClassVar[Mapping[str, int]] = {"browse": 9, "buy": 1}

    def manifests(self) -> list[KubeObject]:
        """ConfigMaps, Services and Deployments."""
        return copied(_manifests())

    def components(self) -> tuple[Component, ...]:
        """`catalog`, `catalog-db`, `front` and `visitors`."""
        return _components()
