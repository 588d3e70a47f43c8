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


OPERATIONS = [
    ("api/v1/pods", "get", "listCoreV1PodForAllNamespaces", "list or watch objects of kind Pod"),
    ("{ns}/pods", "post", "createCoreV1NamespacedPod", "create a Pod"),
    ("{ns}/pods/{name}", "get", "readCoreV1NamespacedPod", "read the specified Pod"),
    ("{ns}/pods/{name}", "delete", "deleteCoreV1NamespacedPod", "delete a Pod"),
    ("{ns}/endpoints", "post", "createCoreV1NamespacedEndpoints", "create Endpoints"),
    (
        "{ns}/pods",
        "delete",
        "deleteCoreV1CollectionNamespacedPod",
        "delete collection of Pod",
    ),
    (
        "{ns}/pods/{name}/log",
        "get",
        "readCoreV1NamespacedPodLog",
        "read log of the specified Pod",
    ),
    (
        "{ns}/pods/{name}/eviction",
        "post",
        "createCoreV1NamespacedPodEviction",
        "create eviction of a Pod",
    ),
    (
        "{ns}/pods/{name}/exec",
        "post",
        "connectCoreV1PostNamespacedPodExec",
        "connect POST requests to exec of Pod",
    ),
    (
        "{ns}/services/{name}/proxy/{path}",
        "head",
        "connectCoreV1HeadNamespacedServiceProxyWithPath",
        "connect HEAD requests to proxy of Service",
    ),
    (
        "apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses",
        "post",
        "createNetworkingV1NamespacedIngress",
        "create an Ingress",
    ),
    (
        "apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
        "patch",
        "patchAppsV1NamespacedDeploymentScale",
        "partially update scale of the specified Deployment",
    ),
    (
        "apis/rbac.authorization.k8s.io/v1/clusterroles/{name}",
        "put",
        "replaceRbacAuthorizationV1ClusterRole",
        "replace the specified ClusterRole",
    ),
    ("apis/apps/", "get", "getAppsAPIGroup", "get information of a group"),
    ("api/v1/", "get", "getCoreV1APIResources", "get available resources"),
    ("version/", "get", "getCodeVersion", "get the version information for this server"),
]


def test_version_2_describes_operations(client: Any) -> None:
    paths = client("GET", "/openapi/v2")["paths"]
    for path, method, name, described in OPERATIONS:
        operation = paths[f"/{path}".replace("{ns}", "api/v1/namespaces/{namespace}")][method]
        assert (operation["operationId"], operation["description"]) == (name, described)
    told = [
        operation
        for operations in paths.values()
        for method, operation in operations.items()
        if method != "parameters"
    ]
    names = [operation["operationId"] for operation in told]
    assert len(names) == len(set(names)) > 600
    assert all(operation["description"] for operation in told)


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
