"""Priority classes: one default, those of the system stay, and pods do not contradict theirs."""

from __future__ import annotations

from typing import Any

import pytest

CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
PODS = "/api/v1/namespaces/shop/pods"
ROLE_BINDINGS = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings"


def _pod(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "a", "image": "x"}], **spec},
    }


def test_there_is_one_default(client: Any) -> None:
    first = {"metadata": {"name": "a"}, "value": 10, "globalDefault": True}
    assert client("POST", CLASSES, first)["value"] == 10
    refused = client("POST", CLASSES, {**first, "metadata": {"name": "b"}})
    assert refused["message"] == (
        'priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as '
        "default. Only one default can exist"
    )
    made = client("POST", PODS, _pod())["spec"]
    assert (made["priorityClassName"], made["priority"]) == ("a", 10)


def test_a_class_of_the_system_stays(client: Any) -> None:
    refused = client("DELETE", f"{CLASSES}/system-node-critical")
    assert refused["message"] == (
        'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system '
        "priority class and cannot be deleted"
    )


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"priority": 5}, ("integer value of priority (5)", "0")),
        (
            {"preemptionPolicy": "Never"},
            ("string value of PreemptionPolicy (Never)", "PreemptLowerPriority"),
        ),
    ],
)
def test_a_pod_does_not_contradict_its_class(
    client: Any, spec: dict[str, Any], told: tuple[str, str]
) -> None:
    given, computed = told
    assert client("POST", PODS, _pod(**spec))["message"] == (
        f'pods "p" is forbidden: the {given} must not be provided in pod spec; priority admission '
        f"controller computed {computed} from the given PriorityClass name"
    )


def test_options_come_in_the_version_of_what_is_deleted(client: Any) -> None:
    reference = {"kind": "ClusterRole", "name": "view"}
    binding = {"metadata": {"name": "rb"}, "roleRef": reference}
    client("POST", ROLE_BINDINGS, binding)
    version, kind = b"rbac.authorization.k8s.io/v1", b"DeleteOptions"
    meta = b"\x0a" + bytes([len(version)]) + version + b"\x12" + bytes([len(kind)]) + kind
    body = b"k8s\x00\x0a" + bytes([len(meta)]) + meta + b"\x12\x00"
    deleted = client(
        "DELETE", f"{ROLE_BINDINGS}/rb", body, content="application/vnd.kubernetes.protobuf"
    )
    assert deleted["status"] == "Success"


def test_a_signer_is_named_like_a_path(client: Any) -> None:
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    spec = {"request": "YWJj", "signerName": "foo", "usages": ["signing", "eating", "signing"]}
    answer = client("POST", path, {"metadata": {"name": "c"}, "spec": spec})
    causes = [(cause["field"], cause["message"]) for cause in answer["details"]["causes"]]
    assert [field for field, _ in causes] == [
        "spec.request",
        "spec.usages[1]",
        "spec.usages[2]",
        "spec.signerName",
    ]
    assert causes[2][1] == 'Duplicate value: "signing"'
    assert causes[3][1] == (
        'Invalid value: "foo": must be a fully qualified domain and path of the form '
        "'example.com/signer-name'"
    )


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"priorityClassName": "ghost"}, "no PriorityClass with name ghost was found"),
        (
            {"serviceAccountName": "ghost"},
            'error looking up service account shop/ghost: serviceaccount "ghost" not found',
        ),
        ({"runtimeClassName": "ghost"}, 'pod rejected: RuntimeClass "ghost" not found'),
    ],
)
def test_admission_comes_before_the_server_thinks_up_a_name(
    client: Any, spec: dict[str, Any], told: str
) -> None:
    named = {"metadata": {"name": "web-10", "generateName": "web-"}}
    for metadata, name in (({"metadata": {"generateName": "web-"}}, "web-"), (named, "web-10")):
        refused = client("POST", PODS, {**_pod(**spec), **metadata})
        assert refused["message"] == f'pods "{name}" is forbidden: {told}'
