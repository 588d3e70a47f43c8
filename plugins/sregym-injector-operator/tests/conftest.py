"""An application whose web site an operator makes of a custom resource."""

from __future__ import annotations

from typing import ClassVar

import pytest
from sregym_core.interfaces import Cluster
from sregym_core.interfaces.cluster import KubeObject
from sregym_core.model import Component, ObjectRef
from sregym_testing import Shop

GROVE = ObjectRef(
    api_version="gardens.example.com/v1", kind="Grove", namespace="shop", name="garden"
)


class Garden(Shop):
    """The shop, and a Grove of two kinds of trees."""

    name: ClassVar[str] = "garden"

    def manifests(self) -> list[KubeObject]:
        spec = {
            "pear": {"replicas": 2, "image": "example.com/pear:1.0"},
            "apple": {"replicas": 3, "limits": {"memory": "64Mi"}},
            "tolerations": [{"key": "shade", "operator": "Exists"}],
        }
        metadata = {"name": GROVE.name, "namespace": GROVE.namespace}
        grove = {"apiVersion": GROVE.api_version, "kind": GROVE.kind, "metadata": metadata}
        return [*super().manifests(), _definition(), {**grove, "spec": spec}, _made()]

    def ready(self, cluster: Cluster) -> list[str]:
        """Nobody rolls out a Grove; its trees are there from the start."""
        return [reason for reason in super().ready(cluster) if not reason.startswith(GROVE.kind)]

    def components(self) -> tuple[Component, ...]:
        garden = Component(
            name="garden-apple",
            namespace="shop",
            workload=GROVE,
            workloads=(ObjectRef.of(_made()),),
            container="tree",
            image="example.com/apple:1.0",
        )
        return (*super().components(), garden)


def _definition() -> KubeObject:
    versions = [{"name": "v1", "served": True, "storage": True}]
    names = {"plural": "groves", "singular": "grove", "kind": GROVE.kind}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "groves.gardens.example.com"},
        "spec": {
            "group": "gardens.example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": versions,
        },
    }


def _made() -> KubeObject:
    labels = {"grove": "apple"}
    container = {"name": "tree", "image": "example.com/apple:1.0"}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "garden-apple", "namespace": "shop"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


@pytest.fixture
def garden() -> Garden:
    return Garden()
