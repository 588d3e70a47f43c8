"""A cluster served over HTTP, with a short way to run the kubectl binary on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.kubectl import CommandResult
from sregym_cluster_embedded.kubectl.fallback import run_binary

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/shop/web:1.0
        readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
"""
TOOLBOX = """
apiVersion: v1
kind: Pod
metadata: {name: box, labels: {app: box}}
spec: {containers: [{name: box, image: "registry.example/shop/worker:1.0"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: flaky}
spec:
  containers:
  - name: flaky
    image: registry.example/shop/flaky:1.0
    env: [{name: AFTER, value: "600"}]
"""

# By now the process of `flaky` has ended once and has been started again.
SETTLED_S = 640


class Served:
    """A cluster behind an endpoint."""

    def __init__(self, live: LiveWorld, endpoint: ApiEndpoint, folder: Path) -> None:
        self.live = live
        self.endpoint = endpoint
        self.folder = folder
        self.kubeconfig = write_kubeconfig(folder / "config", endpoint.url, namespace="shop")

    def kubectl(self, *argv: str, stdin: str = "") -> CommandResult:
        return run_binary(self.kubeconfig, argv, stdin, self.folder, timeout_s=60)

    def out(self, *argv: str, stdin: str = "") -> str:
        """Standard output of a command that must succeed with nothing on standard error."""
        done = self.kubectl(*argv, stdin=stdin)
        assert (done.exit_code, done.stderr) == (0, ""), done
        return done.stdout

    def start(self, *argv: str, **environment: str) -> subprocess.Popen[str]:
        """A command that goes on."""
        return subprocess.Popen(
            ["kubectl", *argv],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"KUBECONFIG": str(self.kubeconfig)} | environment,
        )


@pytest.fixture(scope="module")
def served(
    make_shop: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    shop = make_shop(epoch=int(time.time()) - SETTLED_S - 20)
    shop.apply(TOOLBOX)
    shop.run(SETTLED_S)
    live = LiveWorld(shop.world, Stepped(request_cost_s=0.01))
    with ApiEndpoint(live) as endpoint:
        yield Served(live, endpoint, tmp_path_factory.mktemp("served"))
