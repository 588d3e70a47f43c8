"""What a deletion may be told, which numbers fit, and what a patch must leave."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.body import canonical

MAPS = "/api/v1/namespaces/shop/configmaps"


@pytest.mark.parametrize(
    ("body", "query", "message"),
    [
        (None, {"gracePeriodSeconds": "x"}, 'strconv.ParseInt: parsing "x": invalid syntax'),
        (
            None,
            {"gracePeriodSeconds": "9" * 20},
            f'strconv.ParseInt: parsing "{"9" * 20}": value out of range',
        ),
        (
            {"gracePeriodSeconds": "1"},
            {},
            "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of "
            "type int64",
        ),
        (
            [],
            {},
            "json: cannot unmarshal array into Go value of type v1.DeleteOptions",
        ),
    ],
)
def test_options_that_cannot_be(client, body, query, message):
    client("POST", MAPS, {"metadata": {"name": "c"}})
    answer = client("DELETE", f"{MAPS}/c", body, **query)
    assert (answer["code"], answer["reason"], answer["message"]) == (400, "BadRequest", message)
    assert client("GET", f"{MAPS}/c")["kind"] == "ConfigMap"


def test_a_grace_without_end_ends(client, make_pod):
    client("POST", "/api/v1/namespaces/shop/pods", make_pod(nodeName="node1"))
    gone = client("DELETE", "/api/v1/namespaces/shop/pods/p", {"gracePeriodSeconds": 2**60})
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 2**31


@pytest.mark.parametrize(
    ("replicas", "words"),
    [
        (
            2**31,
            "number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (1.5, "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32"),
        ("x", "string into Go struct field DeploymentSpec.spec.replicas of type int32"),
    ],
)
def test_numbers_that_do_not_fit(client, make_deployment, replicas, words):
    path = "/apis/apps/v1/namespaces/shop/deployments"
    answer = client("POST", path, make_deployment(replicas=replicas))
    assert answer["message"] == (
        f'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal {words}'
    )


@pytest.mark.parametrize("value", [[None, "x", {"a": 1}], "x", None, 5])
def test_a_patch_that_leaves_no_object(client, value):
    client("POST", MAPS, {"metadata": {"name": "c"}})
    patch = [{"op": "replace", "path": "", "value": value}]
    answer = client("PATCH", f"{MAPS}/c", patch, content="application/json-patch+json")
    assert (answer["code"], answer["reason"]) == (422, "Invalid")


@pytest.mark.parametrize(
    ("kind", "sent", "read"),
    [
        # A pointer says that somebody wrote nothing; other texts are left out when they are empty.
        (
            ("batch", "v1", "CronJob"),
            {"spec": {"timeZone": "", "concurrencyPolicy": "", "suspend": False}},
            {"spec": {"timeZone": "", "suspend": False}},
        ),
        (
            ("", "v1", "Service"),
            {"spec": {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 0}}, "type": ""}},
            {"spec": {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 0}}}},
        ),
        (
            ("", "v1", "Pod"),
            {"spec": {"priority": 0, "hostPID": False, "hostUsers": False, "nodeName": ""}},
            {"spec": {"priority": 0, "hostUsers": False}},
        ),
        (
            ("", "v1", "Secret"),
            {"metadata": {"name": "", "generation": 0}, "immutable": False, "type": ""},
            {"metadata": {}, "immutable": False},
        ),
    ],
)
def test_what_is_empty_stays_where_it_says_something(kind, sent, read):
    assert canonical(sent, *kind) == (read, [])


def test_groups_may_have_numbers_of_64_bits():
    def spec(group):
        pod = {"metadata": {}, "spec": {"securityContext": {"supplementalGroups": [0, group]}}}
        return canonical(pod, "", "v1", "Pod")[0]["spec"]

    assert spec(2**40) == {"securityContext": {"supplementalGroups": [0, 2**40]}}
    with pytest.raises(ValueError) as caught:
        spec(2**63)
    assert str(caught.value) == (
        f"json: cannot unmarshal number {2**63} into Go struct field "
        "PodSecurityContext.spec.securityContext.supplementalGroups of type int64"
    )
