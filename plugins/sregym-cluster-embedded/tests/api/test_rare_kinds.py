"""What the API server says about drivers, attachments, and the fairness of requests."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

STORAGE = "/apis/storage.k8s.io/v1"
FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1"
CASES = [
    (
        f"{STORAGE}/csidrivers",
        "{fsGroupPolicy: Foo, volumeLifecycleModes: [X]}",
        [
            'spec.fsGroupPolicy: Unsupported value: "Foo": supported values: "File", "None", '
            '"ReadWriteOnceWithFSType"',
            'spec.volumeLifecycleModes: Unsupported value: "X": supported values: "Persistent", '
            '"Ephemeral"',
        ],
    ),
    (
        f"{STORAGE}/csinodes",
        "{drivers: [{name: a, nodeID: ''}, {name: a, nodeID: x, topologyKeys: [k, k]}]}",
        [
            "spec.drivers[0].nodeID: Required value",
            'spec.drivers[1].name: Duplicate value: "a"',
            'spec.drivers[1]: Duplicate value: "k"',
        ],
    ),
    (
        f"{STORAGE}/volumeattachments",
        "{attacher: '', nodeName: node, source: {}}",
        [
            "spec.attacher: Required value",
            "spec.source: Required value: must specify exactly one of inlineVolumeSpec and "
            "persistentVolumeName",
        ],
    ),
    (
        f"{FLOW}/flowschemas",
        "{priorityLevelConfiguration: {name: ''}, matchingPrecedence: 20000, rules: [{subjects: "
        "[{kind: User, user: {name: a}, group: {name: b}}], nonResourceRules: [{verbs: ['*', get], "
        "nonResourceURLs: [/a]}]}, {}]}",
        [
            "spec.matchingPrecedence: Invalid value: 20000: must not be greater than 10000",
            "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
            "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is "
            "not 'Group'",
            'spec.rules[0].nonResourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is '
            "present, must not specify other verbs",
            "spec.rules[1].subjects: Required value: subjects must contain at least one value",
            "spec.rules[1]: Required value: at least one of resourceRules and nonResourceRules has "
            "to be non-empty",
        ],
    ),
    (
        f"{FLOW}/prioritylevelconfigurations",
        "{type: Limited, limited: {limitResponse: {type: Queue, queuing: {queues: 2, handSize: 3}}}}",
        [
            "spec.limited.limitResponse.queuing.handSize: Invalid value: 3: should not be greater "
            "than queues (2)"
        ],
    ),
    (
        f"{FLOW}/prioritylevelconfigurations",
        "{type: Exempt}",
        [
            "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is "
            "'exempt'"
        ],
    ),
]


@pytest.mark.parametrize(("path", "spec", "expected"), CASES)
def test_a_rare_object_that_cannot_be(
    client: Any, path: str, spec: str, expected: list[str]
) -> None:
    answer = client("POST", path, {"metadata": {"name": "x"}, "spec": yaml.safe_load(spec)})
    assert [f"{c['field']}: {c['message']}" for c in answer["details"]["causes"]] == expected


def test_an_aggregated_api_without_a_server_is_unavailable(client: Any) -> None:
    spec = {
        "group": "foo.example",
        "version": "v1",
        "groupPriorityMinimum": 100,
        "versionPriority": 20,
        "service": {"name": "nope", "namespace": "shop"},
    }
    path = "/apis/apiregistration.k8s.io/v1/apiservices"
    assert client.raw("GET", "/apis/foo.example/v1").status == 404
    client("POST", path, {"metadata": {"name": "v1.foo.example"}, "spec": spec})
    for further in ("", "/namespaces/shop/things"):
        answer = client.raw("GET", f"/apis/foo.example/v1{further}")
        assert (answer.status, answer.body) == (503, b"service unavailable\n")
    version = {"groupVersion": "foo.example/v1", "version": "v1"}
    group = {"name": "foo.example", "versions": [version], "preferredVersion": version}
    assert client("GET", "/apis")["groups"][-1] == group
    assert client("GET", "/apis/foo.example") == {"kind": "APIGroup", "apiVersion": "v1", **group}
    form = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    assert client("GET", "/apis", accept=form)["items"][-1] == {
        "metadata": {"name": "foo.example"},
        "versions": [{"version": "v1", "freshness": "Stale"}],
    }
