"""Requests to admission webhooks: the address, the body that is sent, and the part of the response that counts.

Failures have the error texts of Go's HTTP client, because people read them in `kubectl`.
"""

from __future__ import annotations

import base64
import binascii
import math
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import orjson

from sregym_cluster_embedded.api.dynamic.conditions import request_of
from sregym_cluster_embedded.api.keys import LISTENERS, WEBHOOKS, WEBHOOKS_IN_PODS
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.dynamic.attributes import Attributes
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_UNSTRUCTURED_BYTES = 2048


class CallFailed(Exception):
    """A webhook gave no usable answer; the text is Go's.

    Args:
        text: Why.
        took_s: How long that took to be known.
    """

    def __init__(self, text: str, took_s: float = 0.0) -> None:
        super().__init__(text)
        self.took_s = took_s


@dataclass(frozen=True)
class Call:
    """One POST to a webhook.

    Attributes:
        url: With the query: `https://hooks.shop.svc:443/check?timeout=10s`.
        ca_bundle: PEM certificates that sign the server's, empty for the system's.
        body: The AdmissionReview.
        timeout_s: After which the server gives up.
        address: `host:port` to connect to instead of the URL's host.
        endpoint: (namespace, pod, port) behind a Service, empty for a URL.
    """

    url: str
    ca_bundle: bytes
    body: bytes
    timeout_s: float
    address: str = ""
    endpoint: tuple[str, str, int] | tuple[()] = ()


@dataclass(frozen=True)
class Answer:
    """What came back over HTTP.

    Attributes:
        status: The code.
        body: As sent.
        content_type: Its type.
        took_s: After how many seconds it was there.
    """

    status: int
    body: bytes
    content_type: str = "application/json"
    took_s: float = 0.0


class Caller(Protocol):
    """What the service `webhooks` offers: reaching servers inside and outside the cluster."""

    def __call__(self, world: World, call: Call) -> Answer:
        """Send a call.

        Raises:
            CallFailed: No answer came; with the words that follow `Post "URL": `.
        """
        ...


def review(
    world: World, hook: Object, attributes: Attributes, resource: Resource, *, mutating: bool
) -> tuple[dict[str, Any], float]:
    """The response of a webhook to a request, and how many seconds it took.

    Raises:
        CallFailed: It could not be asked, or its answer is none.
    """
    uid = world.seed.uid()
    request = {"uid": uid, **request_of(attributes, resource)}
    request["object"] = attributes.served(resource, attributes.obj)
    request["oldObject"] = attributes.served(resource, attributes.old)
    versions = [v for v in hook.get("admissionReviewVersions", ()) if v in ("v1", "v1beta1")]
    api_version = f"admission.k8s.io/{versions[0] if versions else 'v1'}"
    sent = {"kind": "AdmissionReview", "apiVersion": api_version, "request": request}
    took_s = 0.0
    try:
        answer = _post(world, hook, orjson.dumps(sent), attributes.elapsed.left_s)
        took_s = answer.took_s
        read = _read(answer)
    except CallFailed as error:
        text = f"failed to call webhook: {error}"
        raise CallFailed(text, error.took_s or took_s) from None
    try:
        return _checked(read, uid, api_version, mutating), took_s
    except CallFailed as error:
        text = f"received invalid webhook response: {error}"
        raise CallFailed(text, took_s) from None


def fetch(world: World, config: Object, body: bytes, timeout_s: int) -> dict[str, Any]:
    """What the webhook behind a client configuration answers to `body`.

    Raises:
        CallFailed: It gave no answer, or one that is no object.
    """
    return _read(_post(world, {"clientConfig": config, "timeoutSeconds": timeout_s}, body))


