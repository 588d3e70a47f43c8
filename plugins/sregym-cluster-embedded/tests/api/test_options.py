"""Options of requests: what only tries, what is too much or too little, and what fits no more."""

from __future__ import annotations

import pytest

MAPS = "/api/v1/namespaces/shop/configmaps"


def test_what_is_deleted_to_try_stays(client):
    client("POST", MAPS, {"metadata": {"name": "a"}})
    tried = client("DELETE", f"{MAPS}/a", {"kind": "DeleteOptions", "dryRun": ["All"]})
    assert tried["status"] == "Success"
    tried = client("DELETE", "/api/v1/namespaces/shop", {"dryRun": ["All"]})
    assert tried["status"] == "Success"
    assert client("GET", "/api/v1/namespaces/shop")["status"] == {"phase": "Active"}
    assert client("GET", f"{MAPS}/a")["metadata"]["name"] == "a"
    client("DELETE", MAPS, {"dryRun": ["All"]})
    assert client("GET", f"{MAPS}/a")["metadata"]["name"] == "a"


@pytest.mark.parametrize(
    ("method", "query", "expected"),
    [
        ("POST", {"dryRun": "Some"}, 'CreateOptions.meta.k8s.io "" is invalid: dryRun: '),
        ("PUT", {"dryRun": "Some"}, 'UpdateOptions.meta.k8s.io "" is invalid: dryRun: '),
        ("DELETE", {"dryRun": "Some"}, 'DeleteOptions.meta.k8s.io "" is invalid: dryRun: '),
    ],
)
def test_only_all_can_be_tried(client, method, query, expected):
    made = client("POST", MAPS, {"metadata": {"name": "a"}})
    path = MAPS if method == "POST" else f"{MAPS}/a"
    body = None if method == "DELETE" else {**made, "metadata": {"name": "a"}}
    answer = client(method, path, body, **query)
    assert answer["message"] == f'{expected}Unsupported value: ["Some"]: supported values: "All"'


def test_unknown_fields_are_treated_in_three_ways_only(client):
    answer = client("POST", MAPS, {"metadata": {"name": "a"}}, fieldValidation="Some")
    assert answer["message"] == (
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Some": '
        'supported values: "", "Ignore", "Strict", "Warn"'
    )


def test_an_object_is_not_replaced_by_one_made_from_another(client):
    made = client("POST", MAPS, {"metadata": {"name": "a"}})
    answer = client("PUT", f"{MAPS}/a", {"metadata": {"name": "a", "uid": "other"}})
    assert answer["message"] == (
        'Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, '
        "Key: /registry/configmaps/shop/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
        f"failed: UID in precondition: other, UID in object meta: {made['metadata']['uid']}"
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"tailLines": "x"}, 'strconv.ParseInt: parsing "x": invalid syntax'),
        ({"tailLines": "9" * 20}, f'strconv.ParseInt: parsing "{"9" * 20}": value out of range'),
        (
            {"sinceTime": "now"},
            'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
        ),
        (
            {"tailLines": "-1", "limitBytes": "0"},
            'PodLogOptions "p" is invalid: [tailLines: Invalid value: -1: must be greater than or '
            "equal to 0, limitBytes: Invalid value: 0: must be greater than 0]",
        ),
        (
            {"sinceSeconds": "0"},
            'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
        ),
        (
            {"sinceSeconds": "5", "sinceTime": "2026-01-01T00:00:00Z"},
            'PodLogOptions "p" is invalid: : Forbidden: at most one of `sinceTime` or '
            "`sinceSeconds` may be specified",
        ),
    ],
)
def test_logs_that_cannot_be_asked_for(client, make_pod, query, expected):
    client("POST", "/api/v1/namespaces/shop/pods", make_pod(name="p"))
    answer = client("GET", "/api/v1/namespaces/shop/pods/p/log", **query)
    assert answer["message"] == expected


def test_only_checks_that_exist_have_an_answer(client):
    assert client.raw("GET", "/livez/etcd").status == 200
    assert client.raw("GET", "/livez/none").status == 404


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("/livez", ["ping", "log", "loopback-serving-certificate", "etcd"]),
        ("/healthz", ["ping", "log", "loopback-serving-certificate", "etcd"]),
        ("/readyz", ["ping", "log", "informer-sync"]),
    ],
)
def test_the_checks_of_the_server_itself_come_first(client, path, first):
    lines = client.raw("GET", path, verbose="").body.decode().splitlines()
    checks = [line for line in lines if "poststarthook" not in line]
    assert checks[: len(first)] == [f"[+]{name} ok" for name in first]
