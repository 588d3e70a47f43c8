"""`/apis/metrics.k8s.io` over HTTP: nodes and pods with what they use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors, media, resource_metrics, selectors
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.api.resource import Resource
from sregym_cluster_embedded.api.resource_metrics import GROUP, VERSION
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.media import Form
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.resource_metrics import ContainerUse, PodMetrics
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

PREFIX = f"/apis/{GROUP}/"
_WINDOW_S = 15.0
_READ = ("get", "list")
NODES = Resource("nodes", "NodeMetrics", False, "", GROUP, VERSION, verbs=_READ, storage=None)
PODS = Resource("pods", "PodMetrics", True, "", GROUP, VERSION, verbs=_READ, storage=None)
_COLUMNS = (("Name", "string"), ("cpu", "string"), ("memory", "string"), ("Window", "string"))


def served(world: World) -> list[Resource]:
    """The types of the API, when the cluster has it."""
    return [NODES, PODS] if resource_metrics.state(world) != "missing" else []


def answer(world: World, request: Request) -> Response | None:
    """Answer a request below `PREFIX`; None leaves it to discovery and its 404."""
    state = resource_metrics.state(world)
    if state == "missing":
        return None
    if state == "down":
        return Response(503, b"service unavailable\n", "text/plain; charset=utf-8")
    parts = request.path.removeprefix(PREFIX).strip("/").split("/")
    if parts[0] != VERSION or len(parts) < 2:
        return None
    if request.method not in ("GET", "HEAD"):
        raise errors.method_not_allowed()
    form = media.negotiate(request.headers.get("accept", ""))
    match parts[1:]:
        case ["nodes"]:
            return _list("NodeMetrics", _nodes(world, request), form)
        case ["nodes", name]:
            return encode(_node(world, name), form)
        case ["pods"]:
            return _list("PodMetrics", _pods(world, request, None), form)
        case ["namespaces", namespace, "pods"]:
            return _list("PodMetrics", _pods(world, request, namespace), form)
        case ["namespaces", namespace, "pods", name]:
            return encode(_pod(world, namespace, name), form)
    raise errors.no_such_resource()


def _nodes(world: World, request: Request) -> list[Object]:
    wanted = selectors.parse_labels(request.parameter("labelSelector"))
    return [
        _node_metrics(world, node)
        for node in world.store.list("nodes", "")
        if selectors.labels_match(wanted, node["metadata"].get("labels") or {}) and _reporting(node)
    ]


def _node(world: World, name: str) -> Object:
    node = world.store.get(Key("nodes", "", name))
    if node is None or not _reporting(node):
        raise errors.ApiError(404, "NotFound", f'nodemetrics.{GROUP} "{name}" not found', {})
    return {"kind": "NodeMetrics", "apiVersion": f"{GROUP}/{VERSION}", **_node_metrics(world, node)}


def _pods(world: World, request: Request, namespace: str | None) -> list[Object]:
    wanted = selectors.parse_labels(request.parameter("labelSelector"))
    return [
        _pod_metrics(world, metrics)
        for metrics in resource_metrics.pods(world, namespace)
        if selectors.labels_match(wanted, metrics.pod["metadata"].get("labels") or {})
    ]


def _pod(world: World, namespace: str, name: str) -> Object:
    pod = world.store.get(Key("pods", namespace, name))
    metrics = resource_metrics.of_pod(world, pod) if pod is not None else None
    if metrics is None:
        place = f"{namespace}/{name}"
        raise errors.ApiError(404, "NotFound", f'podmetrics.{GROUP} "{place}" not found', {})
    return {
        "kind": "PodMetrics",
        "apiVersion": f"{GROUP}/{VERSION}",
        **_pod_metrics(world, metrics),
    }


def _reporting(node: Object) -> bool:
    return any(
        entry["type"] == "Ready" and entry["status"] == "True"
        for entry in node.get("status", {}).get("conditions", ())
    )


def _list(kind: str, items: Sequence[Object], form: Form) -> Response:
    if form.kind == "Table":
        return encode(_table(items), form)
    head: dict[str, Any] = {"kind": f"{kind}List", "apiVersion": f"{GROUP}/{VERSION}"}
    return encode({**head, "metadata": {}, "items": list(items)}, form)


def _table(items: Sequence[Object]) -> Object:
    rows = []
    for item in items:
        used = item.get("usage") or _sum(item["containers"])
        cells = [item["metadata"]["name"], used["cpu"], used["memory"], item["window"]]
        partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
        rows.append({"cells": cells, "object": {**partial, "metadata": item["metadata"]}})
    columns = [
        {
            "name": name,
            "type": kind,
            "format": "name" if name == "Name" else "",
            "description": "",
            "priority": 0,
        }
        for name, kind in _COLUMNS
    ]
    head: dict[str, Any] = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {}}
    return {**head, "columnDefinitions": columns, "rows": rows}


def _sum(containers: Sequence[Object]) -> dict[str, str]:
    cpu = sum(int(entry["usage"]["cpu"].rstrip("n")) for entry in containers)
    memory = sum(int(entry["usage"]["memory"].removesuffix("Ki")) for entry in containers)
    return {"cpu": f"{-(-cpu // 1_000_000)}m", "memory": f"{memory}Ki"}


def _node_metrics(world: World, node: Object) -> Object:
    metadata = node["metadata"]
    cpu, memory = resource_metrics.node_use(world, metadata["name"])
    return {
        "metadata": _metadata(world, metadata),
        **_window(world, metadata["name"]),
        "usage": _usage(cpu, memory),
    }


def _pod_metrics(world: World, metrics: PodMetrics) -> Object:
    metadata = metrics.pod["metadata"]
    return {
        "metadata": _metadata(world, metadata),
        **_window(world, metadata["uid"]),
        "containers": [_container(entry) for entry in metrics.containers],
    }


def _metadata(world: World, given: Object) -> Object:
    kept: Object = {"name": given["name"]}
    if given.get("namespace"):
        kept["namespace"] = given["namespace"]
    kept["creationTimestamp"] = world.timestamp()
    if given.get("labels"):
        kept["labels"] = given["labels"]
    return kept


def _window(world: World, purpose: str) -> Object:
    at = resource_metrics.scraped_at(world)
    # Two scrapes of one node are never exactly a period apart.
    length_s = _WINDOW_S + round(world.seed.fraction("window", purpose, at) * 2 - 1, 3)
    return {"timestamp": world.timestamp(at), "window": f"{length_s:.3f}s"}


def _container(used: ContainerUse) -> Object:
    return {"name": used.name, "usage": _usage(used.cpu_nanocores, used.memory_bytes)}


def _usage(cpu_nanocores: int, memory_bytes: int) -> dict[str, str]:
    return {"cpu": f"{cpu_nanocores}n", "memory": f"{memory_bytes // 1024}Ki"}
