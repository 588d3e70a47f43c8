"""CertificateSigningRequests: who asks, who may approve, what an approval changes."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import body, conversion, errors, reading, writing
from sregym_cluster_embedded.api.access import authorizer
from sregym_cluster_embedded.api.access.attributes import Attributes
from sregym_cluster_embedded.api.pki.certificates import (
    Asked,
    RequestError,
    from_pem,
)
from sregym_cluster_embedded.api.pki.certificates import request as asked_by
from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response, User
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

GROUP = "certificates.k8s.io"
RESOURCE = f"certificatesigningrequests.{GROUP}"
CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client"
_DECISIONS = ("Approved", "Denied")
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


def _causes(spec: Object, asked: Asked | None) -> list[errors.Cause]:
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


def parsed(obj: Object) -> Asked | None:
    """What a stored request asks for."""
    return _parsed(obj["spec"].get("request", ""))


def _parsed(encoded: str) -> Asked | None:
    try:
        text = base64.b64decode(encoded, validate=True).decode("ascii")
        data = from_pem(text, ("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"))
        return None if data is None else asked_by(data)
    except (binascii.Error, UnicodeDecodeError, RequestError):
        return None


def approval(world: World, request: Request, target: Target) -> Response:
    """GET, PUT and PATCH of `approval`: the conditions, and nothing else.

    Raises:
        errors.ApiError: Forbidden: the user may not approve for this signer. Invalid.
    """
    if request.method in ("GET", "HEAD"):
        return reading.get(world, request, target)
    warnings = body.Warnings()
    resource = target.resource
    old = reading.existing(world, target)
    if request.method == "PUT":
        sent = body.typed(
            request,
            body.parsed(request),
            resource.group,
            resource.version,
            resource.kind,
            warnings,
        )
        new = conversion.to_stored(resource, sent)
    else:
        new = writing.patched(request, resource, old, warnings)
    _check_signer(world, request.user, resource, old)
    status = old.get("status") or {}
    conditions = (new.get("status") or {}).get("conditions") or []
    known = {entry["type"]: entry for entry in status.get("conditions") or ()}
    conditions = [_timed(world, entry, known.get(entry["type"])) for entry in conditions]
    _check_conditions(resource, old, conditions)
    metadata = {**old["metadata"], "resourceVersion": new["metadata"].get("resourceVersion", "")}
    decided = {**old, "metadata": metadata, "status": {**status, "conditions": conditions}}
    place = replace(target, subresource="status")
    stored = writing.write(world, request, place, old, decided, warnings)
    return writing.answer(world, request, resource, stored, warnings)


def _check_signer(world: World, user: User, resource: Resource, obj: Object) -> None:
    """Approving is a right over a signer, too: over it by name, or over all of its domain."""
    signer = obj["spec"]["signerName"]
    for name in (signer, f"{signer.partition('/')[0]}/*"):
        asked = Attributes(user, "approve", GROUP, "*", "signers", name=name)
        if authorizer.decide(world, asked).allowed:
            return
    why = f'user not permitted to approve requests with signerName "{signer}"'
    raise errors.forbidden(resource, obj["metadata"]["name"], why)


def _check_conditions(resource: Resource, old: Object, conditions: list[Object]) -> None:
    present = [entry["type"] for entry in conditions]
    causes = [
        errors.Cause(
            "status.conditions",
            f'Forbidden: updates may not remove a condition of type "{entry["type"]}"',
            "FieldValueForbidden",
        )
        for entry in (old.get("status") or {}).get("conditions") or ()
        if entry["type"] in _DECISIONS and entry["type"] not in present
    ]
    if all(decision in present for decision in _DECISIONS):
        place = max(present.index(decision) for decision in _DECISIONS)
        why = "Approved and Denied conditions are mutually exclusive"
        text = f'Invalid value: "{present[place]}": {why}'
        causes.append(errors.Cause(f"status.conditions[{place}].type", text))
    if causes:
        raise errors.invalid(GROUP, resource.kind, old["metadata"]["name"], causes)


def _timed(world: World, condition: Object, known: Object | None) -> Object:
    """A condition with the server's times: clients may live by another clock."""
    if known is not None and known.get("status") == condition.get("status"):
        return known
    now = world.timestamp()
    return {**condition, "lastUpdateTime": now, "lastTransitionTime": now}
