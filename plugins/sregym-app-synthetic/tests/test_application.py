"""What is written down: plausible, valid, and the same each time."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import kubernetes_validate
import pytest
from sregym_app_synthetic.application import Synthetic
from sregym_core.interfaces import Application

SMALL = {"services": "30", "stores": "0.3", "queues": "0.07", "seed": "3"}


@pytest.fixture(scope="module")
def small() -> Application:
    return Synthetic().with_options(SMALL)


def text(application: Application) -> str:
    (model,) = application.service_models()
    return json.dumps(application.manifests()) + model.model_dump_json() + application.description


def test_the_same_settings_are_the_same_application(small: Application) -> None:
    assert text(small) == text(Synthetic().with_options(SMALL))
    assert text(small) != text(Synthetic().with_options({**SMALL, "seed": "4"}))


def test_each_part_is_a_workload_with_a_service(small: Application) -> None:
    kinds = Counter(obj["kind"] for obj in small.manifests())
    assert (kinds["Service"], kinds["Deployment"] + kinds["StatefulSet"]) == (30, 31)
    assert kinds["StatefulSet"] == 9


def test_manifests_are_valid(small: Application) -> None:
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for obj in small.manifests():
        containers = obj.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [{}])
        image = containers[0].get("image", "")
        first.setdefault((obj["kind"], image.partition(":")[0].partition("/")[0]), obj)
    assert len(first) > 8
    for obj in first.values():
        kubernetes_validate.validate(obj, "1.34", strict=True)


def test_every_container_has_requests_limits_and_a_program_has_probes(small: Application) -> None:
    for obj in small.manifests():
        for container in obj.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ()):  # fmt: skip
            assert set(container["resources"]) == {"requests", "limits"}, container["name"]
            if obj["metadata"]["name"] != "visitors":
                assert "readinessProbe" in container, container["name"]


def test_nothing_in_it_says_that_nobody_wrote_it(small: Application) -> None:
    manifests = json.dumps(small.manifests()) + small.description
    assert re.findall(r"synthetic|generated|seed|random|sregym", manifests, re.IGNORECASE) == []


def test_it_needs_the_kinds_of_servers_of_its_parts(small: Application) -> None:
    containers = {
        part.container for part in small.components() if part.kind not in ("service", "load")
    }
    assert small.server_kinds() == tuple(sorted(containers))
    assert {"rabbitmq", "redis"} < containers


def test_another_place_is_another_namespace_everywhere(small: Application) -> None:
    moved = small.with_namespace_suffix("-two")
    assert moved is not None
    assert moved.namespaces == tuple(f"{name}-two" for name in small.namespaces)
    spaces = {obj["metadata"].get("namespace") for obj in moved.manifests()} - {None}
    assert spaces == set(moved.namespaces)
