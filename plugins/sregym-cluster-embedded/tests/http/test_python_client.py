"""The official Python client against the endpoint."""

from __future__ import annotations

import gc
import importlib
from pathlib import Path
from typing import Any

import pytest

kubernetes = pytest.importorskip("kubernetes")

# The client leaves sockets of streams and watches to the garbage collector, which the fixture `api`
# calls before the test is over: later tests would be blamed for them.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def api(served: Any) -> Any:
    configuration = kubernetes.client.Configuration()
    configuration.host = served.endpoint.url
    with kubernetes.client.ApiClient(configuration) as client:
        yield client
    gc.collect()


def test_list_read_and_patch(api: Any) -> None:
    core = kubernetes.client.CoreV1Api(api)
    assert {pod.metadata.name for pod in core.list_namespaced_pod("shop").items} >= {"box", "flaky"}
    patched = core.patch_namespaced_pod("box", "shop", {"metadata": {"labels": {"x": "y"}}})
    assert patched.metadata.labels == {"app": "box", "x": "y"}
    body = {"metadata": {"name": "from-python"}, "data": {"a": "b"}}
    assert core.create_namespaced_config_map("shop", body).data == {"a": "b"}
    core.delete_namespaced_config_map("from-python", "shop")
    with pytest.raises(kubernetes.client.ApiException) as caught:
        core.read_namespaced_config_map("from-python", "shop")
    assert caught.value.status == 404


def test_scale_and_watch(api: Any) -> None:
    apps = kubernetes.client.AppsV1Api(api)
    template = {
        "metadata": {"labels": {"app": "py"}},
        "spec": {"containers": [{"name": "web", "image": "registry.example/shop/web:1.0"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "py"}}, "template": template}
    apps.create_namespaced_deployment("shop", {"metadata": {"name": "py"}, "spec": spec})
    apps.patch_namespaced_deployment_scale("py", "shop", {"spec": {"replicas": 2}})
    watch = kubernetes.watch.Watch()
    ready = 0
    for event in watch.stream(
        apps.list_namespaced_deployment,
        "shop",
        field_selector="metadata.name=py",
        timeout_seconds=15,
    ):
        ready = event["object"].status.ready_replicas or 0
        if ready == 2:
            watch.stop()
    assert ready == 2
    apps.delete_namespaced_deployment("py", "shop")


def test_logs_and_exec(api: Any) -> None:
    core = kubernetes.client.CoreV1Api(api)
    assert core.read_namespaced_pod_log("box", "shop") == "worker: started, interval 5s\n"
    said = kubernetes.stream.stream(
        core.connect_get_namespaced_pod_exec,
        "box",
        "shop",
        command=["echo", "hello"],
        stdout=True,
        stderr=True,
        stdin=False,
        tty=False,
    )
    assert said == "hello\n"
    stream = kubernetes.stream.stream(
        core.connect_get_namespaced_pod_exec,
        "box",
        "shop",
        command=["sh", "-c", "exit 3"],
        stdout=True,
        stderr=True,
        _preload_content=False,
    )
    stream.run_forever(timeout=10)
    assert stream.returncode == 3
    stream.close()


def test_the_dynamic_client(api: Any, tmp_path: Path) -> None:
    dynamic = importlib.import_module("kubernetes.dynamic")
    client = dynamic.DynamicClient(api, cache_file=str(tmp_path / "discovery"))
    maps = client.resources.get(api_version="v1", kind="ConfigMap")
    body = {"metadata": {"name": "dynamic"}, "data": {"a": "b"}}
    assert maps.create(body=body, namespace="shop").data.a == "b"
    change = {"data": {"a": None, "c": "d"}}
    kind = "application/merge-patch+json"
    patched = maps.patch(body=change, name="dynamic", namespace="shop", content_type=kind)
    assert patched.data.to_dict() == {"c": "d"}
    maps.delete(name="dynamic", namespace="shop")
    assert "dynamic" not in [item.metadata.name for item in maps.get(namespace="shop").items]


def test_a_command_that_does_not_read_ends_with_its_input_open(api: Any) -> None:
    stream = importlib.import_module("kubernetes.stream").stream
    core = kubernetes.client.CoreV1Api(api)
    told = {"stderr": True, "stdin": True, "stdout": True, "tty": False}
    opened = stream(
        core.connect_get_namespaced_pod_exec,
        "box",
        "shop",
        command=["sh", "-c", "exit 3"],
        _preload_content=False,
        **told,
    )
    opened.run_forever(timeout=30)
    ended = opened.read_stdout(), opened.returncode
    opened.close()
    assert ended == ("", 3)
