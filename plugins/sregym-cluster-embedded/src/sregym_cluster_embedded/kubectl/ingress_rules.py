"""`kubectl create ingress`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.create import create_object, head
from sregym_cluster_embedded.kubectl.errors import CommandError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *DRY_RUN, *IGNORED, Flag("class"), Flag("rule", kind="repeated"),
    Flag("default-backend"), Flag("annotation", kind="repeated"),
)  # fmt: skip

_NOTHING = (
    "error: not enough information provided: every ingress has to either specify a "
    "default-backend (which catches all traffic) or a list of rules (which catch specific paths)"
)
_HOST = r"(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
_NAME = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_RULE = re.compile(rf"(?:{_HOST})?/[^=,]*=(?:{_NAME}):[a-z0-9-]+(?:,tls(?:=[a-z0-9.-]+)?)?")


def create_ingress(session: Session) -> None:
    """Run `kubectl create ingress`."""
    arguments = session.arguments
    obj = head(session, "networking.k8s.io/v1", "Ingress")
    rules, default = arguments.all("rule"), arguments.text("default-backend")
    if not rules and not default:
        raise CommandError(_NOTHING)
    for rule in rules:
        if not _RULE.fullmatch(rule):
            form = "host/path=svcname:svcport[,tls[=secret]]"
            raise CommandError(f"error: rule {rule} is invalid and should be in format {form}")
    annotations = {}
    for pair in arguments.all("annotation"):
        key, equals, value = pair.partition("=")
        if not equals:
            form = "key=[value]"
            raise CommandError(
                f"error: annotation {pair} is invalid and should be in format {form}"
            )
        annotations[key] = value
    if annotations:
        obj["metadata"]["annotations"] = annotations
    spec: Object = {}
    if arguments.text("class"):
        spec["ingressClassName"] = arguments.text("class")
    if default:
        if default.count(":") != 1:
            text = "default-backend should be in format servicename:serviceport"
            raise CommandError(f"error: {text}")
        spec["defaultBackend"] = _backend(default)
    secured = _secured(rules)
    if secured:
        spec["tls"] = secured
    if rules:
        spec["rules"] = _rules(rules)
    obj |= {"spec": spec, "status": {"loadBalancer": {}}}
    create_object(session, "ingresses.networking.k8s.io", obj, "ingress")


def _rules(rules: Sequence[str]) -> list[Object]:
    found: dict[str, list[Object]] = {}
    for rule in rules:
        host, _, rest = rule.split(",")[0].partition("/")
        path, _, service = rest.partition("=")
        kind = "Prefix" if f"/{path}".endswith("*") else "Exact"
        entry = {
            "backend": _backend(service), "path": f"/{path}".removesuffix("*"), "pathType": kind,
        }  # fmt: skip
        found.setdefault(host, []).append(entry)
    return [
        ({"host": host} if host else {}) | {"http": {"paths": paths}}
        for host, paths in found.items()
    ]


def _secured(rules: Sequence[str]) -> list[Object]:
    found: list[Object] = []
    seen: set[str] = set()
    for rule in rules:
        head_, comma, tls = rule.partition(",")
        host, secret = head_.partition("/")[0], tls.partition("=")[2]
        if not comma or host in seen:
            continue
        seen.add(host)
        same = next((one for one in found if one.get("secretName", "") == secret), None)
        if same is not None:
            same.setdefault("hosts", []).append(host)
            continue
        entry: Object = {"hosts": [host]} if host else {}
        if secret:
            entry["secretName"] = secret
        if entry:
            found.append(entry)
    return found


def _backend(service: str) -> Object:
    name, _, port = service.partition(":")
    number = {"number": int(port)} if port.isdigit() else {"name": port}
    return {"service": {"name": name, "port": number}}