def _post(world: World, hook: Object, body: bytes, left_s: float = math.inf) -> Answer:
    config, timeout_s = hook.get("clientConfig", {}), hook.get("timeoutSeconds", 10)
    try:
        bundle = base64.b64decode(config.get("caBundle", ""))
    except (binascii.Error, ValueError):
        bundle = b""
    service = config.get("service") or {}
    name, namespace, port = (
        service.get("name", ""),
        service.get("namespace", ""),
        service.get("port", 443),
    )
    if service:
        path = "/" + service.get("path", "").lstrip("/")
        url = f"https://{name}.{namespace}.svc:{port}{path}?timeout={timeout_s}s"
    else:
        url = f"{config.get('url', '')}?timeout={timeout_s}s"
    try:
        if not service:
            return _send(world, Call(url, bundle, body, min(timeout_s, left_s)))
        address, endpoint = _route(world, namespace, name, port)
        return _send(world, Call(url, bundle, body, min(timeout_s, left_s), address, endpoint))
    except CallFailed as error:
        text = f'Post "{url}": {error}'
        raise CallFailed(text, error.took_s) from None


def _send(world: World, call: Call) -> Answer:
    caller: Caller | None = world.service_or_none(WEBHOOKS)
    return unreachable(world, call) if caller is None else caller(world, call)


def unreachable(world: World, call: Call) -> Answer:
    """The answer of a pod, or why there is none: no process listens, or no route leads there.

    Raises:
        CallFailed: With the error text of Go's client.
    """
    in_pods: Caller | None = world.service_or_none(WEBHOOKS_IN_PODS)
    if call.endpoint and in_pods is not None:
        return in_pods(world, call)
    if call.endpoint and _listens(world, *call.endpoint):
        text = "http: server gave HTTP response to HTTPS client"
        raise CallFailed(text)
    parts = urlsplit(f"//{call.address}" if call.address else call.url)
    host, port = parts.hostname or "", parts.port or 443
    try:
        address = ip_address(host)
    except ValueError:
        text = f"dial tcp: lookup {host} on 10.77.0.1:53: no such host"
        raise CallFailed(text) from None
    shown = f"[{host}]:{port}" if address.version == 6 else f"{host}:{port}"
    why = "connection refused"
    if not call.address and not address.is_loopback and host not in _node_addresses(world):
        why = "network is unreachable"
    text = f"dial tcp {shown}: connect: {why}"
    raise CallFailed(text)


def _listens(world: World, namespace: str, pod: str, port: int) -> bool:
    runtime = world.service_or_none(LISTENERS)
    found = world.store.get(Key("pods", namespace, pod))
    if runtime is None or found is None:
        return False
    return bool(runtime.listening(world, found["metadata"]["uid"], port))


def _node_addresses(world: World) -> set[str]:
    return {
        entry["address"]
        for node in world.store.list("nodes", "")
        for entry in node.get("status", {}).get("addresses", ())
    }


def _route(
    world: World, namespace: str, name: str, port: int
) -> tuple[str, tuple[str, str, int] | tuple[()]]:
    """The address of a Service, and a pod behind it.

    Raises:
        CallFailed: There is no way to it.
    """
    service = world.store.get(Key("services", namespace, name))
    if service is None:
        text = f'service "{name}" not found'
        raise CallFailed(text)
    spec = service["spec"]
    if spec.get("clusterIP") == "None":
        text = 'cannot route to service with ClusterIP "None"'
        raise CallFailed(text)
    ports = [entry for entry in spec.get("ports", ()) if entry.get("port") == port]
    if not ports:
        text = f'no service port {port} found for service "{name}"'
        raise CallFailed(text)
    if spec.get("type") == "ExternalName":
        return f"{spec.get('externalName', '')}:{port}", ()
    address = f"{spec.get('clusterIP', '')}:{port}"
    for piece in world.store.indexed(
        "endpointslices.discovery.k8s.io", "service", f"{namespace}/{name}"
    ):
        wanted = ports[0].get("name", "")
        numbers = [p.get("port") for p in piece.get("ports") or () if p.get("name", "") == wanted]
        for endpoint in piece.get("endpoints") or ():
            ready = endpoint.get("conditions", {}).get("ready", True)
            if ready and numbers and endpoint.get("targetRef", {}).get("kind") == "Pod":
                return address, (namespace, endpoint["targetRef"]["name"], numbers[0])
    text = f"dial tcp {address}: connect: connection refused"
    raise CallFailed(text)


