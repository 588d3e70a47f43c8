"""The end of pods with several containers: who is told when, who goes when, what is reported."""

from __future__ import annotations

from typing import Any

import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key, Object

POD = Key("pods", "shop", "app")
WORKER = "registry.example/shop/worker:1.0"
BUSYBOX = "registry.example/library/busybox:1.36"
ALL = ("soft", "hard", "main")
# `hard` has no handler for SIGTERM and lasts its whole grace; `soft` goes at once.
SIDECARS = f"""
- {{name: soft, image: '{WORKER}', restartPolicy: Always}}
- {{name: hard, image: '{BUSYBOX}', command: [sleep, '1000'], restartPolicy: Always}}
"""


def apply(shop: Any, grace_s: int, containers: str, **fields: Any) -> None:
    spec = {
        "terminationGracePeriodSeconds": grace_s,
        "containers": yaml.safe_load(containers),
        "initContainers": yaml.safe_load(SIDECARS),
        **fields,
    }
    metadata = {"name": POD.name, "namespace": POD.namespace}
    internal_client.create(shop.world, POD.resource, {"metadata": metadata, "spec": spec})


def sleeper(seconds: int) -> str:
    return f"- {{name: main, image: '{BUSYBOX}', command: [sleep, '{seconds}']}}"


def states(shop: Any) -> dict[str, str]:
    """What the status says that each container does."""
    status: Object = shop.world.store.get(POD)["status"]
    found = status["initContainerStatuses"] + status["containerStatuses"]
    return {entry["name"]: next(iter(entry["state"])) for entry in found}


def alive(shop: Any) -> set[str]:
    processes = shop.world.table("shop.processes").items()
    return {ref.name for ref, process in processes if ref.pod == POD.name and process.alive}


def killed(shop: Any) -> list[str]:
    return [text.removeprefix("Stopping container ") for text, _ in shop.events("Killing")]


def test_sidecars_go_after_the_others_and_the_last_first(shop: Any) -> None:
    apply(shop, 9, sleeper(1000))
    shop.run(4)
    assert states(shop) == dict.fromkeys(ALL, "running")
    began = shop.world.now
    internal_client.delete(shop.world, POD)
    shop.run(1)
    assert killed(shop) == ["main", "hard", "soft"]
    shop.run(began + 8.5 - shop.world.now)
    # `soft` would go at once, but it is not its turn.
    assert alive(shop) == {"soft", "hard", "main"}
    shop.run(1.5)
    assert alive(shop) == {"hard"}
    shop.run(1.5)
    assert alive(shop) == set()


def test_what_ended_is_told_when_all_have(shop: Any) -> None:
    main = f"- {{name: main, image: '{WORKER}'}}"
    apply(shop, 6, main)
    shop.run(4)
    internal_client.delete(shop.world, POD)
    shop.run(4)
    assert alive(shop) == {"soft", "hard"}
    assert states(shop) == dict.fromkeys(ALL, "running")
    told = [states(shop)]
    while shop.world.store.get(POD) is not None:
        if states(shop) != told[-1]:
            told.append(states(shop))
        shop.run(0.05)
    assert told == [dict.fromkeys(ALL, "running"), dict.fromkeys(ALL, "terminated")]


def test_the_sidecars_of_a_pod_that_is_done_go_when_that_is_confirmed(shop: Any) -> None:
    """A second passes until the node lists its containers again."""
    apply(shop, 4, sleeper(2), restartPolicy="Never")
    done_at = None
    while done_at is None and shop.world.now < 60:
        shop.run(0.05)
        found = shop.world.store.get(POD)["status"].get("containerStatuses", [])
        if found and "terminated" in found[0]["state"]:
            done_at = shop.world.now
    assert killed(shop) == []
    shop.run(0.9)
    assert killed(shop) == []
    shop.run(0.2)
    assert killed(shop) == ["hard", "soft"]
    shop.run(3)
    assert shop.world.store.get(POD)["status"]["phase"] == "Running"
    shop.run(2)
    assert states(shop) == dict.fromkeys(ALL, "terminated")
    assert shop.world.store.get(POD)["status"]["phase"] == "Succeeded"


def test_a_shorter_grace_ends_the_waiting(shop: Any) -> None:
    apply(shop, 30, sleeper(1000))
    shop.run(4)
    internal_client.delete(shop.world, POD)
    shop.run(2)
    internal_client.delete(shop.world, POD, grace_s=1)
    shop.run(3)
    assert alive(shop) == set()


def test_a_node_lets_go_of_its_pods_together(shop: Any) -> None:
    """Each time it lists its containers, with what has ended until then."""
    spec = {"nodeName": "node1", "containers": [{"name": "c", "image": WORKER}]}
    keys = [Key("pods", "shop", name) for name in ("a", "b", "c")]
    for key in keys:
        metadata = {"name": key.name, "namespace": key.namespace}
        internal_client.create(shop.world, key.resource, {"metadata": metadata, "spec": spec})
    shop.run(4)
    gone: dict[str, float] = {}
    for number in range(60):
        if number in (0, 1, 20):
            internal_client.delete(shop.world, keys[min(number, 2)])
        shop.run(0.05)
        for key in keys:
            if shop.world.store.get(key) is None:
                gone.setdefault(key.name, round(shop.world.now, 2))
    assert gone["a"] == gone["b"]
    assert round(gone["c"] - gone["a"], 2) == 1.0
