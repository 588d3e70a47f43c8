"""Commands that the twin leaves to the real kubectl, on a cluster that nobody outside looks at."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.cluster import EmbeddedCluster
from sregym_core.interfaces import ClusterSpec, Command

BEGAN = datetime(2026, 1, 1, 9, tzinfo=UTC).timestamp()

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedCluster]:
    cluster = EmbeddedCluster(build(Blueprint(metrics_server=True)), ClusterSpec())
    cluster.clock.advance(600.0)  # by now 660 s have passed since 2026-01-01T09:00:00Z
    yield cluster
    cluster.close()


def run(cluster: EmbeddedCluster, *words: str) -> str:
    done = cluster.kubectl(Command(("kubectl", *words)))
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


def minutes(cluster: EmbeddedCluster) -> set[str]:
    """How old is what was made at the beginning, or in the minute after it."""
    now = int(cluster.clock.now() - BEGAN) // 60
    return {f"{now - 1}", f"{now}"}


def test_ages_and_moments_of_a_described_node_are_virtual(cluster: EmbeddedCluster) -> None:
    text = run(cluster, "describe", "node", "node1")
    old = minutes(cluster)
    assert "CreationTimestamp:  Thu, 01 Jan 2026 09:00:00 +0000\n" in text
    # Nobody writes signs of life: they are those of this moment whenever somebody looks.
    assert text.count(" 2026 09:1") == 5
    years = set(re.findall(r"\b20\d\d\b", text))
    ages = re.findall(r"\b(\d+m(?:\d+s)?|\d+[shd]|\d+d\d+h)$", text, re.MULTILINE)
    ages += [line.split()[2] for line in text.partition("Events:")[2].splitlines()[3:]]
    assert (years, {age[:2] for age in ages} <= old) == ({"2026"}, True), ages


def test_ages_of_events_are_virtual(cluster: EmbeddedCluster) -> None:
    lines = run(cluster, "events", "-n", "kube-system").splitlines()
    assert lines[0].split() == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert {line.split()[0][:2] for line in lines[1:]} <= minutes(cluster)


def test_moments_in_arguments_are_virtual(cluster: EmbeddedCluster) -> None:
    moment = "2026-01-01T09:05:00Z"
    created = run(
        cluster, "create", "job", "x", "--image=busybox", "-o", "name", "--dry-run=server"
    )
    assert created == "job.batch/x\n"
    run(cluster, "annotate", "ns", "default", f"seen={moment}", "--v=0")
    annotation = ("-o", "jsonpath={.metadata.annotations.seen}")
    assert run(cluster, "get", "ns", "default", *annotation) == moment
    assert run(cluster, "get", "ns", "default", *annotation, "--v=0") == moment


def test_explanations_need_no_time(cluster: EmbeddedCluster) -> None:
    assert run(cluster, "explain", "deployment.spec.replicas").startswith(
        "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: replicas <integer>\n"
    )


LIST = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}
- {apiVersion: v1, kind: Service, metadata: {name: b}, spec: {ports: [{port: 80}]}}
"""


def test_a_list_can_be_applied(cluster: EmbeddedCluster) -> None:
    def apply(text: str) -> tuple[int, str, str]:
        done = cluster.kubectl(Command(("kubectl", "apply", "-f", "-"), text))
        return (done.exit_code, done.stdout, done.stderr)

    assert apply(LIST) == (0, "configmap/a created\nservice/b created\n", "")
    changed = LIST.replace("k: v", "k: w")
    assert apply(changed) == (0, "configmap/a configured\nservice/b unchanged\n", "")
    run(cluster, "delete", "configmap", "a")
    assert apply(LIST.replace(", data:", ", date:")) == (
        1,
        "service/b unchanged\n",
        'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" '
        'cannot be handled as a ConfigMap: strict decoding error: unknown field "date"\n',
    )


def test_what_does_not_end_is_stopped(
    cluster: EmbeddedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sregym_cluster_embedded.cluster.commands.BINARY_TIMEOUT_S", 3.0)
    done = cluster.kubectl(Command(("kubectl", "get", "ns", "default", "-o", "name", "-w")))
    assert (done.exit_code, done.stdout, done.stderr) == (
        124,
        "namespace/default\n",
        "error: kubectl get did not end within 3 s and was stopped\n",
    )
