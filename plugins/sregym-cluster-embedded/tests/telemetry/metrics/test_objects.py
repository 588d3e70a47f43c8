"""What kube-state-metrics, probes and exporters say of objects and processes."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.node import ingress_controller
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.metrics.describing import metadata, targets
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.metrics.surveying import Survey
from sregym_cluster_embedded.userland.kinds import with_in_tree
from sregym_promql import Matcher


def test_replicas_follow_the_deployment(booth: Any) -> None:
    available = 'kube_deployment_status_replicas_available{deployment="web"}'
    wanted = 'kube_deployment_spec_replicas{deployment="web"}'
    assert (list(booth.ask(available).values()), list(booth.ask(wanted).values())) == ([2.0], [2.0])
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=0))
    booth.run(60)
    assert (list(booth.ask(available).values()), list(booth.ask(wanted).values())) == ([0.0], [0.0])
    before = booth.world.now - 65
    assert list(booth.ask(available, before).values()) == [2.0]


def test_a_pod_that_fits_nowhere_is_pending_and_unschedulable(booth: Any) -> None:
    def pin(obj: dict[str, Any]) -> None:
        obj["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "none"}

    booth.edit("Deployment", "stock", pin)
    booth.run(40)
    (pending,) = booth.ask('kube_pod_status_phase{namespace="booth",phase="Pending"} == 1')
    pod = pending[-2]
    assert pod.startswith("stock-")
    assert len(booth.ask(f'kube_pod_status_unschedulable{{pod="{pod}"}} == 1')) == 1
    assert len(booth.ask('scheduler_pending_pods{queue="unschedulable"} == 1')) == 1


def test_requests_and_limits_are_told_by_resource(booth: Any) -> None:
    pod = booth.pods("web")[0]
    query = f'max by (resource, unit) (kube_pod_container_resource_limits{{pod="{pod}"}})'
    assert booth.ask(query) == {("cpu", "core"): 0.5, ("memory", "byte"): 64 * 2.0**20}
    limit = booth.ask(f'container_spec_memory_limit_bytes{{pod="{pod}",container="web"}}')
    assert list(limit.values()) == [64 * 2.0**20]
    quota = booth.ask(f'container_spec_cpu_quota{{pod="{pod}"}} / container_spec_cpu_period')
    assert list(quota.values()) == [0.5]


def test_nodes_have_conditions_and_capacity(booth: Any) -> None:
    ready = 'sum by (node) (kube_node_status_condition{condition="Ready",status="true"})'
    assert booth.ask(ready) == {("node1",): 1.0, ("node2",): 1.0, ("node3",): 1.0}
    cores = booth.ask('kube_node_status_capacity{resource="cpu",node="node1"}')
    assert list(cores.values()) == list(booth.ask('machine_cpu_cores{node="node1"}').values())


def test_a_probe_fails_when_nothing_listens_behind_a_service(booth: Any) -> None:
    probe = 'sum by (service) (probe_success{namespace="booth"})'
    assert booth.ask(probe) == {("broker",): 1.0, ("mongodb",): 1.0, ("stock",): 1.0, ("web",): 1.0}
    port = {"port": 8081, "targetPort": 9999, "protocol": "TCP"}
    booth.edit("Service", "stock", lambda obj: obj["spec"].update(ports=[port]))
    booth.delete("services", "mongodb")
    booth.run(30)
    assert booth.ask(probe) == {("broker",): 1.0, ("mongodb",): 0.0, ("stock",): 0.0, ("web",): 1.0}
    assert booth.ask("sum(up{job='blackbox'})") == {(): 4.0}


def test_names_that_nobody_resolves_cannot_be_probed(booth: Any) -> None:
    deployment = booth.world.store.get(Key("deployments.apps", "kube-system", "coredns"))
    spec = {**deployment["spec"], "replicas": 0}
    internal_client.update(booth.world, "deployments.apps", {**deployment, "spec": spec})
    booth.run(60)
    assert booth.ask('sum(probe_success{namespace="booth"})') == {(): 0.0}
    assert booth.ask('sum(up{job="kube-dns"})') == {}


def test_mongodb_counts_the_queries_of_its_callers(booth: Any) -> None:
    queries = booth.ask('sum(increase(mongodb_ss_opcounters{legacy_op_type="query"}[2m]))')
    spans = 'traces_span_metrics_calls_total{service_name="stock",span_kind="SPAN_KIND_SERVER"}'
    served = booth.ask(f"sum(increase({spans}[2m]))")
    # They are scraped at different moments.
    assert queries[()] == pytest.approx(served[()], rel=0.01)
    assert list(booth.ask("mongodb_up").values()) == [1.0]


def test_a_group_without_members_falls_behind(booth: Any) -> None:
    lag = 'kafka_consumergroup_lag_sum{consumergroup="counting",topic="views"}'
    newest = "sum(kafka_topic_partition_current_offset)"
    taken = "sum(kafka_consumergroup_current_offset)"
    assert list(booth.ask(lag).values()) == [0.0]
    assert booth.ask(newest) == booth.ask(taken)
    assert list(booth.ask("kafka_topic_partitions").values()) == [2.0]
    booth.edit("Deployment", "book", lambda obj: obj["spec"].update(replicas=0))
    booth.run(100)
    behind = booth.ask(newest)[()] - booth.ask(taken)[()]
    assert 1500 < behind < 3400
    assert abs(next(iter(booth.ask(lag).values())) - behind) <= 2
    assert list(booth.ask("kafka_consumergroup_members").values()) == [0.0]
    rates = "sum(rate(kafka_topic_partition_current_offset[1m])) > 20"
    stands = "sum(rate(kafka_consumergroup_current_offset[1m])) == 0"
    assert (len(booth.ask(rates)), len(booth.ask(stands))) == (1, 1)


def test_a_database_that_is_gone_is_down_until_its_pod_is(booth: Any) -> None:
    booth.edit("Deployment", "mongodb", lambda obj: obj["spec"].update(replicas=0))
    booth.run(60)
    assert booth.ask("mongodb_up") == {}
    assert booth.ask("min_over_time(mongodb_up[2m])") != {}


def test_only_the_asked_object_is_looked_at(booth: Any) -> None:
    pod = booth.pods("web")[0]
    found = booth.series("kube_pod_info", pod=pod)
    assert {dict(series.labels)["pod"] for series in found} == {pod}
    assert booth.series("kube_pod_info", pod="none") == []
    assert booth.series("kube_pod_info", job="node-exporter") == []
    assert booth.series("no_such_metric") == []


def test_every_series_has_a_documented_name(booth: Any) -> None:
    known = metadata(Catalogue(with_in_tree()))
    found = booth.ask('count by (__name__) ({__name__=~".+"})')
    names = {labels[0] for labels in found}
    for name in ("up", "scrape_duration_seconds", "scrape_samples_scraped"):
        names.discard(name)
    names -= {"scrape_samples_post_metric_relabeling", "scrape_series_added"}
    suffixes = {"histogram": ("_bucket", "_sum", "_count")}
    written = {
        name + suffix
        for name, (said,) in known.items()
        for suffix in suffixes.get(said["type"], ("",))
    }
    assert names - written == set()
    assert len(names) > 170


def test_labels_do_not_hint_at_who_made_the_world(booth: Any) -> None:
    names = booth.ask('count by (__name__, job, instance, service) ({__name__=~".+"})')
    text = " ".join(" ".join(labels) for labels in names).lower()
    assert [word for word in ("sregym", "fault", "chaos", "inject", "simul") if word in text] == []


def test_targets_have_the_shape_of_the_http_api(booth: Any) -> None:
    data = targets(booth.world)
    assert data["droppedTargets"] == []
    by_pool: dict[str, list[dict[str, Any]]] = {}
    for target in data["activeTargets"]:
        by_pool.setdefault(target["scrapePool"], []).append(target)
    assert len(by_pool["kubelet"]) == 6
    assert len(by_pool["node-exporter"]) == 3
    (target,) = by_pool["mongodb-exporter"]
    (pod,) = booth.pods("mongodb")
    address = target["labels"]["instance"]
    moment = target.pop("lastScrape")
    assert moment.startswith("2026-01-01T09:0")
    assert target == {
        "discoveredLabels": {
            "__address__": address,
            "__metrics_path__": "/metrics",
            "__scheme__": "http",
            "__scrape_interval__": "15s",
            "__scrape_timeout__": "10s",
            "job": "mongodb-exporter",
        },
        "labels": {
            "container": "mongodb",
            "instance": address,
            "job": "mongodb-exporter",
            "namespace": "booth",
            "node": target["labels"]["node"],
            "pod": pod,
            "service": "mongodb",
        },
        "scrapePool": "mongodb-exporter",
        "scrapeUrl": f"http://{address}/metrics",
        "globalUrl": f"http://{address}/metrics",
        "lastError": "",
        "lastScrapeDuration": 0.004,
        "health": "up",
        "scrapeInterval": "15s",
        "scrapeTimeout": "10s",
    }


def test_a_target_whose_process_is_down_says_why(booth: Any) -> None:
    while booth.instances("leak")[-1].process.ended_at is not None:
        booth.run(5)
    while booth.instances("leak")[-1].process.ended_at is None:
        booth.run(1)
    booth.run(16)
    (target,) = (
        entry for entry in targets(booth.world)["activeTargets"] if entry["scrapePool"] == "leak"
    )
    url, address = target["scrapeUrl"], target["labels"]["instance"]
    assert (target["health"], target["lastError"]) == (
        "down",
        f'Get "{url}": dial tcp {address}: connect: connection refused',
    )


def test_a_page_is_probed_through_the_ingress_controller(booth: Any) -> None:
    backend = {"service": {"name": "web", "port": {"number": 8080}}}
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    spec = {
        "ingressClassName": "nginx",
        "rules": [{"host": "booth.test", "http": {"paths": [path]}}],
    }
    metadata = {"name": "booth", "namespace": "booth"}
    ingress_controller.install(booth.world)
    internal_client.create(
        booth.world, "ingresses.networking.k8s.io", {"metadata": metadata, "spec": spec}
    )
    booth.run(60)
    page = '{job="blackbox-http",ingress="booth",instance="http://booth.test/"}'
    answer = f"probe_success{page} * probe_http_status_code{page}"
    assert list(booth.ask(answer).values()) == [200.0]
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=0))
    booth.run(60)
    assert list(booth.ask(f"probe_success{page}").values()) == [0.0]
    assert list(booth.ask(f"probe_http_status_code{page}").values()) == [503.0]


def test_labels_are_those_of_the_series(booth: Any) -> None:
    every = [Matcher("__name__", "=~", ".+"), Matcher("namespace", "!=", "kube-system")]
    end = round((booth.world.epoch + booth.world.now) * 1000)
    storage = WorldStorage(booth.world)
    found = Survey(booth.world, end - 300_000, end).labels(every)
    assert sorted(found) == [series.labels for series in storage.select(every, end - 300_000, end)]
    assert len(found) > 1500


def test_samples_of_a_scrape_are_counted(booth: Any) -> None:
    pod = booth.pods("mongodb")[0]
    counted = booth.ask(f'scrape_samples_scraped{{pod="{pod}"}}')
    found = booth.ask(f'count({{pod="{pod}",job="mongodb-exporter",__name__!~"up|scrape_.*"}})')
    assert list(counted.values()) == list(found.values())
