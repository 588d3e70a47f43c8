"""The older OpenAPI document, to which kubectl turns for kinds that version 3 does not have."""

from __future__ import annotations

from typing import Any

PROTO = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"


def references(value: Any) -> set[str]:
    """All that is referred to in a document."""
    if isinstance(value, list):
        return set().union(*map(references, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*map(references, value.values())) if value else own


def test_version_2_has_all_types_in_one_document(client: Any) -> None:
    document = client("GET", "/openapi/v2")
    definitions = document["definitions"]
    assert (document["swagger"], document["info"]) == (
        "2.0",
        {"title": "Kubernetes", "version": "v1.36.2"},
    )
    assert references(document) <= {f"#/definitions/{name}" for name in definitions}
    deployment = definitions["io.k8s.api.apps.v1.Deployment"]
    assert deployment["x-kubernetes-group-version-kind"] == [
        {"group": "apps", "version": "v1", "kind": "Deployment"}
    ]
    assert deployment["properties"]["spec"] == {
        "$ref": "#/definitions/io.k8s.api.apps.v1.DeploymentSpec",
        "description": "Specification of the desired behavior of the Deployment.",
    }
    data = definitions["io.k8s.api.core.v1.Secret"]["properties"]["data"]
    assert data["additionalProperties"] == {"type": "string", "format": "byte"}
    one = document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
    assert [entry["name"] for entry in one["parameters"]] == ["namespace", "name"]
    assert "application/strategic-merge-patch+json" in one["patch"]["consumes"]


def test_version_2_as_kubectl_asks_for_it(client: Any) -> None:
    answer = client.raw("GET", "/openapi/v2", accept=PROTO)
    assert answer.content_type == PROTO.replace("@", ".")
    assert answer.body == b"\n\x032.0\x12\x15\n\nKubernetes\x12\x07v1.36.2"


def test_fields_say_which_values_they_may_have(client):
    schemas = client("GET", "/openapi/v3/api/v1")["components"]["schemas"]
    policy = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["restartPolicy"]
    assert policy["enum"] == ["Always", "Never", "OnFailure"]
    assert policy["description"].endswith(
        '\n\nPossible enum values:\n - `"Always"`\n - `"Never"`\n - `"OnFailure"`'
    )
    protocol = schemas["io.k8s.api.core.v1.ServicePort"]["properties"]["protocol"]
    assert protocol["enum"] == ["SCTP", "TCP", "UDP"]
