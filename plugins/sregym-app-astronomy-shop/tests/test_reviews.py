"""Shoppers write reviews: from their script to the table."""

from __future__ import annotations

import ast
from collections.abc import Callable

from sregym_app_astronomy_shop.reviews.application import AstronomyShopReviews
from sregym_testing import ReadyWorlds
from sregym_testing.worlds import advance, ready_world

NAMESPACE = "astronomy-shop"
COUNTED = [
    "psql",
    "-U",
    "root",
    "-d",
    "otel",
    "-tAc",
    "SELECT count(*) FROM reviews.productreviews",
]


def test_the_script_of_shoppers_has_one_task_more() -> None:
    manifests = AstronomyShopReviews().manifests()
    (script,) = (
        obj["data"]["locustfile.py"]
        for obj in manifests
        if (obj["kind"], obj["metadata"]["name"]) == ("ConfigMap", "load-generator")
    )
    (user,) = (
        node
        for node in ast.parse(script).body
        if isinstance(node, ast.ClassDef) and node.name == "WebsiteUser"
    )
    assert "write_review" in [node.name for node in user.body if isinstance(node, ast.FunctionDef)]
    assert "checkout_multi view_image write_review" in script


def test_what_differs_says_that_it_writes() -> None:
    shop = AstronomyShopReviews()
    writing = {part.name for part in shop.components() if "write_review" in part.operations}
    postgresql = shop.component("postgresql")

    assert writing == {
        "frontend",
        "frontend-proxy",
        "load-generator",
        "postgresql",
        "product-reviews",
    }
    assert postgresql is not None
    assert [(table.name, table.key) for table in postgresql.tables] == [
        ("reviews.productreviews", "id")
    ]
    assert "/api/product-reviews/ID" in shop.description


def test_reviews_are_refused_while_no_number_is_left_and_all_else_goes_on(
    ready_worlds: Callable[[str], ReadyWorlds],
) -> None:
    shop = AstronomyShopReviews()
    cluster = ready_world(shop, ready_worlds("embedded")).cluster

    def shares_after(statement: str) -> tuple[float, float]:
        (pod,) = (
            pod["metadata"]["name"]
            for pod in cluster.list("v1", "Pod", NAMESPACE, "opentelemetry.io/name=postgresql")
        )
        done = cluster.exec(NAMESPACE, pod, ["psql", "-U", "root", "-d", "otel", "-c", statement])
        assert done.exit_code == 0, done.stderr
        advance(cluster, 90.0)
        seen = shop.traffic(cluster, 60.0).operations
        return seen["write_review"].success_rate, seen["browse_product"].success_rate

    before = shares_after("SELECT count(*) FROM reviews.productreviews")
    used_up = shares_after("SELECT setval('reviews.productreviews_id_seq', 2147483647)")
    shares_after("ALTER TABLE reviews.productreviews ALTER COLUMN id TYPE bigint")
    widened = shares_after("ALTER SEQUENCE reviews.productreviews_id_seq AS bigint")

    assert before == (1.0, 1.0)
    assert used_up[0] == 0.0
    assert used_up[1] > 0.95
    assert widened[0] > 0.95
