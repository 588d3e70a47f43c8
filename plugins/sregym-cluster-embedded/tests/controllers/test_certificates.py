"""Certificate requests: approved by who may, signed by the cluster's authority."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509 import CertificateSigningRequestBuilder
from sregym_cluster_embedded.api.pki import authority
from sregym_cluster_embedded.api.pki.certificates import Subject, from_pem
from sregym_cluster_embedded.api.pki.keys import key_of
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.world import World

PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
SIGNER = "kubernetes.io/kube-apiserver-client"
NAME = "certificatesigningrequests.certificates.k8s.io"


@pytest.fixture
def world(make_shop: Callable[..., Any]) -> World:
    found: World = make_shop().world
    return found


def ask(
    world: World, method: str, path: str, body: Any = None, user: User | None = None
) -> dict[str, Any]:
    data = b"" if body is None else orjson.dumps(body)
    headers = {"content-type": "application/json"}
    answer = handle(world, Request(method, path, (), headers, data, user or User()))
    assert isinstance(answer, Response)
    found: dict[str, Any] = orjson.loads(answer.body)
    return found


def text_of(subject: Subject) -> str:
    builder = CertificateSigningRequestBuilder().subject_name(subject.encoded())
    made = builder.sign(key_of(b"ann"), hashes.SHA256())
    return base64.b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()


def request(world: World, subject: Subject | None = None, **spec: Any) -> dict[str, Any]:
    asked = {
        "request": text_of(subject or Subject("ann", ("devs",))),
        "signerName": SIGNER,
        "usages": ["client auth"],
        "username": "somebody",
        **spec,
    }
    return ask(world, "POST", PATH, {"metadata": {"name": "ann"}, "spec": asked})


def decide(world: World, *types: str, user: User | None = None) -> dict[str, Any]:
    obj = ask(world, "GET", f"{PATH}/ann")
    conditions = [{"type": name, "status": "True", "reason": "Test"} for name in types]
    obj["status"] = {"conditions": conditions}
    answer = ask(world, "PUT", f"{PATH}/ann/approval", obj, user)
    world.run_until(world.now + 1)
    return answer


def test_an_approved_request_is_signed(world: World) -> None:
    made = request(world)
    assert (made["spec"]["username"], made["spec"]["groups"]) == (
        "kubernetes-admin",
        ["system:masters", "system:authenticated"],
    )
    decide(world, "Approved")
    status = ask(world, "GET", f"{PATH}/ann")["status"]
    assert [entry["type"] for entry in status["conditions"]] == ["Approved"]
    text = base64.b64decode(status["certificate"]).decode()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=authority.certificate_authority(world) + text)
    subjects = [entry["subject"] for entry in context.get_ca_certs()]
    assert subjects == [((("commonName", "kubernetes"),),)]  # what is signed is no authority
    assert ssl.PEM_cert_to_DER_cert(text) == from_pem(text, ["CERTIFICATE"])


def test_a_request_for_other_uses_fails(world: World) -> None:
    request(world, usages=["client auth", "server auth"])
    decide(world, "Approved")
    status = ask(world, "GET", f"{PATH}/ann")["status"]
    failed = status["conditions"][1]
    assert (failed["type"], failed["reason"], failed["message"]) == (
        "Failed",
        "SignerValidationFailure",
        "usages did not match",
    )
    assert "certificate" not in status


def test_a_denied_request_stays_without_certificate(world: World) -> None:
    request(world)
    decide(world, "Denied")
    assert "certificate" not in ask(world, "GET", f"{PATH}/ann")["status"]
    both = decide(world, "Denied", "Approved")
    assert both["message"] == (
        'CertificateSigningRequest.certificates.k8s.io "ann" is invalid: status.conditions[1].type: '
        'Invalid value: "Approved": Approved and Denied conditions are mutually exclusive'
    )
    none = decide(world)
    assert none["message"] == (
        'CertificateSigningRequest.certificates.k8s.io "ann" is invalid: status.conditions: '
        'Forbidden: updates may not remove a condition of type "Denied"'
    )


def test_who_approves_needs_a_right_over_the_signer(world: World) -> None:
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    rules = [{"apiGroups": ["*"], "resources": [f"{NAME.partition('.')[0]}/*"], "verbs": ["*"]}]
    ask(world, "POST", f"{rbac}/clusterroles", {"metadata": {"name": "csr"}, "rules": rules})
    binding = {
        "metadata": {"name": "csr"},
        "roleRef": {"kind": "ClusterRole", "name": "csr"},
        "subjects": [{"kind": "User", "name": "bob"}],
    }
    ask(world, "POST", f"{rbac}/clusterrolebindings", binding)
    request(world)
    bob = User("bob", ("system:authenticated",))
    rules[0]["resources"].append("certificatesigningrequests/approval")
    ask(world, "PUT", f"{rbac}/clusterroles/csr", {"metadata": {"name": "csr"}, "rules": rules})
    assert decide(world, "Approved", user=bob)["message"] == (
        f'{NAME} "ann" is forbidden: user not permitted to approve requests with signerName '
        f'"{SIGNER}"'
    )


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"request": "YWJj", "expirationSeconds": 5, "usages": []},
            'CertificateSigningRequest.certificates.k8s.io "ann" is invalid: [spec.request: Invalid '
            'value: "YWJj": PEM block type must be CERTIFICATE REQUEST, spec.usages: Required value, '
            "spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 "
            "seconds (10 minutes)]",
        ),
        (
            {"subject": Subject("eve", ("system:masters",))},
            f'{NAME} "ann" is forbidden: use of {SIGNER} signer with system:masters group is not '
            "allowed",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused(world: World, spec: dict[str, Any], text: str) -> None:
    assert request(world, **spec)["message"] == text
