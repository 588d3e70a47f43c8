"""What a status must not be."""

from __future__ import annotations

import pytest

APPS = "/apis/apps/v1/namespaces/shop"
CORE = "/api/v1/namespaces/shop"
JOBS = "/apis/batch/v1/namespaces/shop/jobs"
MERGE = "application/merge-patch+json"
TEMPLATE = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "a", "image": "x"}]},
}
SELECTED = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}


def causes(answer):
    assert answer.get("reason") == "Invalid", answer
    return [f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]]


def patched(client, path, status):
    return client("PATCH", f"{path}/status", {"status": status}, content=MERGE)


@pytest.mark.parametrize(
    ("plural", "status", "found"),
    [
        (
            "deployments",
            {"replicas": 1, "updatedReplicas": 2, "readyReplicas": -1, "availableReplicas": 1},
            [
                "status.readyReplicas: Invalid value: -1: must be greater than or equal to 0",
                "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas",
                "status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas",
            ],
        ),
        (
            "replicasets",
            {"replicas": 1, "fullyLabeledReplicas": 2, "readyReplicas": 3, "availableReplicas": 4},
            [
                "status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than "
                "status.replicas",
                "status.readyReplicas: Invalid value: 3: cannot be greater than status.replicas",
                "status.availableReplicas: Invalid value: 4: cannot be greater than status.replicas",
                "status.availableReplicas: Invalid value: 4: cannot be greater than readyReplicas",
            ],
        ),
        (
            "statefulsets",
            {"replicas": 1, "currentReplicas": 2, "availableReplicas": 1},
            [
                "status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas",
                "status.availableReplicas: Invalid value: 1: cannot be greater than "
                "status.readyReplicas",
            ],
        ),
        (
            "daemonsets",
            {
                "currentNumberScheduled": -1,
                "numberMisscheduled": 0,
                "desiredNumberScheduled": 0,
                "numberReady": -2,
            },
            [
                "status.currentNumberScheduled: Invalid value: -1: must be greater than or equal to 0",
                "status.numberReady: Invalid value: -2: must be greater than or equal to 0",
            ],
        ),
    ],
)
def test_workloads(client, plural, status, found):
    client("POST", f"{APPS}/{plural}", {"metadata": {"name": "w"}, "spec": SELECTED})
    assert causes(patched(client, f"{APPS}/{plural}/w", status)) == found


def test_collisions_are_not_uncounted(client):
    client("POST", f"{APPS}/deployments", {"metadata": {"name": "w"}, "spec": SELECTED})
    patched(client, f"{APPS}/deployments/w", {"collisionCount": 2})
    assert causes(patched(client, f"{APPS}/deployments/w", {"collisionCount": 1})) == [
        "status.collisionCount: Invalid value: 1: cannot be decremented"
    ]


@pytest.mark.parametrize(
    ("status", "found"),
    [
        (
            {"conditions": [{"type": "Complete", "status": "True"}], "active": 1},
            [
                "status.completionTime: Required value: completionTime is required for Complete jobs",
                "status.conditions: Invalid value: cannot set Complete=True condition without the "
                "SuccessCriteriaMet=true condition",
                "status.active: Invalid value: 1: active>0 is invalid for finished job",
                "status.startTime: Required value: startTime is required for finished job",
            ],
        ),
        (
            {"ready": 2, "active": 1, "completionTime": "2026-01-01T00:00:00Z"},
            [
                'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": cannot set '
                "completionTime when there is no Complete=True condition",
                "status.ready: Invalid value: 2: cannot set more ready pods than active",
            ],
        ),
        (
            {
                "conditions": [{"type": "Failed", "status": "True"}],
                "startTime": "2026-01-01T00:00:00Z",
                "completedIndexes": "0",
            },
            [
                "status.conditions: Invalid value: cannot set Failed=True condition without the "
                "FailureTarget=true condition",
                'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes '
                "when non-indexed completion mode",
            ],
        ),
    ],
)
def test_jobs(client, status, found):
    spec = {"template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}
    client("POST", JOBS, {"metadata": {"name": "j"}, "spec": spec})
    assert causes(patched(client, f"{JOBS}/j", status)) == found


def test_counters_of_jobs_only_grow(client):
    spec = {"template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}
    client("POST", JOBS, {"metadata": {"name": "j"}, "spec": spec})
    patched(client, f"{JOBS}/j", {"failed": 2, "startTime": "2026-01-01T00:00:00Z"})
    assert causes(patched(client, f"{JOBS}/j", {"failed": 1, "startTime": None})) == [
        "status.failed: Invalid value: 1: cannot decrease the failed counter",
        "status.startTime: Required value: startTime cannot be removed for unsuspended job",
    ]


def state(**given):
    return [
        {"name": "a", "ready": False, "restartCount": 0, "image": "", "imageID": "", "state": given}
    ]


def test_pods(client, make_pod):
    client("POST", f"{CORE}/pods", make_pod(restartPolicy="Never"))
    ended = state(terminated={"exitCode": 1})
    kept = patched(client, f"{CORE}/pods/p", {"phase": "Failed", "containerStatuses": ended})
    assert kept["status"]["qosClass"] == "BestEffort"
    name = client("GET", f"{CORE}/pods/p")["spec"]["containers"][0]["name"]
    ended[0]["name"] = name
    patched(client, f"{CORE}/pods/p", {"containerStatuses": ended})
    running = [{**state(running={})[0], "name": name}]
    status = {
        "qosClass": "Guaranteed",
        "containerStatuses": running,
        "podIPs": [{"ip": "300.1.1.1"}],
        "hostIPs": [{"ip": "10.0.0.1"}],
        "conditions": [{"type": "bad type", "status": "True"}],
    }
    assert causes(patched(client, f"{CORE}/pods/p", status)) == [
        'metadata.conditions[0].Type: Invalid value: "bad type": name part must consist of '
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        'status.qosClass: Invalid value: "Guaranteed": field is immutable',
        "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated "
        "state",
        'status.podIPs[0]: Invalid value: "300.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or '
        "2001:db8::ffff)",
        'status.hostIPs[0].ip: Invalid value: "10.0.0.1": must be equal to `hostIP`',
    ]


def test_namespaces_and_nodes(client):
    client("POST", "/api/v1/namespaces", {"metadata": {"name": "x"}})
    assert causes(patched(client, "/api/v1/namespaces/x", {"phase": "Terminating"})) == [
        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is "
        "empty"
    ]
    client("POST", "/api/v1/nodes", {"metadata": {"name": "n"}})
    address = {"type": "InternalIP", "address": "10.0.0.1"}
    status = {"capacity": {"cpu": "-1"}, "addresses": [address, address]}
    assert causes(patched(client, "/api/v1/nodes/n", status)) == [
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
    ]


def test_balancers(client):
    ports = {"ports": [{"port": 80}]}
    client("POST", f"{CORE}/services", {"metadata": {"name": "s"}, "spec": ports})
    status = {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}
    assert causes(patched(client, f"{CORE}/services/s", status)) == [
        "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"
    ]
    spec = {**ports, "type": "LoadBalancer"}
    client("POST", f"{CORE}/services", {"metadata": {"name": "b"}, "spec": spec})
    given = patched(client, f"{CORE}/services/b", status)
    assert given["status"]["loadBalancer"] == {"ingress": [{"ip": "1.2.3.4", "ipMode": "VIP"}]}
    status = {"loadBalancer": {"ingress": [{"hostname": "1.2.3.4", "ipMode": "VIP"}]}}
    assert causes(patched(client, f"{CORE}/services/b", status)) == [
        "status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set",
        'status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not '
        "an IP address",
    ]
