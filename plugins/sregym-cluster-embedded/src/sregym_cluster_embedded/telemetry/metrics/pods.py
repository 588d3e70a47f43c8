"""Containers of pods as targets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.metrics.exposition import Part, Target
from sregym_cluster_embedded.telemetry.metrics.naming import workload_of
from sregym_cluster_embedded.telemetry.metrics.work import end_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sregym_cluster_embedded.telemetry.container_instances import Life
    from sregym_cluster_embedded.telemetry.metrics.exposition import Row
    from sregym_cluster_embedded.telemetry.metrics.view import Pod, View


class Scraped(NamedTuple):
    """What a target in a pod is about.

    Attributes:
        pod: The pod.
        lives: All lives of the container, oldest first.
    """

    pod: Pod
    lives: tuple[Life, ...]


def container_targets(
    view: View,
    exporter: object,
    wanted: Callable[[Life], bool],
    port: Callable[[Life], int],
    job: str = "",
    *,
    beside: bool = False,
) -> list[Target]:
    """A target for each container of which a life is wanted.

    Args:
        view: The cluster.
        exporter: Whose targets.
        wanted: Which lives.
        port: Where it is scraped.
        job: The job; by default the workload's name.
        beside: Whether an exporter beside it answers, as long as the pod is there.
    """
    found = []
    for uid, members in view.lives_by_pod.items():
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
    members: Sequence[Life],
    wanted: Callable[[Life], bool],
    port: Callable[[Life], int],
    job: str,
    *,
    beside: bool,
) -> list[Target]:
    found = []
    for name in dict.fromkeys(life.ref.name for life in members):
        own = tuple(life for life in members if life.ref.name == name)
        if any(wanted(life) for life in own):
            found.append(_target(Scraped(pod, own), port(own[-1]), job, beside=beside))
    return found


def _target(scraped: Scraped, port: int, job: str, *, beside: bool) -> Target:
    pod, lives = scraped
    last = lives[-1].process
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
    since = lives[0].process.started_at
    serving = tuple(
        (life.process.served_at, end_of(life))
        for life in lives
        if life.process.served_at is not None
    )
    answers = ((since, pod.until),) if beside else serving
    url = f"http://{instance}/metrics"
    return Target(job or workload, url, labels, scraped, since, pod.until, answers=answers)


def by_life(
    target: Target, rows: Callable[[Life], Iterable[Row]], *more: Callable[[Life], object]
) -> Iterator[Part]:
    """The parts of a container whose rows are those of its lives, one by one.

    Args:
        target: The container.
        rows: Of one life that served.
        more: What rows of a life depend on besides the life.
    """
    scraped = target.subject
    assert isinstance(scraped, Scraped)
    for life in scraped.lives:
        if life.process.served_at is not None:
            basis = (life, *(of(life) for of in more))
            yield Part(
                life.ref, basis, (), life.process.served_at, end_of(life), partial(rows, life)
            )
