"""`kubectl create secret docker-registry`, `create secret tls` and `create token`."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.create import create_object, head, one_name
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, Flag

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_COMMON = (*OUTPUT, *DRY_RUN, *IGNORED)
REGISTRY_FLAGS = (
    *_COMMON, Flag("docker-server"), Flag("docker-username"), Flag("docker-password"),
    Flag("docker-email"),
)  # fmt: skip
TLS_FLAGS = (*_COMMON, Flag("cert"), Flag("key"))
TOKEN_FLAGS = (Flag("duration"), Flag("audience", kind="repeated"), *IGNORED)

_SERVER = "https://index.docker.io/v1/"


def create_registry_secret(session: Session) -> None:
    """Run `kubectl create secret docker-registry`."""
    arguments = session.arguments
    obj = head(session, "v1", "Secret")
    user, password = arguments.text("docker-username"), arguments.text("docker-password")
    server = arguments.text("docker-server", _SERVER)
    if not user or not password or not server:
        what = "the combination of --docker-username, --docker-password and --docker-server"
        raise CommandError(f"error: either --from-file or {what} is required")
    entry = {"username": user, "password": password}
    if arguments.text("docker-email"):
        entry["email"] = arguments.text("docker-email")
    entry["auth"] = base64.b64encode(f"{user}:{password}".encode()).decode()
    config = json.dumps({"auths": {server: entry}}, separators=(",", ":"), ensure_ascii=False)
    if any(char in config for char in "<>&\u2028\u2029"):
        raise NotCovered("letters that Go escapes")
    obj["data"] = {".dockerconfigjson": base64.b64encode(config.encode()).decode()}
    obj["type"] = "kubernetes.io/dockerconfigjson"
    create_object(session, "secrets", obj, "secret")


def create_tls_secret(session: Session) -> None:
    """Run `kubectl create secret tls` of files that are not there; keys are left to the binary."""
    arguments = session.arguments
    one_name(session)
    if not arguments.text("key") or not arguments.text("cert"):
        raise CommandError("error: key and cert must be specified")
    for flag in ("cert", "key"):
        name = arguments.text(flag)
        if not (session.files / name).exists():
            why = f"open {name}: no such file or directory"
            raise CommandError(f"error: Cannot read file {name}, {why}")
    raise NotCovered("a key and its certificate")


def create_token(session: Session) -> None:
    """Run `kubectl create token`."""
    arguments = session.arguments
    name = one_name(session)
    kind = session.client.resource_type("serviceaccounts")
    spec: Object = {"audiences": arguments.all("audience") or None}
    if arguments.has("duration"):
        seconds = arguments.duration("duration", 0.0)
        if seconds != int(seconds):
            raise NotCovered("parts of a second")
        if seconds < 0:
            raise CommandError("error: --duration must be greater than or equal to 0")
        if seconds:
            spec["expirationSeconds"] = int(seconds)
    body = {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "metadata": {}, "spec": spec, "status": {"token": "", "expirationTimestamp": None},
    }  # fmt: skip
    path = kind.path(session.namespace, name, "token")
    try:
        answer = session.client.send("POST", path, body=body)
    except ServerError as error:
        raise CommandError(f"error: failed to create token: {error.message}") from error
    session.out.append(answer["status"]["token"])
