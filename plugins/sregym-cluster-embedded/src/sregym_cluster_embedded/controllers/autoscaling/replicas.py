"""From what pods use to how many there should be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import resource_metrics
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.controllers.pods import condition, selects
from sregym_cluster_embedded.controllers.times import seconds_since

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource_metrics import PodMetrics
    from sregym_cluster_embedded.controllers.autoscaling.targets import Scale
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_CPU_START_S = 300.0
_FIRST_READINESS_S = 30.0
_DEFAULT_TOLERANCE = 0.1


class MetricError(Exception):
    """A metric cannot be had; the message is the controller's."""


class Tolerances(NamedTuple):
    """How far usage may be from its target before anything is done, as fractions."""

    up: float = _DEFAULT_TOLERANCE
    down: float = _DEFAULT_TOLERANCE

    def within(self, ratio: float) -> bool:
        """Whether a ratio of usage to target is good enough."""
        return 1.0 - self.down <= ratio <= 1.0 + self.up


class Proposal(NamedTuple):
    """What one metric says.

    Attributes:
        replicas: How many pods.
        utilization: Percent of the request; None for plain values.
        average: Mean over the pods, in thousandths.
    """

    replicas: int
    utilization: int | None
    average: int


class _Groups(NamedTuple):
    """Pods by what their metrics are good for: names; `used` in thousandths."""

    ready: int
    unready: list[str]
    missing: list[str]
    used: dict[str, int]


def resource_replicas(
    world: World,
    scale: Scale,
    resource: str,
    container: str,
    utilization: int | None,
    value_milli: int,
    tolerances: Tolerances,
) -> Proposal:
    """How many replicas bring the mean use of a resource to its target.

    Args:
        world: The cluster.
        scale: The workload.
        resource: `cpu` or `memory`.
        container: Only this container of the pods; all when empty.
        utilization: Target in percent of the requests; None: `value_milli` is the target.
        value_milli: Target for each pod in thousandths.
        tolerances: Of the autoscaler.

    Raises:
        MetricError: No metrics, no pods, or no requests.
    """
    metrics = _metrics(world, scale, resource, container)
    pods = _pods(world, scale)
    if not pods:
        raise MetricError("no pods returned by selector while calculating replica count")
    groups = _grouped(world, pods, metrics, resource)
    if not groups.used:
        raise MetricError("did not receive metrics for targeted pods (pods might be unready)")
    requests: dict[str, int] = {}
    if utilization is not None:
        requests = {_name(pod): _request(pod, resource, container) for pod in pods}
    wanted = utilization if utilization is not None else value_milli
    ratio = _ratio(groups.used, requests, wanted)
    average = sum(groups.used.values()) // len(groups.used)
    percent = None
    if utilization is not None:
        asked = sum(requests[name] for name in groups.used)
        percent = sum(groups.used.values()) * 100 // asked
    replicas = _replicas(scale, groups, requests, wanted, ratio, tolerances)
    return Proposal(replicas, percent, average)


def _replicas(
    scale: Scale,
    groups: _Groups,
    requests: dict[str, int],
    wanted: int,
    ratio: float,
    tolerances: Tolerances,
) -> int:
    current = scale.spec_replicas
    rising = bool(groups.unready) and ratio > 1.0
    if not rising and not groups.missing:
        return current if tolerances.within(ratio) else math.ceil(ratio * groups.ready)
    used = dict(groups.used)
    for name in groups.missing:
        if ratio < 1.0:
            # Pods without metrics are taken to use what they asked for.
            used[name] = requests[name] * max(100, wanted) // 100 if requests else wanted
        elif ratio > 1.0:
            used[name] = 0
    if rising:
        used |= dict.fromkeys(groups.unready, 0)
    again = _ratio(used, requests, wanted)
    turned = (ratio < 1.0 < again) or (again < 1.0 < ratio)
    if tolerances.within(again) or turned:
        return current
    replicas = math.ceil(again * len(used))
    if (again < 1.0 and replicas > current) or (again > 1.0 and replicas < current):
        return current
    return replicas


