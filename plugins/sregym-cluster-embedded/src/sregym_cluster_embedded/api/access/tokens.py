"""Tokens of ServiceAccounts: JSON web tokens that this cluster makes and recognizes.

Their form is the real one. The signature is a keyed digest, which no client can verify or
has to.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256, shake_256
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api.access.impersonation import AUTHENTICATED, account_groups
from sregym_cluster_embedded.api.access.rbac import ACCOUNT_PREFIX
from sregym_cluster_embedded.api.request import User
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

ISSUER = "https://kubernetes.default.svc.cluster.local"
LEGACY_ISSUER = "kubernetes/serviceaccount"
# A token of a pod that asks for so many seconds lasts a year; clients renew it long before.
POD_TOKEN_S = 3607
_YEAR_S = 31_536_000
_SIGNATURE_BYTES = 256
_IDENTITY = "authentication.kubernetes.io/"
_PRIVATE = "kubernetes.io"


# What the authenticator says of every token that it does not accept, alone or before the reason.
UNKNOWN = "invalid bearer token"


class TokenError(Exception):
    """A token that does not authenticate; the message is the authenticators', joined."""


@dataclass(frozen=True)
class Identity:
    """The user of a token.

    Attributes:
        user: The ServiceAccount as a user.
        audiences: For whom the token was made.
        secret: The Secret that holds it, when one does.
    """

    user: User
    audiences: tuple[str, ...]
    secret: Key | None = None


def issue(
    world: World,
    account: Object,
    lifetime_s: int,
    audiences: Sequence[str] = (ISSUER,),
    bound: Object | None = None,
    token_id: str = "",
) -> str:
    """A token of a stored ServiceAccount.

    Args:
        world: Where.
        account: The ServiceAccount.
        lifetime_s: Virtual seconds for which it is valid; of a pod's `POD_TOKEN_S`, a year.
        audiences: For whom.
        bound: The Pod, Secret or Node with which it ends.
        token_id: Its `jti`; from the world's chance when not given.
    """
    metadata = account["metadata"]
    now = int(world.epoch + world.now)
    private: dict[str, Any] = {"namespace": metadata["namespace"]}
    if bound is not None and bound["kind"] == "Pod":
        node = bound["spec"].get("nodeName")
        if node:
            private["node"] = _reference(world.store.get(Key("nodes", "", node)), node)
        private["pod"] = _reference(bound)
    elif bound is not None:
        private[bound["kind"].lower()] = _reference(bound)
    private["serviceaccount"] = {"name": metadata["name"], "uid": metadata["uid"]}
    expires = now + lifetime_s
    if lifetime_s == POD_TOKEN_S and "pod" in private:
        private["warnafter"] = expires
        expires = now + _YEAR_S
    claims = {
        "aud": list(audiences),
        "exp": expires,
        "iat": now,
        "iss": ISSUER,
        "jti": token_id or world.seed.uid(),
        _PRIVATE: private,
        "nbf": now,
        "sub": f"{ACCOUNT_PREFIX}{metadata['namespace']}:{metadata['name']}",
    }
    return _signed(world, claims)


def issue_to_pod(world: World, pod: Object, lifetime_s: int, audiences: Sequence[str]) -> str:
    """The token in a pod's volume; empty when its ServiceAccount is gone."""
    namespace = pod["metadata"]["namespace"]
    name = pod["spec"].get("serviceAccountName", "default")
    account = world.store.get(Key("serviceaccounts", namespace, name))
    if account is None:
        return ""
    seed = f"{pod['metadata']['uid']}/{world.now}/{lifetime_s}"
    return issue(world, account, lifetime_s, audiences or (ISSUER,), pod, _uid(seed))


def issue_legacy(world: World, account: Object, secret: str) -> str:
    """The token of a Secret, which ends with the Secret."""
    metadata = account["metadata"]
    head = "kubernetes.io/serviceaccount/"
    claims = {
        "iss": LEGACY_ISSUER,
        f"{head}namespace": metadata["namespace"],
        f"{head}secret.name": secret,
        f"{head}service-account.name": metadata["name"],
        f"{head}service-account.uid": metadata["uid"],
        "sub": f"{ACCOUNT_PREFIX}{metadata['namespace']}:{metadata['name']}",
    }
    return _signed(world, claims)


