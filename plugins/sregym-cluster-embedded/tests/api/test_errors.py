from __future__ import annotations

import pytest
from sregym_cluster_embedded.api import errors, resources

DEPLOYMENTS = resources.named("deployments.apps")
PODS = resources.named("pods")
MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)
CAUSES = [
    errors.Cause("spec.a", "Required value", "FieldValueRequired"),
    errors.Cause("spec.b", "Invalid value: 0: must be positive"),
]


@pytest.mark.parametrize(
    ("error", "code", "reason", "message", "details"),
    [
        (
            errors.not_found(DEPLOYMENTS, "web"),
            404,
            "NotFound",
            'deployments.apps "web" not found',
            {"name": "web", "group": "apps", "kind": "deployments"},
        ),
        (
            errors.already_exists(PODS, "p"),
            409,
            "AlreadyExists",
            'pods "p" already exists',
            {"name": "p", "kind": "pods"},
        ),
        (
            errors.conflict(PODS, "p"),
            409,
            "Conflict",
            f'Operation cannot be fulfilled on pods "p": {MODIFIED}',
            {"name": "p", "kind": "pods"},
        ),
        (
            errors.invalid("apps", "Deployment", "web", CAUSES),
            422,
            "Invalid",
            'Deployment.apps "web" is invalid: '
            "[spec.a: Required value, spec.b: Invalid value: 0: must be positive]",
            {
                "name": "web",
                "group": "apps",
                "kind": "Deployment",
                "causes": [
                    {
                        "reason": "FieldValueRequired",
                        "message": "Required value",
                        "field": "spec.a",
                    },
                    {
                        "reason": "FieldValueInvalid",
                        "message": "Invalid value: 0: must be positive",
                        "field": "spec.b",
                    },
                ],
            },
        ),
        (
            errors.forbidden(PODS, "p", "because"),
            403,
            "Forbidden",
            'pods "p" is forbidden: because',
            {"name": "p", "kind": "pods"},
        ),
        (errors.bad_request("what?"), 400, "BadRequest", "what?", None),
        (
            errors.no_such_resource(),
            404,
            "NotFound",
            "the server could not find the requested resource",
            {},
        ),
        (
            errors.method_not_allowed(),
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
            {},
        ),
        (
            errors.unsupported_media_type(("application/json",)),
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - "
            "accepted media types include: application/json",
            {},
        ),
        (errors.resource_expired("too old"), 410, "Expired", "too old", None),
        (
            errors.internal("broken"),
            500,
            "InternalError",
            "Internal error occurred: broken",
            {"causes": [{"message": "broken"}]},
        ),
    ],
    ids=lambda value: value.reason if isinstance(value, errors.ApiError) else "",
)
def test_a_failure_has_a_full_status(error, code, reason, message, details):
    expected = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    if details is not None:
        expected["details"] = details
    assert error.status == expected
    assert (error.code, error.reason, error.message) == (code, reason, message)


POD_PATH = "/api/v1/namespaces/shop/pods"


def causes_of(answer):
    return [f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]]


