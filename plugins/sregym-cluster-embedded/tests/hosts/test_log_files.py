"""Logs of containers as files on their node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.world import World


def test_a_command_reads_a_log_once_however_often_it_looks_its_path_up(
    world: World, on_host: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    container = {"name": "c", "image": "nginx:1.25"}
    metadata = {"name": "web", "namespace": "default"}
    spec = {"nodeName": "node1", "containers": [container]}
    internal_client.create(world, "pods", {"metadata": metadata, "spec": spec})
    world.run_until(world.now + 60.0)
    runtime = world.service(RUNTIME)
    real, read = type(runtime).logs, []

    def logs(self: Any, world: World, ref: Any, *rest: Any, **more: Any) -> Any:
        read.append(ref.pod)
        return real(self, world, ref, *rest, **more)

    monkeypatch.setattr(type(runtime), "logs", logs)
    done = on_host("cat /var/log/containers/web_default_c-*")
    assert "start worker process" in done.stdout
    assert read == ["web"]
