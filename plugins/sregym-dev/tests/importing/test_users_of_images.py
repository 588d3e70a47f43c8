"""As whom what was imported runs."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.interfaces import Vocabulary
from sregym_dev.importing.cleaning import cleaned
from sregym_dev.importing.guess import Guesser
from sregym_dev.importing.remarks import Remarks


@pytest.mark.parametrize(
    ("pod", "container", "user"),
    [
        ({}, {}, None),
        ({}, {"runAsNonRoot": True}, "1000"),
        ({"runAsNonRoot": True}, {}, "1000"),
        ({"runAsNonRoot": True}, {"runAsNonRoot": False}, None),
        ({"runAsUser": 7}, {"runAsNonRoot": True}, None),
    ],
)
def test_what_must_not_be_root_and_names_no_user_has_one_in_its_image(
    pod: dict[str, Any], container: dict[str, Any], user: str | None
) -> None:
    labels = {"app": "front"}
    main = {
        "name": "main",
        "image": "acme/front:2",
        "ports": [{"containerPort": 8080}],
        "securityContext": container,
    }
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [main], "securityContext": pod},
    }
    front = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "front"},
        "spec": {"template": template},
    }
    ports = [{"port": 80, "targetPort": 8080}]
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "front"},
        "spec": {"selector": labels, "type": "NodePort", "ports": ports},
    }
    remarks = Remarks()
    objects = cleaned((service, front), "shop", remarks)
    guess = Guesser(objects, "shop", Vocabulary(frozenset(), {}, {}), remarks).guess()
    (image,) = [one for one in guess.model["images"] if one["repository"] == "acme/front"]
    assert image.get("user") == user
