"""Secrets that hold the token of a ServiceAccount: filled when they are made, gone with it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.access.tokens import issue_legacy
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.store import Change, ChangeType, Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.account-tokens"
TYPE = "kubernetes.io/service-account-token"
NAME = "kubernetes.io/service-account.name"
UID = "kubernetes.io/service-account.uid"
_DELAY_S = 0.02


def listen(world: World, change: Change) -> None:
    """Token Secrets that change are looked at, and all of an account that is deleted."""
    key = change.key
    if key.resource == "secrets":
        if change.obj.get("type") == TYPE and change.type is not ChangeType.DELETED:
            enqueue(world, HANDLER, (key.namespace, key.name), _DELAY_S)
    elif change.type is ChangeType.DELETED:
        for secret in world.store.list("secrets", key.namespace):
            if secret.get("type") == TYPE and _account_name(secret) == key.name:
                name = secret["metadata"]["name"]
                enqueue(world, HANDLER, (key.namespace, name), _DELAY_S)


def reconcile(world: World, where: tuple[str, str]) -> None:
    """Handler: complete one Secret, or delete it when its account is gone."""
    mark_processing(world, HANDLER, where)
    key = Key("secrets", *where)
    secret = world.store.get(key)
    if secret is None or secret.get("type") != TYPE:
        return
    annotations = secret["metadata"].get("annotations") or {}
    account = world.store.get(Key("serviceaccounts", key.namespace, _account_name(secret)))
    known_uid = annotations.get(UID)
    if account is None or (known_uid and known_uid != account["metadata"]["uid"]):
        internal_client.delete(world, key)
        return
    data = dict(secret.get("data") or {})
    data["ca.crt"] = _encoded(certificate_authority(world))
    data["namespace"] = _encoded(key.namespace)
    if not data.get("token"):
        data["token"] = _encoded(issue_legacy(world, account, key.name))
    annotations = {**annotations, UID: account["metadata"]["uid"]}
    metadata = {**secret["metadata"], "annotations": annotations}
    internal_client.update(world, "secrets", {**secret, "metadata": metadata, "data": data})


def _account_name(secret: Object) -> str:
    name: str = (secret["metadata"].get("annotations") or {}).get(NAME, "")
    return name


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
