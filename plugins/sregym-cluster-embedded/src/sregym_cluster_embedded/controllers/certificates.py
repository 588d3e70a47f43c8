"""The signer of the cluster: approved requests get their certificates."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client, signing_requests
from sregym_cluster_embedded.api.pki import authority
from sregym_cluster_embedded.api.pki.certificates import Terms
from sregym_cluster_embedded.store import Change, ChangeType, Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.certificates"
RESOURCE = signing_requests.RESOURCE
_DELAY_S = 0.02
_YEAR_S = 365 * 86400
# Certificates begin a little early, for clocks that are behind.
_BACKDATED_S = 300
_BASIC = frozenset(("digital signature", "key encipherment"))
# What each signer signs for: the usage that must be asked for, None for any.
_SIGNERS: dict[str, str | None] = {
    "kubernetes.io/kube-apiserver-client": "client auth",
    "kubernetes.io/kube-apiserver-client-kubelet": "client auth",
    "kubernetes.io/kubelet-serving": "server auth",
    "kubernetes.io/legacy-unknown": None,
}


def listen(world: World, change: Change) -> None:
    """A request that is decided upon is looked at."""
    if change.type is not ChangeType.DELETED and (change.obj.get("status") or {}).get("conditions"):
        enqueue(world, HANDLER, change.key.name, _DELAY_S)


def reconcile(world: World, name: str) -> None:
    """Handler: sign one request, or say why it cannot be signed."""
    mark_processing(world, HANDLER, name)
    key = Key(RESOURCE, "", name)
    obj = world.store.get(key)
    if obj is None or obj["spec"]["signerName"] not in _SIGNERS:
        return
    status = obj.get("status") or {}
    decided = {entry["type"] for entry in status.get("conditions") or ()}
    if "Approved" not in decided or "Failed" in decided or status.get("certificate"):
        return
    why = _objection(obj)
    if why:
        now = world.timestamp()
        failed = {
            "type": "Failed",
            "status": "True",
            "reason": "SignerValidationFailure",
            "message": why,
            "lastUpdateTime": now,
            "lastTransitionTime": now,
        }
        conditions = [*status["conditions"], failed]
        internal_client.update_status(world, key, {**status, "conditions": conditions})
        return
    text = base64.b64encode(_signed(world, obj).encode()).decode()
    internal_client.update_status(world, key, {**status, "certificate": text})


def _objection(obj: Object) -> str:
    wanted = _SIGNERS[obj["spec"]["signerName"]]
    usages = set(obj["spec"].get("usages") or ())
    if wanted is None:
        return ""
    if wanted not in usages or not usages <= _BASIC | {wanted}:
        return "usages did not match"
    return ""


def _signed(world: World, obj: Object) -> str:
    asked = signing_requests.parsed(obj)
    assert asked is not None  # admission let nothing else pass
    now = world.epoch + world.now
    lifetime_s = min(obj["spec"].get("expirationSeconds", _YEAR_S), _YEAR_S)
    usages = tuple(
        usage for usage in ("server auth", "client auth") if usage in obj["spec"].get("usages", ())
    )
    number = authority.serial(obj["metadata"]["uid"])
    terms = Terms(number, now - _BACKDATED_S, now + lifetime_s, usages=usages)
    return authority.sign(world, asked.subject, asked.key, terms)
