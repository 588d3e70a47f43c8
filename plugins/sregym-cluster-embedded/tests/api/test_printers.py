from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.printers import cells
from sregym_cluster_embedded.api.printers.duration import human, seconds_of

NOW = seconds_of("2026-01-01T01:00:00Z")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (600, "10m"),
        (10799, "179m"),
        (10800, "3h"),
        (11100, "3h5m"),
        (28800, "8h"),
        (172800, "2d"),
        (180000, "2d2h"),
        (691200, "8d"),
        (63072000, "2y"),
        (64022400, "2y11d"),
    ],
)
def test_durations_have_at_most_two_units(seconds, text):
    assert human(seconds) == text


def waiting(reason):
    return {"state": {"waiting": {"reason": reason}}}


def ended(code, reason=""):
    return {"state": {"terminated": {"exitCode": code, "reason": reason}}}


RUNNING = {"state": {"running": {}}, "ready": True}


def row(containers=(), init=(), deleted=False, init_specs=(), **status):
    meta = {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z"}
    if deleted:
        meta["deletionTimestamp"] = "2026-01-01T00:59:00Z"
    spec = {
        "containers": [{"name": f"c{i}"} for i in range(len(containers) or 1)],
        "initContainers": [
            {"name": f"i{i}", **(init_specs[i] if i < len(init_specs) else {})}
            for i in range(len(init))
        ],
    }
    if containers:
        status["containerStatuses"] = [
            {"name": f"c{i}", **entry} for i, entry in enumerate(containers)
        ]
    if init:
        status["initContainerStatuses"] = [
            {"name": f"i{i}", **entry} for i, entry in enumerate(init)
        ]
    obj = {"metadata": meta, "spec": spec, "status": {"phase": "Running", **status}}
    return cells("pods", obj, NOW)[1:4]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"phase": "Pending"}, ["0/1", "Pending", "0"]),
        ({"containers": [RUNNING]}, ["1/1", "Running", "0"]),
        ({"containers": [RUNNING], "deleted": True}, ["1/1", "Terminating", "0"]),
        ({"containers": [waiting("CrashLoopBackOff")]}, ["0/1", "CrashLoopBackOff", "0"]),
        ({"containers": [waiting("ImagePullBackOff")]}, ["0/1", "ImagePullBackOff", "0"]),
        ({"containers": [ended(137, "OOMKilled")]}, ["0/1", "OOMKilled", "0"]),
        ({"containers": [ended(3)]}, ["0/1", "ExitCode:3", "0"]),
        ({"phase": "Succeeded", "containers": [ended(0, "Completed")]}, ["0/1", "Completed", "0"]),
        (
            {"containers": [ended(0, "Completed"), RUNNING]},
            ["1/2", "NotReady", "0"],
        ),
        ({"phase": "Failed", "reason": "Evicted"}, ["0/1", "Evicted", "0"]),
        (
            {"phase": "Pending", "init": [ended(0), {"state": {"running": {}}}]},
            ["0/1", "Init:1/2", "0"],
        ),
        (
            {"phase": "Pending", "init": [waiting("CrashLoopBackOff")]},
            ["0/1", "Init:CrashLoopBackOff", "0"],
        ),
        ({"phase": "Pending", "init": [ended(2, "Error")]}, ["0/1", "Init:Error", "0"]),
        (
            {
                "init": [{**RUNNING, "started": True}],
                "init_specs": [{"restartPolicy": "Always"}],
                "containers": [RUNNING],
            },
            ["2/2", "Running", "0"],
        ),
    ],
)
def test_the_status_of_a_pod_is_the_most_telling_of_its_containers(given, expected):
    assert row(**given) == expected


def test_restarts_say_when_the_last_one_was():
    last = {"terminated": {"finishedAt": "2026-01-01T00:57:30Z"}}
    assert row([{**RUNNING, "restartCount": 3, "lastState": last}])[2] == "3 (2m30s ago)"


def test_a_custom_resource_shows_what_its_definition_says():
    obj = {
        "metadata": {"name": "main", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"size": 3},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
    ready = '.status.conditions[?(@.type=="Ready")].status'
    columns = (
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Ready", "type": "string", "jsonPath": ready},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        {"name": "None", "type": "string", "jsonPath": ".spec.none"},
    )
    assert cells("caches.example.com", obj, NOW, columns) == ["main", 3, "True", "60m", None]


def test_a_scale_is_a_table_too(client, table):
    body = {"metadata": {"name": "c"}, "spec": {"replicas": 3, **_deployment_spec()}}
    client("POST", "/apis/apps/v1/namespaces/shop/deployments", body)
    found = table("/apis/apps/v1/namespaces/shop/deployments/c/scale")
    assert found == [["c", 3, 0, "0s"]]


def _deployment_spec():
    labels = {"app": "c"}
    containers = [{"name": "c", "image": "web:1"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    return {"selector": {"matchLabels": labels}, "template": template}


@pytest.mark.parametrize(
    ("subsets", "shown"),
    [
        (None, "<none>"),
        ([{"notReadyAddresses": [{"ip": "10.0.0.9"}], "ports": [{"port": 80}]}], ""),
        ([{"addresses": [{"ip": "10.0.0.9"}], "ports": [{"port": 80}]}], "10.0.0.9:80"),
    ],
)
def test_endpoints_of_pods_that_are_not_ready_leave_the_column_empty(subsets, shown):
    meta = {"name": "web", "creationTimestamp": "2026-01-01T00:00:00Z"}
    obj = {"metadata": meta, **({"subsets": subsets} if subsets else {})}
    assert cells("endpoints", obj, NOW) == ["web", shown, "60m"]
