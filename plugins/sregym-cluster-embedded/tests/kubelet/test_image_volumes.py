"""Images as volumes: pulled like those of containers, mounted read-only."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME

WORKER, WEB = "registry.example/shop/worker:1.0", "registry.example/shop/web:1.0"
POD = (
    "{nodeName: node1, volumes: [{name: pages, image: {reference: '%s', pullPolicy: %s}}], "
    f"containers: [{{name: c, image: '{WORKER}', "
    "volumeMounts: [{name: pages, mountPath: /pages%s}]}]}"
)


def run(town: Any, *command: str) -> tuple[int, str, str]:
    uid = town.world.store.get(Key("pods", "default", "app"))["metadata"]["uid"]
    ref = town.world.table("kubelet.pods")[uid].ref("c")
    done = town.world.service(RUNTIME).exec(town.world, ref, command, "")
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("policy", ["IfNotPresent", "Always"])
def test_the_files_of_an_image_stand_where_it_is_mounted(town: Any, policy: str) -> None:
    town.pod(POD % (WEB, policy, ""), run_s=5)
    assert run(town, "cat", "/pages/www/healthz") == (0, "ok\n", "")
    code, _, said = run(town, "sh", "-c", "echo x > /pages/www/healthz")
    assert (code, said) == (1, "sh: can't create /pages/www/healthz: Read-only file system\n")
    told = [entry for entry in town.events("Pulling") if WEB in entry[1]]
    assert told == [("Pulling", f'Pulling image "{WEB}"', 1)]
    (event,) = [
        entry
        for entry in town.world.store.list("events", "default")
        if entry["message"] == f'Pulling image "{WEB}"'
    ]
    assert "fieldPath" not in event["involvedObject"]


def test_a_folder_of_an_image_is_mounted(town: Any) -> None:
    town.pod(POD % (WEB, "IfNotPresent", ", subPath: www"), run_s=5)
    assert run(town, "cat", "/pages/healthz") == (0, "ok\n", "")


def test_a_container_waits_for_the_images_of_its_volumes(town: Any) -> None:
    missing = "registry.example/shop/none:1"
    town.pod(POD % (missing, "IfNotPresent", ""), run_s=1)
    error = (
        f'rpc error: code = NotFound desc = failed to pull and unpack image "{missing}": failed to '
        f'resolve reference "{missing}": {missing}: not found'
    )
    assert town.state() == {"waiting": {"reason": "ErrImagePull", "message": error}}
    assert town.events("Failed", "Pulling") == [
        ("Failed", "Error: ErrImagePull", 1),
        ("Failed", "Error: ImagePullBackOff", 1),
        ("Failed", f'Failed to pull image "{missing}": {error}', 1),
        ("Pulling", f'Pulling image "{missing}"', 1),
    ]
