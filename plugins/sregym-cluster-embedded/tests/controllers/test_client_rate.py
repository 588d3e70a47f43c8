"""A controller sends so many requests per second: sets with many replicas grow, they do not appear."""

from __future__ import annotations

from typing import Any

import pytest

SETS = """
apiVersion: apps/v1
kind: {kind}
metadata: {{name: many}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: many}}}}
  {more}
  template:
    metadata: {{labels: {{app: many}}}}
    spec:
      containers: [{{name: web, image: "registry.example/shop/web:1.0"}}]
"""
KINDS = {"Deployment": "", "ReplicaSet": "", "StatefulSet": "podManagementPolicy: Parallel"}


def begun(shop: Any, kind: str, replicas: int) -> None:
    shop.apply(SETS.format(kind=kind, replicas=replicas, more=KINDS[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_set_grows_by_twenty_pods_a_second(make_shop: Any, kind: str) -> None:
    shop = make_shop()
    began = shop.world.now
    begun(shop, kind, 100_000)
    for seconds in (1, 5, 10):
        shop.run(seconds - shop.world.now + began)
        assert 30 + 20 * (seconds - 1) <= len(shop.pods()) <= 30 + 20 * seconds


@pytest.mark.parametrize("kind", KINDS)
def test_a_set_within_the_burst_is_there_at_once(make_shop: Any, kind: str) -> None:
    shop = make_shop()
    begun(shop, kind, 30)
    shop.run(0.9)
    assert len(shop.pods()) == 30


def test_a_set_that_was_limited_is_completed(make_shop: Any) -> None:
    shop = make_shop()
    begun(shop, "ReplicaSet", 65)
    shop.run(3.0)
    assert len(shop.pods()) == 65
