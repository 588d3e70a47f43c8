"""A whole cluster, with the containers and registries that come with it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.world import World

RESOURCES = {
    "Pod": "pods",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims",
}


class Town:
    """Short ways to use a cluster whose containers are the real ones."""

    def __init__(self, world: World) -> None:
        self.world = world

    def apply(self, text: str) -> None:
        """Create the objects of a YAML text."""
        for obj in yaml.safe_load_all(text):
            metadata = {"namespace": "default", **obj["metadata"]}
            if obj["kind"] == "PersistentVolume":
                del metadata["namespace"]
            internal_client.create(
                self.world, RESOURCES[obj["kind"]], {**obj, "metadata": metadata}
            )

    def pod(self, spec: str, name: str = "app", run_s: float = 0.0) -> None:
        """Create a pod and let time pass."""
        self.apply(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {spec}\n")
        self.run(run_s)

    def run(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.world.run_until(self.world.now + seconds)

    def status(self, name: str = "app") -> Object:
        """The status of a pod."""
        found = self.world.store.get(Key("pods", "default", name))
        assert found is not None
        status: Object = found["status"]
        return status

    def state(self, name: str = "app", container: int = 0) -> Object:
        """The state of one of a pod's containers."""
        found: Object = self.status(name)["containerStatuses"][container]["state"]
        return found

    def events(self, *reasons: str) -> list[tuple[str, str, int]]:
        """(reason, message, count) of the events of the namespace, sorted."""
        return sorted(
            (event["reason"], event["message"], event["count"])
            for event in self.world.store.list("events", "default")
            if event["reason"] in reasons
        )


@pytest.fixture(scope="session")
def built(recorded_images: Any) -> World:
    return build(Blueprint(models=recorded_images, seed=1))


@pytest.fixture
def town(built: World) -> Town:
    """A fork of a cluster that has just been booted."""
    return Town(built.fork(seed=2))
