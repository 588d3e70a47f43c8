"""Containers of pods as targets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.metrics.exposition import Part, Target
from sregym_cluster_embedded.telemetry.metrics.naming import workload_of
from sregym_cluster_embedded.telemetry.metrics.work import end_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.exposition import Row
    from sregym_cluster_embedded.telemetry.metrics.view import Pod, View


class Scraped(NamedTuple):
    """What a target in a pod is about.

    Attributes:
        pod: The pod.
        instances: All instances of the container, oldest first.
    """

    pod: Pod
    instances: tuple[ContainerInstance, ...]


def container_targets(
    view: View,
    exporter: object,
    wanted: Callable[[ContainerInstance], bool],
    port: Callable[[ContainerInstance], int],
    job: str = "",
    *,
    beside: bool = False,
) -> list[Target]:
    """A target for each container of which an instance is wanted.

    Args:
        view: The cluster.
        exporter: The exporter of the targets.
        wanted: Which instances.
        port: Where it is scraped.
        job: The job; by default the workload's name.
        beside: Whether an exporter beside it answers, as long as the pod is there.
    """
    found = []
    for uid, members in view.instances_by_pod.items():
        pod = view.pods[uid]
        found.extend(
            view.remembered(
                ("targets", exporter, uid),
                (pod, members),
                partial(_of_pod, pod, members, wanted, port, job, beside=beside),
                shared=True,
            )
        )
    return found


def _of_pod(
    pod: Pod,
    members: Sequence[ContainerInstance],
    wanted: Callable[[ContainerInstance], bool],
    port: Callable[[ContainerInstance], int],
    job: str,
    *,
    beside: bool,
) -> list[Target]:
    found = []
    for name in dict.fromkeys(container.ref.name for container in members):
        own = tuple(container for container in members if container.ref.name == name)
        if any(wanted(container) for container in own):
            found.append(_target(Scraped(pod, own), port(own[-1]), job, beside=beside))
    return found


def _target(scraped: Scraped, port: int, job: str, *, beside: bool) -> Target:
    pod, instances = scraped
    last = instances[-1].process
    workload = workload_of(pod)
    instance = f"{last.config.pod_ip}:{port}"
    labels = (
        ("job", job or workload),
        ("instance", instance),
        ("namespace", pod.namespace),
        ("pod", pod.name),
        ("container", last.ref.name),
        ("service", workload),
        ("node", last.config.node),
    )
    since = instances[0].process.started_at
    serving = tuple(
        (container.process.served_at, end_of(container))
        for container in instances
        if container.process.served_at is not None
    )
    answers = ((since, pod.until),) if beside else serving
    url = f"http://{instance}/metrics"
    return Target(job or workload, url, labels, scraped, since, pod.until, answers=answers)


def by_instance(
    target: Target,
    rows: Callable[[ContainerInstance], Iterable[Row]],
    *more: Callable[[ContainerInstance], object],
) -> Iterator[Part]:
    """The parts of a container whose rows are those of its instances, one by one.

    Args:
        target: The container.
        rows: Of one instance that served.
        more: What rows of an instance depend on besides the instance.
    """
    scraped = target.subject
    assert isinstance(scraped, Scraped)
    for container in scraped.instances:
        if container.process.served_at is not None:
            basis = (container, *(of(container) for of in more))
            yield Part(
                container.ref,
                basis,
                (),
                container.process.served_at,
                end_of(container),
                partial(rows, container),
            )
