"""A served cluster, and the clients of the folder that SREGYM_CLIENT_LAYERS names."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from sregym_apps.model import ServiceModel, parse_service_model
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint

LAYERS = "SREGYM_CLIENT_LAYERS"
WHY = f"needs clients that are fetched: run `tox -e clients` ({LAYERS} names no folder with them)"


IMAGES = Path(__file__).resolve().parents[1] / "conformance" / "images.yaml"


class Done(NamedTuple):
    """What a client gave back."""

    code: int
    out: str
    err: str


class Served:
    """A cluster on loopback, and a way to run clients on it."""

    def __init__(self, endpoint: ApiEndpoint, folder: Path) -> None:
        self.folder = folder
        self.url = endpoint.url
        self.kubeconfig = write_kubeconfig(folder / "config", endpoint.url)

    def run(self, binary: Path, *argv: str, stdin: str = "") -> Done:
        """Run a client to its end."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "KUBECONFIG": str(self.kubeconfig),
        }
        done = subprocess.run(
            [binary, *argv], input=stdin, capture_output=True, text=True, cwd=self.folder,
            env=environment, timeout=60, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)


def _images() -> ServiceModel:
    """How the images of the recordings behave."""
    return parse_service_model(IMAGES.read_text(encoding="utf-8"), IMAGES.name)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    world = build(Blueprint(models=(_images(),), seed=11, epoch=int(time.time()) - 120))
    world.run_until(110)
    with ApiEndpoint(LiveWorld(world, Stepped(0.01, 20.0))) as endpoint:
        yield Served(endpoint, tmp_path_factory.mktemp("clients"))


@pytest.fixture(scope="session")
def layers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By minor (`1.35`): the folder with the `kubectl` and `helm` of that layer."""
    folder = os.environ.get(LAYERS)
    archives = sorted(Path(folder).rglob("lambda-layer-kubectl-v*.jsii.tgz")) if folder else []
    if not archives:
        pytest.skip(WHY)
    found = {}
    for archive in archives:
        minor = "1." + archive.name.partition("-v")[2].partition("@")[0]
        target = tmp_path_factory.mktemp(f"layer-{minor}")
        with tarfile.open(archive) as outer:
            inner = outer.extractfile("package/lib/layer.zip")
            assert inner is not None
            with zipfile.ZipFile(io.BytesIO(inner.read())) as layer:
                layer.extractall(target)
        for name in ("kubectl", "helm"):
            (target / name / name).chmod(0o755)
        found[minor] = target
    return found


@pytest.fixture(autouse=True)
def _sockets_of_libraries() -> Iterator[None]:
    """Libraries leave their sockets to the garbage collector: it runs while that is allowed."""
    yield
    gc.collect()
