"""Pods that nobody may schedule yet."""

from __future__ import annotations

from typing import Any

POD = """
apiVersion: v1
kind: Pod
metadata: {name: gated}
spec:
  schedulingGates: [{name: example.com/later}]
  containers: [{name: c, image: registry.example/shop/web:1.0}]
"""


def test_a_gated_pod_says_so_from_the_beginning_without_a_generation(shop: Any) -> None:
    shop.apply(POD)
    created = shop.pods()
    shop.run(5)
    assert shop.pods() == created
    (pod,) = created
    (condition,) = pod["status"]["conditions"]
    assert condition == {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": condition["lastTransitionTime"],
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }
