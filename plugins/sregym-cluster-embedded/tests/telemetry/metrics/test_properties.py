"""What holds of all metrics whatever happens: at random moments, after random changes, on forks."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.metrics.describing import metadata
from sregym_cluster_embedded.telemetry.object_history import Past
from sregym_cluster_embedded.userland.kinds import with_in_tree
from sregym_promql import StoredSeries, is_stale

KINDS = {
    name + suffix: entries[0]["type"]
    for name, entries in metadata(Catalogue(with_in_tree())).items()
    for suffix in (("_bucket", "_sum", "_count") if entries[0]["type"] == "histogram" else ("",))
}
# Kinds of objects outlive a pod by up to a scrape; all else ends with it.
POD_LABELS = ("pod", "k8s_pod_name")


def something_happens(booth: Any, chance: random.Random) -> None:
    """A change that people make, or a pod that goes."""
    name = chance.choice(("web", "stock", "mongodb", "broker", "book"))
    what = chance.choice(("replicas", "limit", "pod", "service"))

    def edit(obj: dict[str, Any]) -> None:
        if what == "replicas":
            obj["spec"]["replicas"] = chance.choice((0, 1, 3))
        else:
            limits = {"cpu": chance.choice(("10m", "30m", "2"))}
            obj["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": limits}

    if what == "pod":
        for pod in booth.pods(name)[:1]:
            booth.delete("pods", pod)
    elif what == "service" and name in ("web", "stock"):
        booth.edit("Service", name, lambda obj: obj["spec"]["selector"].update({"app": "none"}))
    else:
        booth.edit("Deployment", name, edit)


def plain(series: list[StoredSeries]) -> list[tuple[Any, ...]]:
    return [(one.labels, one.times.tolist(), one.values.view(np.uint64).tolist()) for one in series]


def odd_values(booth: Any, name: str, ends: dict[str, float]) -> list[str]:
    """What cannot be of the series of a metric."""
    found = []
    histograms: dict[Any, dict[float, Any]] = defaultdict(dict)
    for one in booth.series(name):
        labels = dict(one.labels)
        there = ~is_stale(one.values)
        values = one.values[there]
        if not np.isfinite(values).all() or (np.diff(one.times) <= 0).any():
            found.append(f"not a number, or out of order: {labels}")
        if (values < 0).any() and name != "node_timex_offset_seconds":
            found.append(f"below 0: {labels}")
        pod = next((labels[label] for label in POD_LABELS if label in labels), "")
        instances = sum(instance.ref.pod == pod for instance in booth.all_instances())
        if KINDS[name] in ("counter", "histogram"):
            resets = int((np.diff(values) < -1e-9).sum())
            if resets > max(0, instances - 1):
                found.append(f"goes back {resets} times in {instances} lives: {labels}")
        if pod in ends and there.any():
            last = one.times[there][-1] / 1000 - booth.world.epoch
            if last > ends[pod]:
                found.append(f"{last - ends[pod]:.1f} s after its pod: {labels}")
        if name.endswith("_bucket"):
            key = tuple(pair for pair in one.labels if pair[0] != "le")
            histograms[key][float(labels["le"].replace("+Inf", "inf"))] = values
    for key, buckets in histograms.items():
        rows = [buckets[bound] for bound in sorted(buckets)]
        if any(len(row) != len(rows[0]) for row in rows) or (np.diff(rows, axis=0) < 0).any():
            found.append(f"a bucket holds more than the next: {key}")
    return found


@pytest.mark.parametrize("seed", range(2))
def test_metrics_are_possible_whatever_happens(booth: Any, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(4):
        something_happens(booth, chance)
        booth.run(chance.uniform(3, 70))
    ends = {
        line.key.name: line.versions[-1].since
        for line in Past(booth.world).of("pods")
        if line.versions[-1].obj is None
    }
    assert {name: odd for name in KINDS if (odd := odd_values(booth, name, ends))} == {}
    # Whoever asks, in whatever order, on whatever copy.
    names = chance.sample(sorted(KINDS), 40)
    first = {name: plain(booth.series(name)) for name in names}
    other = type(booth)(booth.world.fork(seed=chance.randrange(1000)))
    chance.shuffle(names)
    assert {name: plain(other.series(name)) for name in names} == first


@pytest.mark.parametrize("seed", range(2))
def test_nobody_has_more_than_there_is(booth: Any, seed: int) -> None:
    chance = random.Random(100 + seed)
    for _ in range(3):
        something_happens(booth, chance)
        booth.run(chance.uniform(20, 70))
    booth.run(75)
    of = "(namespace, pod, container)"
    used = f"max by {of} (rate(container_cpu_usage_seconds_total{{container!=''}}[1m]))"
    limit = f"max by {of} (kube_pod_container_resource_limits{{resource='cpu'}})"
    assert all(share <= 1.0001 for share in booth.ask(f"{used} / {limit}").values())
    held = f"max by {of} (container_memory_working_set_bytes{{container!=''}})"
    limit = f"max by {of} (kube_pod_container_resource_limits{{resource='memory'}})"
    assert all(share <= 1 for share in booth.ask(f"{held} / {limit}").values())
    # A second of a processor is idle or not.
    whole = booth.ask("sum by (instance, cpu) (rate(node_cpu_seconds_total[1m]))")
    assert list(whole.values()) == [pytest.approx(1.0, abs=1e-6)] * len(whole)
    busy = booth.ask('sum(rate(node_cpu_seconds_total{mode!="idle"}[1m]))')[()]
    assert busy > booth.ask("sum(rate(container_cpu_usage_seconds_total{container!=''}[1m]))")[()]


def test_the_pod_of_a_container_is_deleted_as_it_should_be(booth: Any) -> None:
    """The check above sees what it is to see: a pod that has gone has series that have ended."""
    (gone, _) = booth.pods("web")
    booth.delete("pods", gone)
    booth.run(60)
    line = Past(booth.world).one(Key("pods", "booth", gone))
    early = {gone: line.versions[-1].since - 60}
    assert odd_values(booth, "container_cpu_usage_seconds_total", early)