def _ratio(used: dict[str, int], requests: dict[str, int], wanted: int) -> float:
    if requests:
        asked = sum(requests[name] for name in used if name in requests)
        if not asked:
            raise MetricError("no metrics returned matched known pods")
        return (sum(used.values()) * 100 // asked) / wanted
    return sum(used.values()) / len(used) / wanted


def _metrics(world: World, scale: Scale, resource: str, container: str) -> dict[str, int]:
    head = f"unable to get metrics for resource {resource}: "
    state = resource_metrics.state(world)
    if state != "up":
        why = "could not find the requested resource"
        if state == "down":
            why = "is currently unable to handle the request"
        why = f"the server {why} (get pods.metrics.k8s.io)"
        raise MetricError(f"{head}unable to fetch metrics from resource metrics API: {why}")
    found: dict[str, int] = {}
    seen = 0
    for pod in _pods(world, scale):
        metrics = resource_metrics.of_pod(world, pod)
        if metrics is not None:
            seen += 1
            value = _value(metrics, resource, container)
            if value is not None:
                found[_name(pod)] = value
    if not seen:
        raise MetricError(f"{head}no metrics returned from resource metrics API")
    if not found and container:
        raise MetricError(
            f"{head}container {container} not present in metrics for pod "
            f"{scale.key.namespace}/{_name(_pods(world, scale)[0])}"
        )
    return found


def _value(metrics: PodMetrics, resource: str, container: str) -> int | None:
    used = [entry for entry in metrics.containers if not container or entry.name == container]
    if not used:
        return None
    if resource == "cpu":
        return sum(-(-entry.cpu_nanocores // 1_000_000) for entry in used)
    return sum(entry.memory_bytes for entry in used) * 1000


def _pods(world: World, scale: Scale) -> list[Object]:
    selector = scale.selector or {}
    namespace = scale.key.namespace
    exact = next(iter((selector.get("matchLabels") or {}).items()), None)
    if exact is not None:
        value = f"{namespace}/{exact[0]}={exact[1]}"
        candidates = list(world.store.indexed("pods", "label", value))
        candidates.sort(key=_name)
    else:
        candidates = world.store.list("pods", namespace)
    return [pod for pod in candidates if selects(selector, pod["metadata"].get("labels") or {})]


def _grouped(world: World, pods: list[Object], metrics: dict[str, int], resource: str) -> _Groups:
    ready = 0
    unready: list[str] = []
    missing: list[str] = []
    used = dict(metrics)
    for pod in pods:
        name = _name(pod)
        phase = pod["status"].get("phase")
        if "deletionTimestamp" in pod["metadata"] or phase == "Failed":
            used.pop(name, None)
        elif phase == "Pending":
            unready.append(name)
            used.pop(name, None)
        elif name not in metrics:
            missing.append(name)
        elif resource == "cpu" and _still_starting(world, pod):
            unready.append(name)
            used.pop(name, None)
        else:
            ready += 1
    return _Groups(ready, unready, missing, used)


def _still_starting(world: World, pod: Object) -> bool:
    """Whether what a pod uses of processors says nothing yet about its load."""
    entry = condition(pod, "Ready")
    started = pod["status"].get("startTime")
    if entry is None or not started:
        return True
    age_s = seconds_since(world, started)
    ready_for_s = seconds_since(world, entry.get("lastTransitionTime"))
    if age_s < _CPU_START_S:
        at = resource_metrics.scraped_at(world)
        fresh = world.now - ready_for_s + resource_metrics.RESOLUTION_S > at
        return bool(entry["status"] == "False") or fresh
    return bool(entry["status"] == "False" and age_s - ready_for_s < _FIRST_READINESS_S)


def _request(pod: Object, resource: str, container: str) -> int:
    whole = (pod["spec"].get("resources") or {}).get("requests") or {}
    if resource in whole and not container:
        return int(parse(whole[resource]) * 1000)
    total = 0
    sidecars = [
        entry
        for entry in pod["spec"].get("initContainers") or ()
        if entry.get("restartPolicy") == "Always"
    ]
    for entry in (*pod["spec"]["containers"], *sidecars):
        if container and entry["name"] != container:
            continue
        asked = (entry.get("resources") or {}).get("requests") or {}
        if resource not in asked:
            raise MetricError(
                f"missing request for {resource} in container {entry['name']} of Pod {_name(pod)}"
            )
        total += int(parse(asked[resource]) * 1000)
    return total


def _name(pod: Object) -> str:
    name: str = pod["metadata"]["name"]
    return name
