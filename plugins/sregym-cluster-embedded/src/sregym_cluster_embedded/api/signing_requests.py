"""CertificateSigningRequests: what they ask for, and what is wrong with them."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.access import authorizer
from sregym_cluster_embedded.api.pki.certificates import CertificateRequest, RequestError, from_pem
from sregym_cluster_embedded.api.pki.certificates import request as asked_by
from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import User
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

GROUP = "certificates.k8s.io"
RESOURCE = f"certificatesigningrequests.{GROUP}"
CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client"
_SHORTEST_S = 600
_LEGACY_SIGNER = "kubernetes.io/legacy-unknown"
# In the order in which the server lists them: that of bytes.
_USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)


def requested(user: User, kind: Resource, obj: Object) -> Object:
    """A new request as the one of `user`, whoever it says it is of.

    Raises:
        errors.ApiError: Invalid: it holds no request. Forbidden: it asks for an administrator.
    """
    spec = {
        key: value
        for key, value in obj["spec"].items()
        if key not in ("username", "uid", "groups", "extra")
    }
    asked = _parsed(spec.get("request", ""))
    found = _causes(spec, asked)
    if found or asked is None:
        raise errors.invalid(GROUP, kind.kind, obj["metadata"]["name"], found)
    of_masters = authorizer.MASTERS in asked.subject.organizations
    if spec["signerName"] == CLIENT_SIGNER and of_masters:
        why = f"use of {CLIENT_SIGNER} signer with {authorizer.MASTERS} group is not allowed"
        raise errors.forbidden(kind, obj["metadata"]["name"], why)
    spec |= {"username": user.name, "groups": list(user.groups)}
    if user.uid:
        spec["uid"] = user.uid
    if user.extra:
        spec["extra"] = {key: list(values) for key, values in user.extra.items()}
    return {**obj, "spec": spec, "status": {}}


def _causes(spec: Object, asked: CertificateRequest | None) -> list[errors.Cause]:
    found: list[errors.Cause] = []
    if asked is None:
        why = "PEM block type must be CERTIFICATE REQUEST"
        found.append(causes.invalid("spec.request", spec.get("request"), why))
    usages = spec.get("usages") or ()
    if not usages:
        found.append(causes.required("spec.usages"))
    for index, usage in enumerate(usages):
        found += causes.one_of(f"spec.usages[{index}]", usage, _USAGES)
    found += [
        causes.duplicate(f"spec.usages[{index}]", usage)
        for index, usage in enumerate(usages)
        if usage in usages[:index]
    ]
    signer = spec.get("signerName", "")
    if signer == _LEGACY_SIGNER:
        why = "the legacy signerName is not allowed via this API version"
        found.append(causes.invalid("spec.signerName", signer, why))
    else:
        found += formats.signer("spec.signerName", signer)
    lifetime_s = spec.get("expirationSeconds")
    if lifetime_s is not None and lifetime_s < _SHORTEST_S:
        why = "may not specify a duration less than 600 seconds (10 minutes)"
        found.append(causes.invalid("spec.expirationSeconds", lifetime_s, why))
    return found


def parsed(obj: Object) -> CertificateRequest | None:
    """What a stored request asks for."""
    return _parsed(obj["spec"].get("request", ""))


def _parsed(encoded: str) -> CertificateRequest | None:
    try:
        text = base64.b64decode(encoded, validate=True).decode("ascii")
        data = from_pem(text, ("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"))
        return None if data is None else asked_by(data)
    except (binascii.Error, UnicodeDecodeError, RequestError):
        return None