def identify(world: World, token: str) -> Identity:
    """The user of a token.

    Raises:
        TokenError: It is none of this cluster, it has expired, or what it was bound to is gone.
    """
    claims = _verified(world, token)
    if claims.get("iss") == LEGACY_ISSUER:
        return _legacy_identity(world, claims)
    now = world.epoch + world.now
    if claims["exp"] < now:
        raise TokenError(f"{UNKNOWN}, service account token has expired")
    private = claims[_PRIVATE]
    namespace = private["namespace"]
    account = private["serviceaccount"]
    _check(world, Key("serviceaccounts", namespace, account["name"]), account["uid"])
    extra: dict[str, tuple[str, ...]] = {f"{_IDENTITY}credential-id": (f"JTI={claims['jti']}",)}
    for field, resource in (("pod", "pods"), ("secret", "secrets"), ("node", "nodes")):
        held = private.get(field)
        if held is None:
            continue
        if field != "node" or "pod" not in private:
            place = "" if field == "node" else namespace
            _check(world, Key(resource, place, held["name"]), held["uid"])
        if field != "secret":
            extra[f"{_IDENTITY}{field}-name"] = (held["name"],)
            extra[f"{_IDENTITY}{field}-uid"] = (held.get("uid", ""),)
    user = _user(namespace, account["name"], account["uid"], extra)
    return Identity(user, tuple(claims["aud"]))


def _legacy_identity(world: World, claims: dict[str, Any]) -> Identity:
    head = "kubernetes.io/serviceaccount/"
    namespace = claims[f"{head}namespace"]
    name, uid = claims[f"{head}service-account.name"], claims[f"{head}service-account.uid"]
    _check(world, Key("serviceaccounts", namespace, name), uid)
    secret = Key("secrets", namespace, claims[f"{head}secret.name"])
    if world.store.get(secret) is None:
        raise TokenError(f"{UNKNOWN}, service account token has been invalidated")
    return Identity(_user(namespace, name, uid, {}), (ISSUER,), secret)


def _check(world: World, key: Key, uid: str) -> None:
    """See to it that an object of a token is still there."""
    found = world.store.get(key)
    if found is None or found["metadata"]["uid"] != uid:
        raise TokenError(f"{UNKNOWN}, service account token has been invalidated")


def published_key(world: World) -> dict[str, str]:
    """The key of the tokens as a JSON web key: right in form, as their signature is."""
    modulus = bytearray(shake_256(_key(world) + b"public").digest(_SIGNATURE_BYTES))
    modulus[0] |= 0x80
    modulus[-1] |= 1
    return {
        "use": "sig",
        "kty": "RSA",
        "kid": _key_id(world),
        "alg": "RS256",
        "n": _encoded(bytes(modulus)),
        "e": "AQAB",
    }


def _key_id(world: World) -> str:
    return _fingerprint(_key(world))


@lru_cache(maxsize=64)
def _fingerprint(key: bytes) -> str:
    return _encoded(sha256(key).digest())


def _user(namespace: str, name: str, uid: str, extra: dict[str, tuple[str, ...]]) -> User:
    groups = (*account_groups(namespace), AUTHENTICATED)
    return User(f"{ACCOUNT_PREFIX}{namespace}:{name}", groups, uid, extra)


def _reference(obj: Object | None, name: str = "") -> dict[str, str]:
    if obj is None:
        return {"name": name}
    return {"name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"]}


def _verified(world: World, token: str) -> dict[str, Any]:
    """The claims of a token of this cluster."""
    signed, _, signature = token.rpartition(".")
    claims = _claims(signed) if token.count(".") == 2 else {}
    if claims.get("iss") not in (ISSUER, LEGACY_ISSUER):
        raise TokenError(UNKNOWN)
    expected = _encoded(_digest(world, signed)).encode()
    if not hmac.compare_digest(expected, signature.encode(errors="replace")):
        raise TokenError(f"{UNKNOWN}, go-jose/go-jose: error in cryptographic primitive")
    return claims


def _claims(signed: str) -> dict[str, Any]:
    text = signed.partition(".")[2]
    try:
        claims = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, orjson.JSONDecodeError, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}


def _signed(world: World, claims: dict[str, Any]) -> str:
    text = f"{_header(_key_id(world))}.{_encoded(orjson.dumps(claims))}"
    return f"{text}.{_encoded(_digest(world, text))}"


@lru_cache(maxsize=64)
def _header(key_id: str) -> str:
    return _encoded(orjson.dumps({"alg": "RS256", "kid": key_id}))


def _digest(world: World, text: str) -> bytes:
    return shake_256(_key(world) + text.encode(errors="replace")).digest(_SIGNATURE_BYTES)


def _key(world: World) -> bytes:
    """The key with which this cluster signs."""
    return world.secret("tokens of service accounts")


def _uid(text: str) -> str:
    digest = blake2b(text.encode(), digest_size=16).hexdigest()
    return "-".join(
        (digest[:8], digest[8:12], f"4{digest[13:16]}", f"8{digest[17:20]}", digest[20:])
    )


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
