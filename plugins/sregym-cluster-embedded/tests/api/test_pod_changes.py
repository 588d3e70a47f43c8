"""What may change in a pod, a volume and a class that exist."""

from __future__ import annotations

from typing import Any

import pytest

PODS = "/api/v1/namespaces/shop/pods"
MERGE = "application/merge-patch+json"

CHANGES: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"containers": [{"name": "c", "image": "x"}, {"name": "d", "image": "x"}]},
        ["spec.containers: Forbidden: pod updates may not add or remove containers"],
    ),
    (
        {"activeDeadlineSeconds": 60},
        [
            "spec.activeDeadlineSeconds: Invalid value: 60: must be less than or equal to previous "
            "value"
        ],
    ),
    (
        {"activeDeadlineSeconds": None},
        [
            "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive "
            "integer to nil value"
        ],
    ),
    (
        {"tolerations": None},
        [
            "spec.tolerations: Forbidden: existing toleration can not be modified except its "
            "tolerationSeconds"
        ],
    ),
]


@pytest.mark.parametrize(("change", "causes"), CHANGES)
def test_of_a_pod(client: Any, make_pod: Any, change: Any, causes: list[str]) -> None:
    client("POST", PODS, make_pod(activeDeadlineSeconds=50))
    assert told(client("PATCH", f"{PODS}/p", {"spec": change}, content=MERGE)) == causes


def test_a_shorter_deadline_and_one_more_toleration_are_taken(client: Any, make_pod: Any) -> None:
    made = client("POST", PODS, make_pod(activeDeadlineSeconds=50))
    more = [*made["spec"]["tolerations"], {"key": "a", "operator": "Exists"}]
    change = {"spec": {"activeDeadlineSeconds": 40, "tolerations": more}}
    changed = client("PATCH", f"{PODS}/p", change, content=MERGE)
    spec = changed["spec"]
    assert (spec["activeDeadlineSeconds"], spec["tolerations"]) == (40, more)


def test_where_a_volume_is_does_not_change(client: Any) -> None:
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/a"},
    }
    client("POST", "/api/v1/persistentvolumes", {"metadata": {"name": "v"}, "spec": spec})
    change = {"spec": {"hostPath": {"path": "/b"}}}
    answer = client("PATCH", "/api/v1/persistentvolumes/v", change, content=MERGE)
    assert told(answer) == [
        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after "
        "creation\n"
        "@@ -2,7 +2,7 @@\n"
        '  "GCEPersistentDisk": null,\n'
        '  "AWSElasticBlockStore": null,\n'
        '  "HostPath": {\n'
        '-  "Path": "/a",\n'
        '+  "Path": "/b",\n'
        '   "Type": ""\n'
        "  },\n"
        '  "Glusterfs": null,\n'
    ]


def test_the_value_of_a_priority_class_does_not_change(client: Any) -> None:
    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    client("POST", path, {"metadata": {"name": "gold"}, "value": 5})
    answer = client("PATCH", f"{path}/gold", {"value": 6}, content=MERGE)
    assert told(answer) == ["value: Forbidden: may not be changed in an update."]


def test_a_service_keeps_the_addresses_and_ports_that_nobody_names(client: Any) -> None:
    path = "/api/v1/namespaces/shop/services"
    spec = {"type": "NodePort", "ports": [{"port": 80}]}
    made = client("POST", path, {"metadata": {"name": "s"}, "spec": spec})
    again = client("PUT", f"{path}/s", {"metadata": {"name": "s"}, "spec": spec})
    assert again["spec"] == made["spec"]


def test_a_namespace_keeps_its_finalizers(client: Any) -> None:
    before = client("GET", "/api/v1/namespaces/shop")
    change = {"spec": {"finalizers": None}, "metadata": {"labels": {"a": "b"}}}
    after = client("PATCH", "/api/v1/namespaces/shop", change, content=MERGE)
    assert after["spec"] == before["spec"]


def told(answer: dict[str, Any]) -> list[str]:
    """The causes of an answer, as kubectl prints them."""
    return [f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]]
