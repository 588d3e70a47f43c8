"""Metrics tell what happened: as the history of traffic does, and as kubectl does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sregym_cluster_embedded.api import resource_metrics
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.node.power import power_off, power_on
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet
from sregym_cluster_embedded.telemetry.object_history import Past
from sregym_cluster_embedded.traffic.counting import totals
from sregym_cluster_embedded.traffic.segments import SENT, segments
from sregym_promql import StoredSeries, is_stale

CALLS = "traces_span_metrics_calls_total"
BUCKET = "traces_span_metrics_duration_milliseconds_bucket"


def plain(series: list[StoredSeries]) -> list[tuple[Any, ...]]:
    """In a form that compares by value, stale marks included."""
    return [(one.labels, one.times.tolist(), one.values.view(np.uint64).tolist()) for one in series]


def last(one: StoredSeries) -> tuple[float, float]:
    """Unix second and value of the newest sample."""
    return float(one.times[-1]) / 1000, float(one.values[-1])


def break_stock(booth: Any) -> None:
    booth.edit("Service", "stock", lambda obj: obj["spec"]["selector"].update({"app": "none"}))


def test_calls_of_a_pod_are_those_that_the_history_of_traffic_counts(booth: Any) -> None:
    break_stock(booth)
    booth.run(100)
    for instance in booth.instances("web"):
        for operation, span in (("buy", "GET /buy"), ("look", "GET /look")):
            found = booth.series(
                CALLS, k8s_pod_name=instance.ref.pod, span_name=span, span_kind="SPAN_KIND_SERVER"
            )
            by_status = {dict(one.labels)["status_code"]: last(one) for one in found}
            at = next(iter(by_status.values()))[0] - booth.world.epoch
            counted = totals(instance.served, operation, 0, at)
            assert sum(value for _, value in by_status.values()) == counted.requests
            failed = by_status.get("STATUS_CODE_ERROR", (0, 0.0))[1]
            assert abs(failed - sum(counted.failed.values())) <= 1
            assert (failed > 3000) == (operation == "buy")


def test_requests_of_a_load_generator_are_its_totals(booth: Any) -> None:
    ref = booth.ref("load")
    for name in ("buy", "look"):
        (series,) = booth.series("locust_requests_num_requests", name=name)
        at, value = last(series)
        counted = totals(segments(booth.world, SENT, ref), name, 0, at - booth.world.epoch)
        assert value == counted.requests
        (failures,) = booth.series("locust_requests_num_failures", name=name)
        assert abs(last(failures)[1] - sum(counted.failed.values())) <= 1


def test_what_a_load_generator_shows_now_is_how_its_totals_grow(booth: Any) -> None:
    def both(now: str, total: str) -> tuple[float, float]:
        labels = '{name="buy"}'
        [shown] = booth.ask(f"{now}{labels}").values()
        [grown] = booth.ask(f"rate({total}{labels}[2m])").values()
        return shown, grown

    shown, grown = both("locust_requests_current_rps", "locust_requests_num_requests")
    assert (shown, shown > 0) == (pytest.approx(grown, rel=0.05), True)
    failing = ("locust_requests_current_fail_per_sec", "locust_requests_num_failures")
    assert both(*failing) == (0, 0)
    break_stock(booth)
    booth.run(200)
    shown, grown = both(*failing)
    assert (shown, shown > 0) == (pytest.approx(grown, rel=0.05), True)


def test_the_pods_of_a_service_add_up_to_what_its_callers_sent(booth: Any) -> None:
    served = f'sum(increase({CALLS}{{service_name="web",span_kind="SPAN_KIND_SERVER"}}[2m]))'
    sent = "sum(increase(locust_requests_num_requests[2m]))"
    # Pods are scraped at moments of their own.
    assert booth.ask(served)[()] == pytest.approx(booth.ask(sent)[()], rel=0.02)
    calls = f'sum(increase({CALLS}{{span_kind="SPAN_KIND_CLIENT",span_name="Reserve"}}[2m]))'
    stock = f'sum(increase({CALLS}{{service_name="stock",span_kind="SPAN_KIND_SERVER"}}[2m]))'
    assert booth.ask(calls)[()] == pytest.approx(booth.ask(stock)[()], rel=1e-3)


def test_servers_count_the_same_requests_as_spans(booth: Any) -> None:
    (pod, _) = booth.pods("web")
    over_http = "http_server_request_duration_seconds_count"
    # Requests that failed have series of their own.
    servers = booth.series(over_http, pod=pod, http_route="/look")
    spans = booth.series(CALLS, k8s_pod_name=pod, span_name="GET /look")
    rate, same = (
        sum((one.values[-1] - one.values[-5]) / (one.times[-1] - one.times[-5]) for one in found)
        for found in (servers, spans)
    )
    assert rate == pytest.approx(same, rel=0.05)


def test_buckets_of_a_histogram_grow_with_their_bound_up_to_the_count(booth: Any) -> None:
    labels = {"service_name": "stock", "span_kind": "SPAN_KIND_SERVER"}
    found = booth.series(BUCKET, status_code="STATUS_CODE_UNSET", **labels)
    bounds = {float(dict(one.labels)["le"].replace("+Inf", "inf")): one.values for one in found}
    rows = np.stack([bounds[bound] for bound in sorted(bounds)])
    assert (np.diff(rows, axis=0) >= 0).all()
    assert (np.diff(rows, axis=1) >= 0).all()
    (count,) = booth.series(CALLS, status_code="STATUS_CODE_UNSET", **labels)
    assert rows[-1].tolist() == count.values.tolist()


def test_the_median_of_buckets_is_that_of_the_history(booth: Any) -> None:
    selector = f'{BUCKET}{{service_name="stock",span_kind="SPAN_KIND_SERVER"}}'
    found = booth.ask(f"histogram_quantile(0.5, sum by (le) (rate({selector}[2m])))")[()]
    (flow,) = booth.instances("stock")[-1].served[-1].flows
    low, high = (0, 2) if flow.time.quantile(0.5) < 2 else (2, 4)
    assert low < found <= high
    total = "traces_span_metrics_duration_milliseconds_sum"
    mean = selector.replace(BUCKET, total), selector.replace(BUCKET, total.replace("sum", "count"))
    found = booth.ask(f"sum(rate({mean[0]}[2m])) / sum(rate({mean[1]}[2m]))")
    # As eight thousand requests scatter.
    assert list(found.values()) == [pytest.approx(flow.time.mean_ms, rel=0.02)]
    assert flow.time.mean_ms not in found.values()


def test_containers_use_what_kubectl_top_says(booth: Any) -> None:
    usage: resource_metrics.Usage = booth.world.service(USAGE)
    for name in ("web", "stock", "mongodb", "load"):
        ref = booth.ref(name)
        (use,) = usage.containers(booth.world, ref.pod_uid)
        labels = f'{{pod="{ref.pod}",container="{name}"}}'
        cpu = booth.ask(f"rate(container_cpu_usage_seconds_total{labels}[1m])")
        # The counter is ahead or behind by two seconds at most.
        assert list(cpu.values()) == [pytest.approx(use.cpu_nanocores / 1e9, rel=0.07)]
        held = WorkingSet(booth.instances(name)[-1])(np.array([booth.world.now]))
        assert held.tolist() == [use.memory_bytes]
        # Scraped up to a quarter of a minute ago.
        memory = booth.ask(f"container_memory_working_set_bytes{labels}")
        assert list(memory.values()) == [pytest.approx(use.memory_bytes, rel=0.03)]


def test_the_same_question_has_the_same_answer_in_any_order_and_on_forks(booth: Any) -> None:
    names = (CALLS, BUCKET, "container_cpu_usage_seconds_total", "kube_pod_info", "up")
    names += ("node_memory_MemAvailable_bytes", "mongodb_ss_opcounters", "probe_success")
    first = {name: plain(booth.series(name)) for name in names}
    assert all(first.values())
    again = {name: plain(booth.series(name)) for name in reversed(names)}
    assert again == first
    other = type(booth)(booth.world.fork(seed=77))
    assert {name: plain(other.series(name)) for name in names} == first


def test_a_longer_past_does_not_change_what_was(booth: Any) -> None:
    names = (CALLS, BUCKET, "container_cpu_usage_seconds_total", "kube_pod_info", "up")
    names += ("node_load1", "mongodb_ss_opcounters", "probe_success", "kubelet_running_pods")
    names += ("kube_pod_status_phase", "locust_requests_num_requests", "coredns_dns_requests_total")
    names += ("container_memory_working_set_bytes", "container_network_receive_bytes_total")
    names += ("kafka_consumergroup_lag", "kafka_consumergroup_current_offset")
    before = {name: points(booth.series(name)) for name in names}
    break_stock(booth)
    booth.delete("pods", booth.pods("web")[0])
    booth.run(200)
    end = booth.world.epoch * 1000 + round((booth.world.now - 200) * 1000)
    after = {name: points(booth.series(name), end) for name in names}
    assert after == before


def points(series: list[StoredSeries], end: int = 2**62) -> dict[Any, Any]:
    """Samples up to a moment by labels; series without any are left out."""
    found = {}
    for one in series:
        keep = one.times < end
        if keep.any():
            bits = one.values[keep].view(np.uint64).tolist()
            found[one.labels] = (one.times[keep].tolist(), bits)
    return found


def test_a_part_of_the_past_is_the_same_as_seen_from_the_whole(booth: Any) -> None:
    booth.run(200)
    middle = booth.world.now - 120
    for name in ("container_cpu_usage_seconds_total", "kube_pod_status_phase", CALLS, "up"):
        whole = points(booth.series(name))
        start = booth.world.epoch * 1000 + round(middle * 1000)
        cut = {
            labels: [pair for pair in zip(*found, strict=True) if pair[0] >= start]
            for labels, found in whole.items()
        }
        found = points(booth.series(name, middle))
        part = {labels: list(zip(*pair, strict=True)) for labels, pair in found.items()}
        # A mark alone says nothing: the samples that it ends lie before the part.
        mark = 0x7FF0000000000002
        told = {
            labels: pairs for labels, pairs in cut.items() if {bits for _, bits in pairs} - {mark}
        }
        assert part == told


def test_no_sample_comes_from_a_pod_after_its_end(booth: Any) -> None:
    gone = booth.pods("web")[0]
    booth.delete("pods", gone)
    booth.run(90)
    line = Past(booth.world).one(Key("pods", "booth", gone))
    assert line.versions[-1].obj is None
    end = booth.world.epoch + line.versions[-1].since
    for name, label in (
        (CALLS, "k8s_pod_name"),
        ("container_cpu_usage_seconds_total", "pod"),
        ("http_server_request_duration_seconds_count", "pod"),
        ("process_cpu_seconds_total", "pod"),
    ):
        found = booth.series(name, **{label: gone})
        assert found
        for one in found:
            alive = one.times[~is_stale(one.values)]
            assert alive[-1] / 1000 < end
            # One mark says that the series has ended.
            assert is_stale(one.values)[-1]
            assert is_stale(one.values).sum() == 1
            assert one.times[-1] / 1000 < end + 15
    assert booth.ask(f'up{{pod="{gone}"}}') == {}
    assert booth.ask(f'kube_pod_info{{pod="{gone}"}}') == {}


def test_counters_begin_anew_with_each_life_of_a_container(booth: Any) -> None:
    pod = booth.pods("leak")[0]
    restarts = booth.ask(f'kube_pod_container_status_restarts_total{{pod="{pod}"}}')
    assert next(iter(restarts.values())) >= 2
    (series,) = booth.series("process_cpu_seconds_total", pod=pod)
    values = series.values[~is_stale(series.values)]
    assert (np.diff(values) < 0).sum() >= 1
    (start,) = booth.series("process_start_time_seconds", pod=pod)
    begun = sorted(set(start.values[~is_stale(start.values)].tolist()))
    known = [
        round(instance.process.started_at + booth.world.epoch, 2)
        for instance in booth.instances("leak")
    ]
    assert set(begun) <= set(known)
    assert len(begun) >= 2


def test_kills_for_memory_are_counted_by_the_node_and_lost_with_each_container(booth: Any) -> None:
    pod = booth.pods("leak")[0]
    node = booth.instances("leak")[0].process.config.node
    ends = [
        instance.process.ended_at
        for instance in booth.instances("leak")
        if instance.process.ended_at
    ]
    assert len(ends) >= 2
    booth.run(16)
    counted = f'node_vmstat_oom_kill{{instance="{node}"}}'
    assert list(booth.ask(counted).values()) == [len(ends)]
    assert booth.ask(f'sum(node_vmstat_oom_kill{{instance!="{node}"}})') == {(): 0.0}
    # Each container has its own counter: it is seen once with its end, and the next begins at 0.
    of_pod = f'container_oom_events_total{{pod="{pod}"}}'
    each = booth.ask(f"max by (name) (max_over_time({of_pod}[10m]))")
    assert sorted(each.values()) == [*([0.0] * (len(each) - len(ends))), *([1.0] * len(ends))]
    assert booth.ask(f"sum(increase({of_pod}[10m]) > bool 0)") == {(): float(len(ends))}
    # Whose machine boots counts from 0 again.
    power_off(booth.world, node)
    booth.run(20)
    power_on(booth.world, node)
    booth.run(5)
    while not (told := booth.ask(counted)):
        booth.run(5)
    assert list(told.values()) == [0.0]


def test_a_container_that_waits_to_restart_is_down_and_says_why(booth: Any) -> None:
    while booth.instances("leak")[-1].process.ended_at is not None:
        booth.run(5)
    while booth.instances("leak")[-1].process.ended_at is None:
        booth.run(1)
    booth.run(16)
    pod = booth.pods("leak")[0]
    assert list(booth.ask(f'up{{pod="{pod}"}}').values()) == [0.0]
    reason = booth.ask(f'kube_pod_container_status_terminated_reason{{pod="{pod}"}}')
    assert [labels[-2] for labels in reason] == ["OOMKilled"]
    assert list(booth.ask(f'kube_pod_container_status_ready{{pod="{pod}"}}').values()) == [0.0]
    booth.run(240)
    waited = f'kube_pod_container_status_waiting_reason{{pod="{pod}",reason="CrashLoopBackOff"}}'
    assert list(booth.ask(f"max_over_time({waited}[4m])").values()) == [1.0]
    last_reason = f'kube_pod_container_status_last_terminated_reason{{pod="{pod}"}}'
    assert [labels for labels in booth.ask(last_reason) if "OOMKilled" in labels]
