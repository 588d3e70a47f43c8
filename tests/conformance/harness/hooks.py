"""The webhook server of the recordings: an HTTPS server outside the cluster that answers by path."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson
from sregym_cluster_embedded.api.dynamic.webhook_client import Answer, Call, CallFailed, unreachable
from sregym_cluster_embedded.api.keys import WEBHOOKS

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

ADDRESS = "10.77.0.2:9443"
_SLOW_S = 5
_UNKNOWN_AUTHORITY = (
    "tls: failed to verify certificate: x509: certificate signed by unknown authority"
)
_RESPONSES: dict[str, dict[str, Any]] = {
    "deny": {"allowed": False, "status": {"message": "denied by the test webhook"}},
    "denycode": {
        "allowed": False,
        "status": {"code": 418, "reason": "Teapot", "message": "not today"},
    },
    "warn": {"allowed": True, "warnings": ["this is a warning of the test webhook"]},
}


def serve(world: World) -> None:
    """Let the server stand beside a cluster, at the address that the recordings name."""
    services = MappingProxyType({**world.spec.services, **WEBHOOKS.offer(_answer)})
    world.spec = replace(world.spec, services=services)


def _answer(world: World, call: Call) -> Answer:
    _, _, place = call.url.partition("://")
    host, _, rest = place.partition("/")
    if call.address or host != ADDRESS:
        return unreachable(world, call)
    path = rest.partition("?")[0]
    if path == "badca" or not call.ca_bundle:
        raise CallFailed(_UNKNOWN_AUTHORITY)
    if path == "slow" and call.timeout_s <= _SLOW_S:
        text = "context deadline exceeded"
        raise CallFailed(text)
    if path == "error":
        return Answer(500, b"not json")
    if path == "garbage":
        return Answer(200, b"not json")
    response = {
        "uid": orjson.loads(call.body)["request"]["uid"],
        **_RESPONSES.get(path, {"allowed": True}),
    }
    review = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": response,
    }
    return Answer(200, orjson.dumps(review))
