"""What the control plane exports follows from what was written and placed."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.userland.keys import RUNTIME


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


def _grown(booth: Any, query: str) -> float:
    return sum(booth.ask(f"increase({query}[2m])").values())


def test_names_that_are_not_there_are_counted_by_the_cluster_dns(booth: Any) -> None:
    booth.run(180)
    assert _grown(booth, 'coredns_dns_responses_total{rcode="NXDOMAIN"}') == 0
    booth.delete("services", "stock")
    booth.run(180)
    # 66.6 requests a second, and each asks for four names, each in two families.
    missing = _grown(booth, 'coredns_dns_responses_total{rcode="NXDOMAIN"}') / 120
    assert missing == pytest.approx(66.6 * 4 * 2, rel=0.05)
    for kind in ("A", "AAAA"):
        asked = _grown(booth, f'coredns_dns_requests_total{{type="{kind}"}}') / 120
        assert asked == pytest.approx(66.6 * 4, rel=0.05)
    outside = 'coredns_dns_responses_total{rcode="NXDOMAIN",plugin="forward"}'
    assert _grown(booth, outside) / 120 == pytest.approx(66.6 * 2, rel=0.05)


def test_what_users_cannot_find_is_counted_too(booth: Any) -> None:
    booth.delete("services", "web")
    booth.run(180)
    missing = _grown(booth, 'coredns_dns_responses_total{rcode="NXDOMAIN"}') / 120
    assert missing == pytest.approx(99.9 * 4 * 2, rel=0.05)


def test_what_commands_ask_is_counted_by_one_server_each(booth: Any) -> None:
    def answered(code: str) -> float:
        booth.run(16)
        query = f'sum(coredns_dns_responses_total{{rcode="{code}"}})'
        return float(booth.ask(query).get((), 0.0))

    def run(script: str) -> None:
        runtime = booth.world.service(RUNTIME)
        runtime.exec(booth.world, booth.ref("load"), ("sh", "-c", script), "")

    # One question, of one type.
    before = answered("NXDOMAIN")
    run("nslookup -type=a nothing.booth.svc.cluster.local.")
    assert answered("NXDOMAIN") == before + 1
    # Four names, each in two families, of each command.
    run("wget -T 1 http://nothing/; ping -c 1 nothing")
    assert answered("NXDOMAIN") == before + 1 + 2 * 4 * 2
    before, at = answered("NOERROR"), booth.world.now
    run("wget -T 1 http://web:8080/buy")
    # Programs connect anew twice a minute: web to two others, stock, book and load to one.
    usual = 2 * 7 * (booth.world.now + 16 - at) / 30
    assert answered("NOERROR") == pytest.approx(before + 2 + usual, abs=3)
    # A file, and an address, need no name server.
    before = answered("NXDOMAIN")
    run("cat /etc/resolv.conf; ping -c 1 10.244.0.1; wget http://localhost:1/")
    assert answered("NXDOMAIN") == before
