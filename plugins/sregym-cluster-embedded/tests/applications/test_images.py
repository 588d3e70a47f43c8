"""The registry answers, and a container starts or says why not."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState

CREATE = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: "
    "runc create failed: unable to start container process: "
)


@pytest.mark.parametrize(
    ("image", "error"),
    [
        (
            "ghcr.io/acme/shop:9.9",
            'rpc error: code = NotFound desc = failed to pull and unpack image "ghcr.io/acme/shop:9.9": '
            'failed to resolve reference "ghcr.io/acme/shop:9.9": ghcr.io/acme/shop:9.9: not found',
        ),
        (
            "mongo:4.4.66",
            "rpc error: code = NotFound desc = failed to pull and unpack image "
            '"docker.io/library/mongo:4.4.66": failed to resolve reference '
            '"docker.io/library/mongo:4.4.66": docker.io/library/mongo:4.4.66: not found',
        ),
        (
            "mongoo:4.4.6",
            'failed to pull and unpack image "docker.io/library/mongoo:4.4.6": failed to resolve reference '
            '"docker.io/library/mongoo:4.4.6": pull access denied, repository does not exist or may require '
            "authorization: server message: insufficient_scope: authorization failed",
        ),
        (
            "nowhere.invalid/shop:1.0",
            'failed to pull and unpack image "nowhere.invalid/shop:1.0": failed to resolve reference '
            '"nowhere.invalid/shop:1.0": failed to do request: Head '
            '"https://nowhere.invalid/v2/shop/manifests/1.0": dial tcp: lookup nowhere.invalid on 10.77.0.1:53: no such host',
        ),
    ],
)
def test_what_a_registry_does_not_have_cannot_be_pulled(shop: Any, image: str, error: str) -> None:
    pulled = shop.runtime.pull(shop.world, "node1", image)
    assert (pulled.found, pulled.error) == (False, error)


def test_a_known_tag_is_pulled_with_its_size(shop: Any) -> None:
    pulled = shop.runtime.pull(shop.world, "node1", "mongo:4.4.6")
    assert (pulled.found, pulled.size_bytes) == (True, 160 * 1024 * 1024)
    assert pulled.image_id.startswith("docker.io/library/mongo@sha256:")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"command": ("serve",)}, 'exec: "serve": executable file not found in $PATH'),
        (
            {"command": ("/bin/serve", "--port=8080")},
            'exec: "/bin/serve": stat /bin/serve: no such file or directory',
        ),
        ({"command": ("/etc/passwd",)}, 'exec: "/etc/passwd": permission denied'),
        (
            {"command": ("/etc/passwd/x",)},
            'exec: "/etc/passwd/x": stat /etc/passwd/x: not a directory',
        ),
        (
            {"command": ("web",), "working_dir": "/etc/passwd"},
            "error during container init: mkdir /etc/passwd: not a directory",
        ),
    ],
)
def test_a_command_that_cannot_run_is_a_start_error(
    shop: Any, fields: dict[str, Any], reason: str
) -> None:
    failed = shop.start("web", "ghcr.io/acme/shop:1.0", "4", **fields)
    assert failed == ExitState(128, "StartError", f"{CREATE}{reason}: unknown")


def test_another_command_of_an_image_is_another_program(shop: Any) -> None:
    shop.name("price", "3")
    assert shop.start("price", "ghcr.io/acme/shop:1.0", "3", command=("price",)) is None
    shop.run(1)
    assert [shop.runtime.listening(shop.world, "3", port) for port in (8082, 8080)] == [True, False]


def test_small_images_behave_as_described(shop: Any) -> None:
    shop.start("flaky", "registry.example/shop/flaky:1.0", "7", env={"CODE": "3", "AFTER": "2"})
    shop.start("worker", "registry.example/shop/worker:1.0", "8", env={"INTERVAL": "2"})
    shop.start("mem", "registry.example/shop/mem:1.0", "9", memory_limit_bytes=32 * 2**20)
    shop.run(5)
    assert shop.texts("flaky") == ["flaky: started", "flaky: fatal: giving up with code 3"]
    assert shop.ended("flaky") == ExitState(3, "Error")
    assert shop.texts("worker") == [
        "worker: started, interval 2s",
        *(f"worker: tick {n}" for n in (1, 2, 3)),
    ]
    assert shop.ended("mem") == ExitState(137, "OOMKilled")
    assert shop.texts("mem") == ["mem: allocating 64 MiB", "mem: 16 MiB"]
