"""Approval of CertificateSigningRequests: who may, and what it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import body, conversion, errors, read_requests, rest_mutations
from sregym_cluster_embedded.api.access import authorizer
from sregym_cluster_embedded.api.access.attributes import Attributes
from sregym_cluster_embedded.api.signing_requests import GROUP

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response, User
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_DECISIONS = ("Approved", "Denied")


def approval(world: World, request: Request, target: Target) -> Response:
    """GET, PUT and PATCH of `approval`: the conditions, and nothing else.

    Raises:
        errors.ApiError: Forbidden: the user may not approve for this signer. Invalid.
    """
    if request.method in ("GET", "HEAD"):
        return read_requests.get(world, request, target)
    warnings = body.Warnings()
    resource = target.resource
    old = read_requests.existing(world, target)
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
        new = rest_mutations.patched(request, resource, old, warnings)
    _check_signer(world, request.user, resource, old)
    status = old.get("status") or {}
    conditions = (new.get("status") or {}).get("conditions") or []
    known = {entry["type"]: entry for entry in status.get("conditions") or ()}
    conditions = [_timed(world, entry, known.get(entry["type"])) for entry in conditions]
    _check_conditions(resource, old, conditions)
    metadata = {**old["metadata"], "resourceVersion": new["metadata"].get("resourceVersion", "")}
    decided = {**old, "metadata": metadata, "status": {**status, "conditions": conditions}}
    place = replace(target, subresource="status")
    stored = rest_mutations.write(world, request, place, old, decided, warnings)
    return rest_mutations.answer(world, request, resource, stored, warnings)


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
