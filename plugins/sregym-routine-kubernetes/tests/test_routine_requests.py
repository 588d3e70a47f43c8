"""What people leave behind beside an application has names that an API server takes."""

from __future__ import annotations

from sregym_routine_kubernetes.requests import create_leftovers
from sregym_testing import MemoryCluster
from sregym_testing.memory import Shop


def test_things_beside_one_of_several_applications_are_named_after_its_parts_alone() -> None:
    cluster, shop = MemoryCluster(), Shop()
    shop.deploy(cluster)
    before = set(_things(cluster))
    parts = [part.model_copy(update={"name": f"shop/{part.name}"}) for part in shop.components()]
    create_leftovers(cluster, parts, seed=1)
    names = {part.name for part in shop.components()}
    made = sorted(set(_things(cluster)) - before)
    assert made
    assert {name.rpartition("-")[0] for name in made} <= names


def _things(cluster: MemoryCluster) -> list[str]:
    return [
        obj["metadata"]["name"]
        for kind in ("Service", "ConfigMap", "Secret")
        for obj in cluster.list("v1", kind, "shop")
    ]
