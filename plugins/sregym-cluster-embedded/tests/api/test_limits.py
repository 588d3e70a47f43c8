from __future__ import annotations

import pytest

PODS = "/api/v1/namespaces/shop/pods"


@pytest.fixture
def ranged(client):
    limit = {
        "type": "Container",
        "default": {"cpu": "200m"},
        "defaultRequest": {"cpu": "100m"},
        "max": {"cpu": "500m"},
    }
    spec = {"limits": [limit]}
    client("POST", "/api/v1/namespaces/shop/limitranges", {"metadata": {"name": "l"}, "spec": spec})


def limited(make_pod, name="p", **resources):
    made = make_pod(name)
    made["spec"]["containers"][0]["resources"] = resources
    return made


def test_a_pod_gets_the_limits_of_its_namespace(client, ranged, make_pod):
    made = client("POST", PODS, make_pod())
    assert made["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "200m"},
        "requests": {"cpu": "100m"},
    }
    assert made["metadata"]["annotations"] == {
        "kubernetes.io/limit-ranger": (
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
        )
    }
    assert made["status"]["qosClass"] == "Burstable"


def test_a_pod_beyond_the_limits_is_refused(client, ranged, make_pod):
    answer = client("POST", PODS, limited(make_pod, limits={"cpu": "2"}))
    text = "maximum cpu usage per Container is 500m, but limit is 2"
    assert answer["message"] == f'pods "p" is forbidden: {text}'


@pytest.fixture
def quota(client):
    spec = {"hard": {"pods": "2", "requests.cpu": "1"}}
    client(
        "POST", "/api/v1/namespaces/shop/resourcequotas", {"metadata": {"name": "q"}, "spec": spec}
    )


def test_a_quota_counts_what_is_used(client, quota, make_pod):
    client("POST", PODS, limited(make_pod, requests={"cpu": "300m"}))
    status = client("GET", "/api/v1/namespaces/shop/resourcequotas/q")["status"]
    assert status == {
        "hard": {"pods": "2", "requests.cpu": "1"},
        "used": {"pods": "1", "requests.cpu": "300m"},
    }


def test_a_pod_beyond_the_quota_is_refused(client, quota, make_pod):
    client("POST", PODS, limited(make_pod, requests={"cpu": "800m"}))
    answer = client("POST", PODS, limited(make_pod, "r", requests={"cpu": "300m"}))
    assert answer["message"] == (
        'pods "r" is forbidden: exceeded quota: q, requested: requests.cpu=300m, '
        "used: requests.cpu=800m, limited: requests.cpu=1"
    )


def test_a_pod_must_say_what_a_quota_limits(client, quota, make_pod):
    answer = client("POST", PODS, make_pod())
    text = "failed quota: q: must specify requests.cpu for: c"
    assert answer["message"] == f'pods "p" is forbidden: {text}'