def test_every_cause_in_a_pod_is_named(client):
    label = (
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
    )
    container = {
        "name": "Web",
        "imagePullPolicy": "Maybe",
        "ports": [{"containerPort": 99999, "protocol": "ICMP"}],
        "volumeMounts": [{"name": "nothing", "mountPath": "/x"}],
    }
    spec = {"restartPolicy": "Sometimes", "dnsPolicy": "Mine", "containers": [container]}
    answer = client("POST", POD_PATH, {"metadata": {"name": "p"}, "spec": spec})
    assert causes_of(answer) == [
        f'spec.containers[0].name: Invalid value: "Web": {label}',
        "spec.containers[0].image: Required value",
        "spec.containers[0].ports[0].containerPort: "
        "Invalid value: 99999: must be between 1 and 65535, inclusive",
        'spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": '
        'supported values: "SCTP", "TCP", "UDP"',
        'spec.containers[0].volumeMounts[0].name: Not found: "nothing"',
        'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": '
        'supported values: "Always", "IfNotPresent", "Never"',
        'spec.restartPolicy: Unsupported value: "Sometimes": '
        'supported values: "Always", "OnFailure", "Never"',
        'spec.dnsPolicy: Unsupported value: "Mine": supported values: '
        '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ]


def test_a_selector_cannot_change(client, make_deployment):
    path = "/apis/apps/v1/namespaces/shop/deployments"
    client("POST", path, make_deployment())
    changed = make_deployment()
    changed["spec"]["selector"]["matchLabels"] = {"app": "site"}
    changed["spec"]["template"]["metadata"]["labels"] = {"app": "site"}
    answer = client("PUT", f"{path}/web", changed)
    value = '{"matchLabels":{"app":"site"}}'
    assert causes_of(answer) == [f"spec.selector: Invalid value: {value}: field is immutable"]


def test_a_cluster_address_cannot_be_taken_twice(client):
    path = "/api/v1/namespaces/shop/services"
    spec = {"clusterIP": "10.96.0.77", "ports": [{"port": 80}]}
    client("POST", path, {"metadata": {"name": "a"}, "spec": spec})
    answer = client("POST", path, {"metadata": {"name": "b"}, "spec": spec})
    assert causes_of(answer) == [
        'spec.clusterIPs: Invalid value: ["10.96.0.77"]: '
        "failed to allocate IP 10.96.0.77: provided IP is already allocated"
    ]


def test_an_address_that_was_given_back_is_free_again(client):
    path = "/api/v1/namespaces/shop/services"

    def made(name, address):
        spec = {"clusterIP": address, "ports": [{"port": 80}]}
        return client("POST", path, {"metadata": {"name": name}, "spec": spec}).get("code", 201)

    assert [made("a", "10.96.0.77"), made("b", "10.96.0.78")] == [201, 201]
    assert made("c", "10.96.0.77") == 422
    client("DELETE", f"{path}/a")
    assert [made("c", "10.96.0.77"), made("d", "10.96.0.78")] == [201, 422]
    outside = {"type": "ExternalName", "externalName": "shop.example", "clusterIP": ""}
    body = {"spec": {**outside, "clusterIPs": None}}
    changed = client("PATCH", f"{path}/b", body, content="application/merge-patch+json")
    assert "clusterIPs" not in changed["spec"]
    assert [made("d", "10.96.0.78"), made("e", "10.96.0.77")] == [201, 422]


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("every day", "expected exactly 5 fields, found 2: [every day]"),
        ("5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"),
        ("@sometimes", "unrecognized descriptor: @sometimes"),
    ],
)
def test_a_bad_schedule_is_explained(client, schedule, problem):
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}
    spec = {"schedule": schedule, "jobTemplate": {"spec": {"template": {"spec": pod}}}}
    path = "/apis/batch/v1/namespaces/shop/cronjobs"
    answer = client("POST", path, {"metadata": {"name": "c"}, "spec": spec})
    assert causes_of(answer) == [f'spec.schedule: Invalid value: "{schedule}": {problem}']


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"replicas": "three"},
            "json: cannot unmarshal string into Go struct field "
            "DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"template": []},
            "json: cannot unmarshal array into Go struct field "
            "DeploymentSpec.spec.template of type v1.PodTemplateSpec",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(client, make_deployment, value, message):
    path = "/apis/apps/v1/namespaces/shop/deployments"
    answer = client("POST", path, make_deployment(**value))
    head = 'Deployment in version "v1" cannot be handled as a Deployment: '
    assert (answer["code"], answer["message"]) == (400, head + message)


def test_what_a_storage_class_is_made_of_cannot_change(client):
    path = "/apis/storage.k8s.io/v1/storageclasses"
    client("POST", path, {"metadata": {"name": "disk"}, "provisioner": "disk.example"})
    change = {"provisioner": "other.example", "reclaimPolicy": "Retain", "parameters": {"a": "b"}}
    answer = client("PATCH", f"{path}/disk", change, content="application/merge-patch+json")
    assert causes_of(answer) == [
        "parameters: Forbidden: updates to parameters are forbidden.",
        'provisioner: Invalid value: "other.example": field is immutable',
        'reclaimPolicy: Invalid value: "Retain": field is immutable',
    ]


def test_what_a_claim_or_a_volume_cannot_be_is_named(client):
    spec = {"accessModes": ["Sometimes"], "resources": {"requests": {"storage": "-1Gi"}}}
    path = "/api/v1/namespaces/shop/persistentvolumeclaims"
    answer = client("POST", path, {"metadata": {"name": "bad"}, "spec": spec})
    modes = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
    assert causes_of(answer) == [
        f'spec.accessModes: Unsupported value: "Sometimes": supported values: {modes}',
        'spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero',
    ]
    spec = {"accessModes": ["ReadWriteOncePod", "ReadWriteOnce"]}
    body = {"metadata": {"name": "bad"}, "spec": spec}
    assert causes_of(client("POST", "/api/v1/persistentvolumes", body)) == [
        "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
        "spec.capacity: Required value",
        'spec.capacity: Unsupported value: null: supported values: "storage"',
        "spec: Required value: must specify a volume type",
    ]
