"""Certificates: what they say, and that a real implementation accepts them."""

from __future__ import annotations

import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from sregym_cluster_embedded.api.pki import authority
from sregym_cluster_embedded.api.pki.certificates import (
    CertificateRequest,
    RequestError,
    Subject,
    Terms,
    certificate,
    request,
)
from sregym_cluster_embedded.api.pki.keys import key_of, private_pem
from sregym_cluster_embedded.world import World

_LONG = "system:serviceaccount:" + "n" * 63 + ":" + "a" * 63


def test_keys_follow_from_their_seed() -> None:
    text = private_pem(key_of(b"one"))
    assert text.startswith("-----BEGIN EC PRIVATE KEY-----\n")
    assert private_pem(key_of(b"one")) == text
    assert private_pem(key_of(b"two")) != text


def test_the_root_has_the_usual_size_and_is_the_same_in_every_fork(world: World) -> None:
    root = authority.certificate_authority(world)
    assert len(root) == 1107
    assert authority.certificate_authority(world.fork(seed=5)) == root
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=root)
    [held] = context.get_ca_certs()
    assert held["subject"] == held["issuer"] == ((("commonName", "kubernetes"),),)


@pytest.mark.parametrize("serial", range(1, 9))
def test_the_size_of_a_certificate_does_not_hang_on_chance(serial: int) -> None:
    key = key_of(b"one")
    terms = Terms(serial, 1_767_225_600, 1_767_312_000, usages=("client auth",))
    text = certificate(Subject("ann"), key.public_key(), Subject("ca"), key, terms)
    assert len(ssl.PEM_cert_to_DER_cert(text)) == 321
    assert text == certificate(Subject("ann"), key.public_key(), Subject("ca"), key, terms)


def test_a_request_says_whom_it_is_for() -> None:
    subject, key = Subject(_LONG, ("devs", "ops")), key_of(b"one")
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject.encoded())
    made = builder.sign(key, hashes.SHA256())
    asked = request(made.public_bytes(serialization.Encoding.DER))
    assert asked == CertificateRequest(subject, key.public_key())


@pytest.mark.parametrize("data", [b"", b"\x30", b"\x30\x05\x00", b"\x30\x80\x00", b"\x30\x00"])
def test_what_is_cut_off_is_no_request(data: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        request(data)
    assert str(caught.value) == "no certificate request"
