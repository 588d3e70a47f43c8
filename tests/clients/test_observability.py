"""Clients of Prometheus, Alertmanager and Loki on the services of a cluster."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.observability import ObservabilityEndpoint
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.telemetry.endpoints import service

WHY = "needs {}: run `tox -e clients`"
# What Debian packages bring: nobody has to have them.
NO_PROGRAM = "needs the program {} of the Debian package {}"
BROKEN = {
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "registry.example/shop/none:1"}]},
        },
    },
}
ETCD = (
    'up{endpoint="http-metrics", instance="10.77.0.2:2381", job="etcd", '
    'namespace="kube-system", service="etcd"}'
)


@pytest.fixture(scope="module")
def urls() -> Iterator[Mapping[str, str]]:
    """The addresses of the services of a cluster that stands still, five minutes after a mistake.

    A little ahead of the clients' clocks: what begins now for them has begun there.
    """
    world = build(Blueprint(epoch=int(time.time()) - 240))
    internal_client.create(world, "deployments.apps", BROKEN)
    world.run_until(300)
    live = LiveWorld(world, Stepped(0.0, 0.0))
    with ExitStack() as stack:
        found = {}
        for name in ("alertmanager", "loki", "prometheus"):
            endpoint = ObservabilityEndpoint(live, service(name))
            endpoint.start()
            stack.enter_context(closing(endpoint))
            found[name] = endpoint.url
        yield found


def printed(program: str, package: str, *argv: str) -> str:
    """What a program of a Debian package prints."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(NO_PROGRAM.format(program, package))
    done = subprocess.run([path, *argv], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done
    return done.stdout


def test_promtool(urls: Mapping[str, str]) -> None:
    url = urls["prometheus"]

    def query(*argv: str) -> str:
        return printed("promtool", "prometheus", "query", *argv)

    assert re.fullmatch(
        re.escape(ETCD) + r" => 1 @\[[\d.]+\]\n", query("instant", url, 'up{job="etcd"}')
    )
    assert query("series", url, '--match=up{job="etcd"}') == (
        '{__name__="up", endpoint="http-metrics", instance="10.77.0.2:2381", job="etcd", '
        'namespace="kube-system", service="etcd"}\n'
    )
    assert query("labels", url, "alertname").split() == [
        "DeploymentNotReady",
        "KubePodNotReady",
        "PendingPodsDetected",
        "PodStatusError",
    ]
    ranged = query("range", "--step=60s", url, 'up{job="etcd"}').splitlines()
    assert ranged[0] == f"{ETCD} =>"
    assert {line.split()[0] for line in ranged[1:]} == {"1"}


def test_amtool(urls: Mapping[str, str]) -> None:
    def amtool(*argv: str) -> str:
        given = f"--alertmanager.url={urls['alertmanager']}"
        return printed("amtool", "prometheus-alertmanager", given, *argv)

    def firing(*argv: str) -> list[str]:
        lines = amtool("alert", "query", *argv).splitlines()[1:]
        return sorted(line.split()[0] for line in lines)

    assert firing("alertname=~Deploy.*|Kube.*") == ["DeploymentNotReady", "KubePodNotReady"]
    made = amtool("silence", "add", "-a", "me", "-c", "known", "alertname=KubePodNotReady").strip()
    assert firing("alertname=KubePodNotReady") == []
    assert firing("--silenced", "alertname=KubePodNotReady") == ["KubePodNotReady"]
    assert amtool("silence", "query", "-q") == f"{made}\n"
    amtool("silence", "expire", made)
    assert firing("alertname=KubePodNotReady") == ["KubePodNotReady"]
    amtool("alert", "add", "alertname=Odd", "severity=page")
    assert firing("severity=page") == ["Odd"]
    assert amtool("config", "routes", "test", "severity=page") == "default\n"


def test_aiopromql(urls: Mapping[str, str]) -> None:
    client = pytest.importorskip("aiopromql", reason=WHY.format("aiopromql"))
    now = datetime.now(UTC)
    with client.PrometheusSync(urls["prometheus"]) as prometheus:
        (row,) = prometheus.query('up{job="etcd"}').data.result
        (series,) = prometheus.query_range(
            "count(up)", start=now - timedelta(minutes=2), end=now, step="30s"
        ).data.result
    assert (row.metric["instance"], row.value[1]) == ("10.77.0.2:2381", "1")
    assert len(series.values) in (4, 5)


def test_loki_reader(urls: Mapping[str, str]) -> None:
    client: Any = pytest.importorskip("loki_reader_core", reason=WHY.format("loki-reader-core"))
    with closing(client.LokiClient(urls["loki"])) as loki:
        assert "namespace" in loki.get_labels()
        assert loki.get_label_values("app") == ["coredns"]
        now = int(time.time())
        found = loki.query_range(
            '{app="coredns"} |= "CoreDNS-"', start=now - 3600, end=now, limit=1
        )
    (stream,) = found.streams
    assert stream.labels["namespace"] == "kube-system"
    assert stream.entries[0].message.startswith("CoreDNS-")