def _read(answer: Answer) -> dict[str, Any]:
    """The review in an answer, as the client's decoder finds it."""
    text = answer.content_type.partition(";")[0].strip()
    if not 200 <= answer.status <= 206:
        plain = not text or text.startswith("text/")
        said = answer.body[:_UNSTRUCTURED_BYTES].decode(errors="replace").strip()
        raise CallFailed(_refusal(answer.status, said if plain else "unknown"))
    if text not in ("", "application/json", "application/yaml"):
        message = f"serializer for {answer.content_type} doesn't exist"
        raise CallFailed(message)
    from sregym_cluster_embedded.api.body import json_error

    try:
        found = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        why = json_error(answer.body)
        message = f"couldn't get version/kind; json parse error: {why}"
        raise CallFailed(message) from None
    if not isinstance(found, dict):
        message = (
            "couldn't get version/kind; json parse error: json: cannot unmarshal "
            f"{_json_name(found)} into Go value of type struct "
            '{ APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
        )
        raise CallFailed(message)
    if not found.get("kind"):
        message = f"Object 'Kind' is missing in '{answer.body.decode(errors='replace')}'"
        raise CallFailed(message)
    return found


def _json_name(value: Any) -> str:
    names = {bool: "bool", str: "string", list: "array", type(None): "null"}
    return names.get(type(value), "number")


def _refusal(status: int, said: str) -> str:
    known = {
        400: "the server rejected our request for an unknown reason",
        401: "the server has asked for the client to provide credentials",
        403: said if said != "unknown" else "unknown",
        404: "the server could not find the requested resource",
        405: "the server does not allow this method on the requested resource",
        429: "the server has received too many requests and has asked us to try again later",
        503: "the server is currently unable to handle the request",
        504: "the server was unable to return a response in the time allotted, but may still be "
        "processing the request",
    }
    if status in known:
        return known[status]
    if status >= 500:
        quoted = orjson.dumps(said).decode()
        return f"an error on the server ({quoted}) has prevented the request from succeeding"
    return f"the server responded with the status code {status} but did not return more information"


def _checked(found: dict[str, Any], uid: str, api_version: str, mutating: bool) -> dict[str, Any]:
    """The response in a review."""
    group, _, version = str(found.get("apiVersion", "")).rpartition("/")
    response = found.get("response")
    if not isinstance(response, dict):
        message = "webhook response was absent"
        raise CallFailed(message)
    if api_version.endswith("/v1beta1"):
        return response
    kind = f"{group}/{version}, Kind={found.get('kind', '')}"
    if kind != "admission.k8s.io/v1, Kind=AdmissionReview":
        message = (
            f"expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {kind}"
        )
        raise CallFailed(message)
    if response.get("uid", "") != uid:
        message = f'expected response.uid="{uid}", got "{response.get("uid", "")}"'
        raise CallFailed(message)
    _check_patch(response, mutating)
    return response


def _check_patch(response: dict[str, Any], mutating: bool) -> None:
    patch, type_ = response.get("patch"), response.get("patchType")
    if mutating and patch and not type_:
        message = "webhook returned response.patch but not response.patchType"
    elif mutating and type_ and not patch:
        message = "webhook returned response.patchType but not response.patch"
    elif not mutating and patch:
        message = "validating webhook may not return response.patch"
    elif not mutating and type_:
        message = "validating webhook may not return response.patchType"
    elif type_ and type_ != "JSONPatch":
        message = f'invalid response.patchType "{type_}", must be "JSONPatch"'
    else:
        return
    raise CallFailed(message)
