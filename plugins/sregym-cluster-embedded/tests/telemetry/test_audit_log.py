"""The audit log: what clients change, as a stream of Loki, in the format of `audit.k8s.io/v1`."""

from __future__ import annotations

import json

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import Actor, ClusterError, ClusterSpec
from sregym_core.model import ObjectRef

WRITER = Actor("helm", "Helm/3.18.6", "deployer")
REF = ObjectRef(api_version="v1", kind="ConfigMap", namespace="default", name="flags")
MANIFEST = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "flags"}}
MANIFEST["metadata"]["namespace"] = "default"


def told(cluster, selector='{job="kube-apiserver-audit"}'):
    """Streams and their events of the last hour, oldest first."""
    now = int(cluster.clock.now())
    query = [("query", selector), ("start", f"{now - 3600}000000000")]
    query += [("end", f"{now + 5}000000000"), ("direction", "forward"), ("limit", "5000")]
    answer = cluster.observe("loki", "/loki/api/v1/query_range", query)
    streams = json.loads(answer.body)["data"]["result"]
    return streams, [json.loads(line) for stream in streams for _, line in stream["values"]]


def raw(cluster):
    """Lines of each stream of the last hour, as they are kept."""
    now = int(cluster.clock.now())
    query = [("query", '{job="kube-apiserver-audit"}'), ("start", f"{now - 3600}000000000")]
    query += [("end", f"{now + 5}000000000"), ("direction", "forward"), ("limit", "5000")]
    answer = cluster.observe("loki", "/loki/api/v1/query_range", query)
    streams = json.loads(answer.body)["data"]["result"]
    return [[line for _, line in stream["values"]] for stream in streams]


def test_changes_stand_in_it_and_reads_do_not():
    cluster = Embedded().provision(ClusterSpec(seed=7))
    cluster.clock.advance(60.0)
    before = len(told(cluster)[1])
    cluster.create(MANIFEST, WRITER)
    cluster.get(REF)
    cluster.list("v1", "ConfigMap")
    cluster.clock.advance(1.0)
    with pytest.raises(ClusterError):
        cluster.create(MANIFEST, WRITER)
    cluster.delete(REF)
    streams, events = told(cluster)
    (stream,) = streams
    control_plane = next(n.name for n in cluster.nodes.nodes() if n.role == "control-plane")
    assert stream["stream"] == {
        "filename": "/var/log/kubernetes/audit/audit.log",
        "job": "kube-apiserver-audit",
        "node_name": control_plane,
        "service_name": "kube-apiserver-audit",
    }
    mine = events[before:]
    assert [(e["verb"], e["responseStatus"]["code"], e["user"]["username"]) for e in mine] == [
        ("create", 201, "deployer"),
        ("create", 409, "deployer"),
        ("delete", 200, "kubernetes-admin"),
    ]
    first = mine[0]
    assert (first["kind"], first["apiVersion"]) == ("Event", "audit.k8s.io/v1")
    assert (first["level"], first["stage"]) == ("Metadata", "ResponseComplete")
    assert first["requestURI"] == "/api/v1/namespaces/default/configmaps?fieldManager=helm"
    assert first["userAgent"] == "Helm/3.18.6"
    assert mine[2]["objectRef"] == {
        "resource": "configmaps",
        "namespace": "default",
        "name": "flags",
        "apiVersion": "v1",
    }
    assert len({e["auditID"] for e in events}) == len(events)
    cluster.close()


def test_a_fork_has_it_and_goes_on_by_itself():
    cluster = Embedded().provision(ClusterSpec(seed=7))
    cluster.create(MANIFEST, WRITER)
    fork = cluster.checkpoint().fork(ClusterSpec(seed=7))
    fork.delete(REF)
    assert told(fork)[1][: len(told(cluster)[1])] == told(cluster)[1]
    assert len(told(fork)[1]) == len(told(cluster)[1]) + 1
    assert told(fork, '{job="kube-apiserver-audit"} |= "nothing like it"') == ([], [])
    fork.close()
    cluster.close()


def test_its_machine_has_it_as_a_file_and_others_have_not():
    cluster = Embedded().provision(ClusterSpec(seed=7))
    cluster.create(MANIFEST, WRITER)
    path = "/var/log/kubernetes/audit/audit.log"
    nodes = {node.role: node.name for node in cluster.nodes.nodes()}
    told_lines = [line for stream in raw(cluster) for line in stream]
    found = cluster.nodes.run(nodes["control-plane"], ("cat", path))
    assert found.stdout.splitlines() == told_lines
    assert json.loads(found.stdout.splitlines()[-1])["objectRef"]["name"] == "flags"
    listed = cluster.nodes.run(nodes["control-plane"], ("ls", "/var/log/kubernetes/audit"))
    assert listed.stdout == "audit.log\n"
    policy = cluster.nodes.run(
        nodes["control-plane"], ("head", "-2", "/etc/kubernetes/audit-policy.yaml")
    )
    assert policy.stdout == "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
    assert cluster.nodes.run(nodes["worker"], ("cat", path)).stderr == (
        f"cat: {path}: No such file or directory\n"
    )
    cluster.close()


def test_refusals_for_want_of_rights_are_in_it():
    cluster = Embedded().provision(ClusterSpec(seed=7))
    account = Actor("deploy", "Go-http-client/2.0", "system:serviceaccount:ci:runner", limited=True)
    with pytest.raises(ClusterError) as refused:
        cluster.create(MANIFEST, account)
    assert refused.value.status == 403
    event = told(cluster)[1][-1]
    assert event["user"] == {
        "username": "system:serviceaccount:ci:runner",
        "groups": [
            "system:serviceaccounts",
            "system:serviceaccounts:ci",
            "system:authenticated",
        ],
    }
    assert event["responseStatus"] == {"metadata": {}, "status": "Failure", "code": 403}
    assert event["annotations"]["authorization.k8s.io/decision"] == "forbid"
    assert event["objectRef"]["name"] == "flags"
    cluster.close()


def test_the_server_that_writes_it_runs_as_a_pod():
    cluster = Embedded().provision(ClusterSpec(seed=7))
    cluster.clock.advance(120.0)
    (pod,) = [
        pod
        for pod in cluster.list("v1", "Pod", "kube-system")
        if pod["metadata"]["name"].startswith("kube-apiserver-")
    ]
    conditions = {one["type"]: one["status"] for one in pod["status"]["conditions"]}
    assert (pod["status"]["phase"], conditions["Ready"]) == ("Running", "True")
    words = pod["spec"]["containers"][0]["command"]
    assert "--audit-log-path=/var/log/kubernetes/audit/audit.log" in words
    cluster.close()
