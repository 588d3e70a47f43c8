"""Strategic merge patches with values that do not fit, with the error texts of the server's converter."""

from __future__ import annotations

import pytest

CORE = "/api/v1/namespaces/shop"
WEB = "/apis/apps/v1/namespaces/shop/deployments/web"
STRATEGIC = "application/strategic-merge-patch+json"


@pytest.fixture
def patched(client):
    """What is said of a patch of the Deployment `web`, the ConfigMap `c` or the Secret `s`."""
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "x:1"}]},
    }
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    client("POST", WEB.removesuffix("/web"), {"metadata": {"name": "web"}, "spec": spec})
    client("POST", f"{CORE}/configmaps", {"metadata": {"name": "c"}})
    client("POST", f"{CORE}/secrets", {"metadata": {"name": "s"}})

    def patch(path, change):
        return client("PATCH", path, change, content=STRATEGIC)

    return patch


@pytest.mark.parametrize(
    ("path", "change", "said"),
    [
        (
            WEB,
            {"spec": {"replicas": 1.5}},
            '"map[spec:map[replicas:1.5]]": cannot convert float64 to int32',
        ),
        (
            WEB,
            {"spec": {"replicas": True}},
            '"map[spec:map[replicas:true]]": unrecognized type: int32',
        ),
        (
            WEB,
            {"spec": {"paused": "no"}},
            '"map[spec:map[paused:no]]": unrecognized type: bool',
        ),
        (
            WEB,
            {"metadata": {"annotations": {"port": 80}}},
            '"map[metadata:map[annotations:map[port:80]]]": cannot convert int64 to string',
        ),
        (
            WEB,
            {"spec": {"template": {"spec": {"activeDeadlineSeconds": "x"}}}},
            '"map[spec:map[template:map[spec:map[activeDeadlineSeconds:x]]]]": '
            "unrecognized type: int64",
        ),
        (
            WEB,
            {"spec": {"template": {"spec": {"containers": [{"name": "web", "args": [1]}]}}}},
            '"map[spec:map[template:map[spec:map[containers:[map[args:[1] name:web]]]]]]": '
            "cannot convert int64 to string",
        ),
        (
            f"{CORE}/configmaps/c",
            {"data": {"debug": False}},
            '"map[data:map[debug:false]]": unrecognized type: string',
        ),
        (
            f"{CORE}/configmaps/c",
            {"data": "x"},
            '"map[data:x]": cannot restore map from string',
        ),
        (
            f"{CORE}/secrets/s",
            {"data": {"password": "hunter2"}},
            '"map[data:map[password:hunter2]]": error decoding from json: '
            "illegal base64 data at input byte 4",
        ),
        (
            f"{CORE}/secrets/s",
            {"data": {"password": 5}},
            '"map[data:map[password:5]]": cannot restore slice from int64',
        ),
    ],
)
def test_a_value_that_does_not_fit(patched, path, change, said):
    answer = patched(path, change)
    assert (answer["code"], answer["message"]) == (
        422,
        f' "" is invalid: patch: Invalid value: {said}',
    )


def test_whole_numbers_may_be_written_as_fractions(patched):
    assert patched(WEB, {"spec": {"replicas": 2.0}})["spec"]["replicas"] == 2
