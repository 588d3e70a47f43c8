"""Conversion webhooks: objects of a custom resource from one version to another."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.dynamic.webhook_client import CallFailed, fetch

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_GROUP = "apiextensions.k8s.io"
_TIMEOUT_S = 30
_KEPT = ("labels", "annotations")


def convert(world: World, definition: Object, obj: Object, wanted: str) -> Object:
    """An object in the version `wanted` (`example.com/v2`), as the webhook of its definition says.

    Reading changes nothing in the world: the request's uid follows from what is asked.

    Raises:
        errors.ApiError: The webhook could not be asked, refused, or answered something else.
    """
    api_version = str(obj.get("apiVersion", ""))
    about = f"conversion webhook for {api_version}, Kind={obj.get('kind', '')}"
    webhook = definition["spec"]["conversion"].get("webhook") or {}
    versions = webhook.get("conversionReviewVersions") or ()
    version = next((name for name in versions if name in ("v1", "v1beta1")), None)
    if version is None:
        raise _failure("no supported conversion review versions")
    review = f"{_GROUP}/{version}"
    uid = _uid(obj, wanted)
    asked = {"uid": uid, "desiredAPIVersion": wanted, "objects": [obj]}
    body = orjson.dumps({"kind": "ConversionReview", "apiVersion": review, "request": asked})
    try:
        answer = fetch(world, webhook.get("clientConfig") or {}, body, _TIMEOUT_S)
        made = _objects(answer, uid, review)
    except CallFailed as error:
        text = f"{about} failed: {error}"
        raise _failure(text) from None
    if len(made) != 1:
        raise _failure(f"{about} returned {len(made)} objects, expected 1")
    return _checked(obj, made[0], wanted, about)


def _failure(text: str) -> errors.ApiError:
    return errors.ApiError(500, "", text)


def _uid(obj: Object, wanted: str) -> str:
    metadata = obj.get("metadata", {})
    purpose = (metadata.get("uid"), metadata.get("resourceVersion"), obj.get("apiVersion"), wanted)
    digest = hashlib.blake2b(repr(purpose).encode(), digest_size=16).digest()
    return str(UUID(bytes=digest, version=4))


def _objects(answer: dict[str, Any], uid: str, review: str) -> list[Any]:
    response = answer.get("response")
    if review.endswith("/v1"):
        group, _, version = str(answer.get("apiVersion", "")).rpartition("/")
        kind = f"{group}/{version}, Kind={answer.get('kind', '')}"
        if kind != f"{review}, Kind=ConversionReview":
            message = f"expected webhook response of {review}, Kind=ConversionReview, got {kind}"
            raise CallFailed(message)
    if not isinstance(response, dict):
        message = "no response provided"
        raise CallFailed(message)
    if review.endswith("/v1") and response.get("uid", "") != uid:
        message = f'expected response.uid="{uid}", got "{response.get("uid", "")}"'
        raise CallFailed(message)
    result = response.get("result") or {}
    if result.get("status") != "Success":
        message = result.get("message") or (
            f"response.result.status was '{result.get('status', '')}', not 'Success'"
        )
        raise CallFailed(message)
    return list(response.get("convertedObjects") or ())


def _checked(before: Object, after: Any, wanted: str, about: str) -> Object:
    head = f"{about} returned invalid object"
    made = after if isinstance(after, dict) else {}
    if made.get("apiVersion", "") != wanted:
        got = made.get("apiVersion", "")
        text = f"invalid groupVersion (expected {wanted}, received {got})"
        raise _failure(f"{head} at index 0: {text}")
    if made.get("kind", "") != before.get("kind", ""):
        text = f"invalid kind (expected {before.get('kind', '')}, received {made.get('kind', '')})"
        raise _failure(f"{head} at index 0: {text}")
    old, new = before["metadata"], made.get("metadata")
    if new is None:
        raise _failure(f"{about} returned invalid metadata: missing metadata in converted object")
    for field, name in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        if new.get(field, "") != old.get(field, ""):
            text = f"must have the same {name}: {old.get(field, '')} != {new.get(field, '')}"
            raise _failure(f"{head}: {text}")
    # Of the metadata, only labels and annotations are the webhook's to change.
    metadata = {name: value for name, value in old.items() if name not in _KEPT}
    return {**made, "metadata": metadata | {name: new[name] for name in _KEPT if new.get(name)}}
