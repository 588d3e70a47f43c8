"""Admission of what is posted below objects, and of connections to them."""

from __future__ import annotations

import pytest

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
PODS = "/api/v1/namespaces/shop/pods"


@pytest.fixture
def deny(client):
    """Refuse all requests to a subresource for which an expression does not hold."""

    def put(resource, expression="false"):
        rule = {
            "apiGroups": ["*"],
            "apiVersions": ["*"],
            "operations": ["*"],
            "resources": [resource],
        }
        spec = {
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": expression, "message": "no"}],
        }
        bound = {"policyName": "p", "validationActions": ["Deny"]}
        for plural, given in (("policies", spec), ("policybindings", bound)):
            path = f"{ADMISSION}/validatingadmission{plural}"
            made = client("POST", path, {"metadata": {"name": "p"}, "spec": given})
            assert made["metadata"]["name"] == "p", made

    return put


def refusal(about):
    return (
        f"{about} is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no"
    )


def test_an_eviction_is_asked_about(client, deny):
    client("POST", PODS, POD)
    deny("pods/eviction", "object.kind == 'Eviction' && object.metadata.name != 'p'")
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    answer = client("POST", f"{PODS}/p/eviction", eviction)
    assert (answer["code"], answer["message"]) == (422, refusal('pods "p"'))
    assert "deletionTimestamp" not in client("GET", f"{PODS}/p")["metadata"]


def test_a_binding_is_asked_about(client, deny):
    client("POST", PODS, POD)
    deny("pods/binding", "object.target.name != 'node1' && request.operation == 'CREATE'")
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "node1"}}
    answer = client("POST", f"{PODS}/p/binding", binding)
    assert answer["message"] == refusal('pods "p"')
    assert "nodeName" not in client("GET", f"{PODS}/p")["spec"]


def test_a_token_is_asked_about(client, deny):
    deny("serviceaccounts/token", "object.spec.expirationSeconds < 3600")
    path = "/api/v1/namespaces/shop/serviceaccounts/default/token"
    sent = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
    answer = client("POST", path, {**sent, "spec": {"expirationSeconds": 7200}})
    assert answer["message"] == refusal('serviceaccounts "default"')
    answer = client("POST", path, {**sent, "spec": {"expirationSeconds": 600}})
    assert answer["kind"] == "TokenRequest"


def test_connections_are_asked_about(client, deny):
    client("POST", PODS, POD)
    kinds = ("PodPortForwardOptions", "PodProxyOptions")
    deny("pods/*", f"request.operation != 'CONNECT' || !(object.kind in {list(kinds)})")
    for path in ("portforward", "proxy/x"):
        assert client("GET", f"{PODS}/p/{path}")["message"] == refusal('pods "p"')


def test_the_end_of_a_namespace_is_asked_about(client, deny):
    deny("namespaces/finalize", "has(object.spec.finalizers)")
    client("DELETE", "/api/v1/namespaces/shop")
    answer = client("PUT", "/api/v1/namespaces/shop/finalize", {"metadata": {"name": "shop"}})
    assert answer["message"] == refusal('namespaces "shop"')
    assert client("GET", "/api/v1/namespaces/shop")["status"]["phase"] == "Terminating"
