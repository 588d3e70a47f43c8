"""The contracts that this package holds to, and what is special about it."""

from __future__ import annotations

import json
from typing import ClassVar

import pytest
from acme_toolbox.ages import EXPORTER
from sregym_cluster_embedded.sdk.exporters import Exporter
from sregym_cluster_embedded.sdk.testing import (
    ClusterTestbed,
    ContainerCommandContract,
    ContainerTestbed,
    ExporterContract,
    ExtensionContract,
)

MODEL = """
application: post
images:
  - repository: post
    tags: ["1"]
    size_mib: 1
    entrypoint: [/post]
    binaries: {/post: post, /sender: sender, /load: load, /fails: fails, /jaeger: jaeger}
    tools: [busybox, acme-toolbox]
programs:
  post:
    startup: [{listen: door}]
    listeners:
      door: {protocol: parcel, port: 4747}
    operations:
      Deliver:
        listener: door
        cpu_ms: 2
  sender:
    log: {format: plain}
    startup: [{listen: http}]
    listeners:
      http: {protocol: http, port: 8080}
    clients:
      post: {protocol: parcel, address: post, timeout_s: 0.5}
    tracing: {service: sender, library: opentelemetry, collector: "jaeger:4317", sample: "1"}
    operations:
      send:
        listener: http
        route: GET /send
        calls:
          - call: post.Deliver
            on_error: {log: ["${error}"]}
  load:
    kind: load-generator
    target: http://sender
    rate: 10
    mix:
      send: {weight: 1, request: GET /send}
  jaeger:
    traces: {most_traces: "0", query: query}
    startup: [{listen: spans}, {listen: query}]
    listeners:
      spans: {protocol: grpc, port: 4317}
      query: {protocol: http, port: 16686}
  fails:
    startup: [{wait_s: 1}, {exit: 1}]
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: fails, namespace: default}
spec:
  containers: [{name: main, image: "post:1", command: [/fails]}]
"""
POST = """
apiVersion: v1
kind: Service
metadata: {name: NAME, namespace: default}
spec: {selector: {app: NAME}, ports: [{port: PORT, targetPort: TARGET}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: default}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec: {containers: [{name: main, image: "post:1", command: [/NAME]}]}
"""


def deployed(*names: tuple[str, int, int]) -> ClusterTestbed:
    cluster = ClusterTestbed.of(MODEL)
    for name, port, target in names:
        text = POST.replace("NAME", name).replace("PORT", str(port))
        cluster.apply(text.replace("TARGET", str(target)))
    cluster.run(60)
    return cluster


class TestExtension(ExtensionContract):
    distribution = "acme-toolbox"


class TestWhoasks(ContainerCommandContract):
    command: ClassVar[str] = "whoasks"


class TestAges(ExporterContract):
    @pytest.fixture
    def exporter(self) -> Exporter:
        return EXPORTER

    @pytest.fixture
    def cluster(self) -> ClusterTestbed:
        cluster = ClusterTestbed.of(MODEL)
        cluster.apply(POD)
        return cluster

    def test_a_pod_that_restarts_raises_the_alert(self, cluster: ClusterTestbed) -> None:
        cluster.run(400)
        (restarts,) = cluster.query('acme_pod_restarts_total{pod="fails"}').values()
        assert restarts >= 4
        assert cluster.query('namespace:acme_pod_restarts:sum{namespace="default"}')
        assert "AcmePodRestartsOften" in cluster.firing()


def test_whoasks_names_callers() -> None:
    cluster = deployed(("post", 4747, 4747), ("sender", 80, 8080), ("load", 1, 1))
    words = ("exec", "deploy/post", "--", "whoasks")
    (held,) = {line.partition(":")[0] for line in cluster.kubectl(*words).stdout.splitlines()}
    sender = cluster.kubectl(
        "get", "pods", "-l", "app=sender", "-o", "jsonpath={.items[0].status.podIP}"
    )
    assert held == sender.stdout
    assert int(cluster.kubectl(*words, "-n").stdout) >= 1


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("scale", "deployment", "post", "--replicas=0"), "parcel: post is not at home ("),
        (("delete", "service", "post"), "parcel: nobody is called post"),
    ],
)
def test_failures_are_told_in_its_words(change: tuple[str, ...], error: str) -> None:
    cluster = deployed(("post", 4747, 4747), ("sender", 80, 8080), ("load", 1, 1))
    assert cluster.kubectl("logs", "deploy/sender").stdout == ""
    cluster.kubectl(*change)
    cluster.run(60)
    assert cluster.kubectl("logs", "deploy/sender", "--tail=1").stdout.startswith(error)


def test_somebody_who_does_not_speak_it() -> None:
    cluster = deployed(("sender", 80, 8080), ("load", 1, 1))
    cluster.apply(
        POST.replace("name: NAME", "name: post")
        .replace("NAME", "sender")
        .replace("PORT", "4747")
        .replace("TARGET", "8080")
        .split("---")[0]
    )
    cluster.run(60)
    said = cluster.kubectl("logs", "deploy/sender", "--tail=1").stdout
    assert said == "parcel: post does not speak parcel\n"


def test_calls_have_spans_and_take_time() -> None:
    cluster = deployed(
        ("jaeger", 4317, 4317), ("post", 4747, 4747), ("sender", 80, 8080), ("load", 1, 1)
    )
    answer = cluster.cluster.observe(
        "jaeger", "/api/traces", [("service", "sender"), ("limit", "1")]
    )
    (trace,) = json.loads(answer.body)["data"]
    spans = {span["operationName"]: span for span in trace["spans"]}
    tags = {tag["key"]: tag["value"] for span in spans.values() for tag in span["tags"]}
    assert "parcel" in tags.values()
    assert all(span["duration"] >= 2000 for span in spans.values())


def test_a_program_that_dials_is_refused() -> None:
    testbed = ContainerTestbed.of(MODEL)
    testbed.start("post", "post:1", "3", command=("/post",))
    testbed.run(1)
    assert testbed.exec("post", "whoasks", "-n") == (0, "0\n", "")
