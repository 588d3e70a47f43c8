"""Pulling images: what registries refuse, what pull secrets open, what the kubelet says."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.references import reference_error
from sregym_cluster_embedded.userland.registries import Registry, set_registry

HEAD = 'failed to pull and unpack image "{0}": failed to resolve reference "{0}": '
REQUEST = 'failed to do request: Head "https://registry.example/v2/shop/web/manifests/1.0": '


@pytest.mark.parametrize(
    ("registry", "error"),
    [
        (
            Registry(unreachable="dial tcp 10.0.0.9:443: connect: connection refused"),
            HEAD.format("registry.example/shop/web:1.0")
            + REQUEST
            + "dial tcp 10.0.0.9:443: connect: connection refused",
        ),
        (
            Registry(
                unreachable="tls: failed to verify certificate: x509: certificate signed by "
                "unknown authority"
            ),
            HEAD.format("registry.example/shop/web:1.0")
            + REQUEST
            + "tls: failed to verify certificate: x509: certificate signed by unknown authority",
        ),
        (
            Registry(private=("shop/",)),
            HEAD.format("registry.example/shop/web:1.0")
            + "pulling from host registry.example failed with status code [manifests 1.0]: "
            "401 Unauthorized",
        ),
        (
            Registry(empty=True),
            "rpc error: code = NotFound desc = "
            + HEAD.format("registry.example/shop/web:1.0")
            + "registry.example/shop/web:1.0: not found",
        ),
        (
            Registry(foreign=("shop/web:1.0",)),
            "rpc error: code = NotFound desc = failed to pull and unpack image "
            '"registry.example/shop/web:1.0": no match for platform in manifest: not found',
        ),
    ],
)
def test_a_registry_that_does_not_give_an_image_keeps_its_pod_waiting(
    town: Any, registry: Registry, error: str
) -> None:
    set_registry(town.world, "registry.example", registry)
    town.pod('{containers: [{name: web, image: "registry.example/shop/web:1.0"}]}', run_s=1.0)
    assert town.state() == {"waiting": {"reason": "ErrImagePull", "message": error}}
    image = '"registry.example/shop/web:1.0"'
    assert town.events("Pulling", "Failed", "BackOff") == [
        ("BackOff", f"Back-off pulling image {image}", 1),
        ("Failed", "Error: ErrImagePull", 1),
        ("Failed", "Error: ImagePullBackOff", 1),
        ("Failed", f"Failed to pull image {image}: {error}", 1),
        ("Pulling", f"Pulling image {image}", 1),
    ]
    town.run(13.0)
    message = f"Back-off pulling image {image}: ErrImagePull: {error}"
    assert town.state() == {"waiting": {"reason": "ImagePullBackOff", "message": message}}


def test_a_registry_that_does_not_answer_holds_up_the_pulls_of_its_node(town: Any) -> None:
    silent = Registry(unreachable="dial tcp 10.0.0.9:443: i/o timeout")
    set_registry(town.world, "registry.example", silent)
    image, other = "registry.example/shop/web:1.0", "registry.k8s.io/coredns/coredns:v1.12.1"
    town.pod(f'{{nodeName: node1, containers: [{{name: web, image: "{image}"}}]}}', run_s=5.0)
    always = "imagePullPolicy: Always"
    town.pod(f'{{nodeName: node1, containers: [{{name: c, image: "{other}", {always}}}]}}', "next")
    town.run(20.0)
    assert town.state() == {"waiting": {"reason": "ContainerCreating"}}
    assert town.state("next") == {"waiting": {"reason": "ContainerCreating"}}
    town.run(8.0)
    error = HEAD.format(image) + REQUEST + "dial tcp 10.0.0.9:443: i/o timeout"
    assert town.state() == {"waiting": {"reason": "ErrImagePull", "message": error}}
    assert town.events("Failed")[:2] == [
        ("Failed", "Error: ErrImagePull", 1),
        ("Failed", "Error: ImagePullBackOff", 1),
    ]
    begins = f'Successfully pulled image "{other}" in 350ms (25'
    assert any(text.startswith(begins) for _, text, _ in town.events("Pulled"))


def test_a_private_repository_asks_for_a_pull_secret(town: Any) -> None:
    private = Registry(private=("private/",), address="10.77.0.1:5000")
    set_registry(town.world, "registry.example", private)
    town.pod(
        "{imagePullSecrets: [{name: no-such-secret}], "
        'containers: [{name: web, image: "registry.example/private/web:1.0"}]}',
        run_s=1.0,
    )
    reference = "registry.example/private/web:1.0"
    error = (
        HEAD.format(reference) + "pulling from host 10.77.0.1:5000 failed with status code "
        "[manifests 1.0]: 401 Unauthorized"
    )
    assert town.state() == {"waiting": {"reason": "ErrImagePull", "message": error}}
    text = (
        "Unable to retrieve some image pull secrets (no-such-secret); attempting to pull the "
        "image may not succeed."
    )
    assert town.events("FailedToRetrieveImagePullSecret") == [
        ("FailedToRetrieveImagePullSecret", text, 2)
    ]


@pytest.mark.parametrize(("password", "phase"), [("right", "Running"), ("wrong", "Pending")])
def test_a_pull_secret_logs_in(town: Any, password: str, phase: str) -> None:
    registry = Registry(private=("shop/",), accounts=(("puller", "right"),))
    set_registry(town.world, "registry.example", registry)
    auth = base64.b64encode(f"puller:{password}".encode()).decode()
    config = json.dumps({"auths": {"https://registry.example/v1/": {"auth": auth}}})
    data = base64.b64encode(config.encode()).decode()
    town.apply(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\n"
        f"type: kubernetes.io/dockerconfigjson\ndata: {{.dockerconfigjson: {data}}}\n"
    )
    town.pod(
        "{imagePullSecrets: [{name: login}], "
        'containers: [{name: web, image: "registry.example/shop/web:1.0"}]}',
        run_s=5.0,
    )
    assert town.status()["phase"] == phase
    assert town.events("FailedToRetrieveImagePullSecret") == []


@pytest.mark.parametrize(
    ("reference", "error"),
    [
        ("registry.example/shop/web:1.0", ""),
        ("localhost:5000/web", ""),
        (f"web@sha256:{'0' * 64}", ""),
        ("Web:1.0", "invalid reference format: repository name (library/Web) must be lowercase"),
        (
            "registry.example/Shop/web",
            "invalid reference format: repository name (Shop/web) must be lowercase",
        ),
        ("web:1.0:2", "invalid reference format"),
        ("web:", "invalid reference format"),
        ("shop//web", "invalid reference format"),
        (
            "a" * 64,
            f"invalid repository name ({'a' * 64}), cannot specify 64-byte hexadecimal strings",
        ),
    ],
)
def test_references_that_cannot_be_read(reference: str, error: str) -> None:
    assert reference_error(reference) == error


def test_an_image_name_that_cannot_be_read_is_never_pulled(town: Any) -> None:
    town.pod('{containers: [{name: web, image: "web:1.0:2"}]}', run_s=1.0)
    message = (
        'Failed to apply default image tag "web:1.0:2": couldn\'t parse image name "web:1.0:2": '
        "invalid reference format"
    )
    assert town.state() == {"waiting": {"reason": "InvalidImageName", "message": message}}
    assert town.events("InspectFailed", "Failed", "Pulling") == [
        ("Failed", "Error: InvalidImageName", 2),
        ("InspectFailed", message, 2),
    ]


def test_a_container_that_waits_for_its_image_has_no_resources_in_its_status(town: Any) -> None:
    resources = "resources: {requests: {cpu: 50m}, limits: {memory: 64Mi}}"
    image = "registry.example/shop/nowhere:1.0"
    town.pod(f"{{containers: [{{name: api, image: '{image}', {resources}}}]}}", run_s=5)
    status = town.status()
    assert sorted(status["containerStatuses"][0]) == [
        *("image", "imageID", "lastState", "name", "ready", "restartCount", "started", "state"),
        "volumeMounts",
    ]
    assert status["allocatedResources"] == {"cpu": "50m", "memory": "64Mi"}


@pytest.mark.parametrize(
    ("image", "context", "shown", "user"),
    [
        ("busybox:1.36", "{}", "docker.io/library/busybox:1.36", (0, 0, [0])),
        ("curlimages/curl", "{}", "docker.io/curlimages/curl:latest", (100, 101, [101])),
        (
            "registry.example/shop/worker:1.0",
            "{runAsUser: 7, runAsGroup: 8, fsGroup: 9, supplementalGroups: [3]}",
            "registry.example/shop/worker:1.0",
            (7, 8, [3, 8, 9]),
        ),
    ],
)
def test_the_status_tells_an_image_by_its_full_name_and_as_whom_it_runs(
    town: Any, image: str, context: str, shown: str, user: tuple[int, int, list[int]]
) -> None:
    command = "command: [sh, -c, sleep 600]"
    town.pod(
        f"{{securityContext: {context}, containers: [{{name: c, image: '{image}', {command}}}]}}"
    )
    town.run(0.3)
    before = town.status()["containerStatuses"][0]
    assert (before["image"], "user" in before) == (image, False)
    town.run(30)
    (status,) = town.status()["containerStatuses"]
    uid, gid, groups = user
    assert status["image"] == shown
    assert status["user"] == {"linux": {"uid": uid, "gid": gid, "supplementalGroups": groups}}


def test_a_pod_has_a_limit_of_memory_when_all_of_its_containers_have(town: Any) -> None:
    one = "image: registry.example/shop/worker:1.0, resources: {limits: {memory: 64Mi, cpu: 100m}}"
    other = "image: registry.example/shop/worker:1.0, resources: {limits: {cpu: 50m}}"
    town.pod(f"{{containers: [{{name: a, {one}}}, {{name: b, {one}}}]}}", "all", 5)
    town.pod(f"{{containers: [{{name: a, {one}}}, {{name: b, {other}}}]}}", "some", 5)
    assert town.status("all")["resources"]["limits"] == {"cpu": "200m", "memory": "128Mi"}
    assert town.status("some")["resources"]["limits"] == {"cpu": "150m"}
