"""What objects have where their authors said nothing."""

from __future__ import annotations

import pytest

MISMATCH = "`selector` does not match template `labels`"
POD = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}


def test_limit_ranges_always_have_a_list(client):
    path = "/api/v1/namespaces/shop/limitranges"
    assert client("POST", path, {"metadata": {"name": "a"}})["spec"] == {"limits": None}
    given = {"metadata": {"name": "b"}, "spec": {"limits": []}}
    assert client("POST", path, given)["spec"] == {"limits": None}


def test_an_ingress_without_rules_has_none(client):
    path = "/apis/networking.k8s.io/v1/namespaces/shop/ingresses"
    backend = {"service": {"name": "web", "port": {"number": 80}}}
    given = {"metadata": {"name": "a"}, "spec": {"rules": [], "defaultBackend": backend}}
    assert client("POST", path, given)["spec"] == {"defaultBackend": backend}
    refused = client("POST", path, {"metadata": {"name": "b"}, "spec": {"rules": []}})
    assert refused["message"] == (
        'Ingress.networking.k8s.io "b" is invalid: spec: Invalid value: []: either '
        "`defaultBackend` or `rules` must be specified"
    )


def test_endpoints_always_have_conditions(client):
    path = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices"
    given = {
        "metadata": {"name": "a"},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.1.2.3"]}],
    }
    made = client("POST", path, given)
    assert made["endpoints"] == [{"addresses": ["10.1.2.3"], "conditions": {}}]


def test_a_node_tells_what_it_does_not_know(client):
    made = client("POST", "/api/v1/nodes", {"metadata": {"name": "spare"}})
    assert made["status"]["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 0}}
    assert set(made["status"]["nodeInfo"].values()) == {""}
    assert len(made["status"]["nodeInfo"]) == 10


def test_a_flow_schema_says_whether_its_level_exists(client):
    group = "/apis/flowcontrol.apiserver.k8s.io/v1"
    level = {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}
    given = {"metadata": {"name": "slow"}, "spec": level}
    assert client("POST", f"{group}/prioritylevelconfigurations", given)["status"] == {}
    said = []
    for name in ("slow", "gone"):
        spec = {"priorityLevelConfiguration": {"name": name}}
        made = client("POST", f"{group}/flowschemas", {"metadata": {"name": name}, "spec": spec})
        (condition,) = made["status"]["conditions"]
        said.append((condition["status"], condition["reason"], condition["message"]))
    text = "This FlowSchema references the PriorityLevelConfiguration object named"
    assert said == [
        ("False", "Found", f'{text} "slow" and it exists'),
        ("True", "NotFound", f'{text} "gone" but there is no such object'),
    ]


def test_a_range_for_services_is_ready(client):
    path = "/apis/networking.k8s.io/v1/servicecidrs"
    given = {"metadata": {"name": "more"}, "spec": {"cidrs": ["10.200.0.0/24"]}}
    (condition,) = client("POST", path, given)["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("Ready", "True")
    assert condition["message"] == "Kubernetes Service CIDR is ready"


@pytest.mark.parametrize(
    ("plural", "kind", "first"),
    [
        ("deployments", "Deployment", "spec.selector: Required value, "),
        ("replicasets", "ReplicaSet", "spec.selector: Required value, "),
        ("statefulsets", "StatefulSet", "spec.selector: Required value, "),
        ("daemonsets", "DaemonSet", ""),
    ],
)
def test_workloads_without_a_template(client, plural, kind, first):
    path = f"/apis/apps/v1/namespaces/shop/{plural}"
    refused = client("POST", path, {"metadata": {"name": "bare"}})
    assert refused["message"] == (
        f'{kind}.apps "bare" is invalid: [{first}spec.template.metadata.labels: Invalid value: '
        f"null: {MISMATCH}, spec.template.spec.containers: Required value]"
    )


def test_a_job_must_leave_its_selector_to_the_server(client):
    path = "/apis/batch/v1/namespaces/shop/jobs"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": POD}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    refused = client("POST", path, {"metadata": {"name": "one"}, "spec": spec})
    assert refused["message"].startswith(
        'Job.batch "one" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"b",'
        '"batch.kubernetes.io/controller-uid":"'
    )
    assert refused["message"].endswith('"}}: `selector` not auto-generated')
    manual = {"metadata": {"name": "one"}, "spec": {**spec, "manualSelector": True}}
    assert client("POST", path, manual)["spec"]["selector"] == {"matchLabels": {"a": "b"}}


def test_a_job_with_the_labels_of_another(client):
    path = "/apis/batch/v1/namespaces/shop/jobs"
    labels = {"job-name": "two", "controller-uid": "x"}
    spec = {"template": {"metadata": {"labels": labels}, "spec": POD}}
    refused = client("POST", path, {"metadata": {"name": "one"}, "spec": spec})
    places = [cause["field"] for cause in refused["details"]["causes"]]
    assert places == [
        "spec.template.metadata.labels[controller-uid]",
        "spec.template.metadata.labels[job-name]",
    ]


def test_a_signing_request_without_a_request(client):
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    spec = {"signerName": "shop.example/a", "usages": ["client auth"]}
    refused = client("POST", path, {"metadata": {"name": "a"}, "spec": spec})
    assert refused["message"] == (
        'CertificateSigningRequest.certificates.k8s.io "a" is invalid: spec.request: Invalid '
        "value: null: PEM block type must be CERTIFICATE REQUEST"
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"kind": "Secret"}, "converting (v1.Secret) to (core.ConfigMap): unknown conversion"),
        (
            {"apiVersion": "v9"},
            'no kind "ConfigMap" is registered for version "v9" in scheme '
            '"pkg/api/legacyscheme/scheme.go:30"',
        ),
    ],
)
def test_a_patch_does_not_make_another_type(client, change, expected):
    path = "/api/v1/namespaces/shop/configmaps"
    client("POST", path, {"metadata": {"name": "a"}})
    refused = client("PATCH", f"{path}/a", change, content="application/merge-patch+json")
    assert (refused["code"], refused["details"]["causes"][0]["field"]) == (422, "patch")
    assert refused["message"].endswith(f'": {expected}')
    kept = client("PATCH", f"{path}/a", {"kind": None}, content="application/merge-patch+json")
    assert (kept["kind"], kept["apiVersion"]) == ("ConfigMap", "v1")
