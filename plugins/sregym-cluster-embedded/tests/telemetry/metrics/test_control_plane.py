"""What the control plane exports follows from what was written and placed."""

from __future__ import annotations

from typing import Any

import pytest


def test_etcd_counts_the_changes_and_keys_of_the_store(booth: Any) -> None:
    world = booth.world
    booth.run(20)
    committed = booth.ask("sum(etcd_server_proposals_committed_total)")[()]
    renewed = booth.ask('sum(apiserver_request_total{resource="leases"})')[()]
    assert 0.95 * world.store.revision < committed - renewed <= world.store.revision + 30
    keys = sum(len(world.store.list(name)) for name in world.store.resources())
    assert booth.ask("sum(etcd_debugging_mvcc_keys_total)")[()] == pytest.approx(keys, abs=2)
    assert booth.ask("sum(etcd_server_has_leader)")[()] == 1
    committed = booth.ask("sum(etcd_disk_wal_fsync_duration_seconds_count)")[()]
    assert committed == booth.ask("sum(etcd_server_proposals_committed_total)")[()]


def test_request_histograms_count_the_requests(booth: Any) -> None:
    total = booth.ask("sum(apiserver_request_total)")[()]
    for name in ("apiserver_request_duration_seconds", "apiserver_request_sli_duration_seconds"):
        assert booth.ask(f"sum({name}_count)")[()] == total
        assert booth.ask(f'sum({name}_bucket{{le="+Inf"}})')[()] == total
        quantile = f'histogram_quantile(0.99, sum by (le) ({name}_bucket{{verb!="WATCH"}}))'
        assert 0.005 < booth.ask(quantile)[()] <= 0.025


def test_attempts_of_the_scheduler_have_a_histogram(booth: Any) -> None:
    attempts = booth.ask('scheduler_schedule_attempts_total{result="scheduled"}')
    counted = booth.ask('scheduler_scheduling_attempt_duration_seconds_count{result="scheduled"}')
    assert list(counted.values()) == list(attempts.values())
    assert booth.ask("sum(scheduler_preemption_attempts_total)")[()] == 0


def test_the_cluster_dns_has_as_many_durations_as_questions(booth: Any) -> None:
    asked = booth.ask("sum(coredns_dns_requests_total)")[()]
    assert asked > 0
    for name in ("request_duration_seconds", "request_size_bytes", "response_size_bytes"):
        assert booth.ask(f"sum(coredns_dns_{name}_count)")[()] == asked
