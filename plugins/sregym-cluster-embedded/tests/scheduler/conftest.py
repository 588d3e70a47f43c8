"""Nodes with labels, and pods that say where they want to go."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key


class Places:
    """Short ways to label nodes, to make pods and to read where they went."""

    def __init__(self, shop: Any) -> None:
        self.shop = shop

    def label(self, node: str, **labels: str) -> None:
        given = {name.replace("_", "-"): value for name, value in labels.items()}
        internal_client.patch_metadata(self.shop.world, Key("nodes", "", node), labels=given)

    def spec(self, node: str, **fields: Any) -> None:
        obj = self.shop.world.store.get(Key("nodes", "", node))
        internal_client.update(self.shop.world, "nodes", {**obj, "spec": {**obj["spec"], **fields}})

    def pod(
        self,
        name: str,
        spec: str = "{}",
        labels: dict[str, str] | None = None,
        cpu: str | None = None,
        seconds: float = 2.0,
    ) -> str:
        """Make a pod; the name of the node that it got, or what the scheduler says."""
        resources = {"resources": {"requests": {"cpu": cpu}}} if cpu else {}
        container = {"name": "c", "image": "registry.example/shop/worker:1.0", **resources}
        given = yaml.safe_load(spec)
        metadata = {"name": name, "namespace": "shop", **({"labels": labels} if labels else {})}
        obj = {"metadata": metadata, "spec": {"containers": [container], **given}}
        internal_client.create(self.shop.world, "pods", obj)
        self.shop.run(seconds)
        return self.where(name)

    def where(self, name: str) -> str:
        """The node of a pod, or why it has none."""
        pod = self.shop.world.store.get(Key("pods", "shop", name))
        if pod is None:
            return "gone"
        node: str | None = pod["spec"].get("nodeName")
        if node:
            return node
        conditions = pod["status"].get("conditions", ())
        said = [entry["message"] for entry in conditions if entry["type"] == "PodScheduled"]
        return said[0] if said else "not looked at"


@pytest.fixture
def places(shop: Any) -> Places:
    return Places(shop)
