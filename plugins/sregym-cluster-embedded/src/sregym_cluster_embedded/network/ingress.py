"""How an ingress controller reads the Ingresses of its classes: hosts, paths, backends, secrets."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_regex import globs, perl

from sregym_cluster_embedded.network import certificates
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.network.certificates import Certificate
    from sregym_cluster_embedded.world import World

INGRESSES = "ingresses.networking.k8s.io"
CLASSES = "ingressclasses.networking.k8s.io"
_DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class"
_OLD_CLASS = "kubernetes.io/ingress.class"
_NGINX = "nginx.ingress.kubernetes.io/"
_YEAR_S = 365 * 86400
# What the controller serves where no secret fits: made when it starts, good for a year.
_OWN_NAME = "Kubernetes Ingress Controller Fake Certificate"


class Route(NamedTuple):
    """Where a request goes.

    Attributes:
        ingress: The Ingress that says so.
        service: Name of the Service in its namespace.
        port: Number or name.
        path: What is asked of the backend.
        redirect: The request is to come back over TLS.
    """

    ingress: Key
    service: str
    port: int | str
    path: str
    redirect: bool = False


class _Rule(NamedTuple):
    rank: tuple[int, int, int, str]
    ingress: Object
    path: str
    kind: str
    backend: Object


def served(world: World, controller: str) -> list[Object]:
    """The Ingresses that a controller looks after, the oldest first."""
    names = set()
    default = ""
    for entry in world.store.list(CLASSES, ""):
        if entry["spec"].get("controller") == controller:
            name = entry["metadata"]["name"]
            names.add(name)
            marks = entry["metadata"].get("annotations") or {}
            default = name if marks.get(_DEFAULT_CLASS) == "true" else default
    found = []
    for ingress in world.store.list(INGRESSES):
        marks = ingress["metadata"].get("annotations") or {}
        name = ingress["spec"].get("ingressClassName") or marks.get(_OLD_CLASS) or default
        if name in names:
            found.append(ingress)
    return sorted(found, key=_age)


def route(world: World, controller: str, host: str, path: str, *, secure: bool) -> Route | None:
    """The backend for a request, or None: then the controller answers 404 itself."""
    ingresses = served(world, controller)
    bare = path.partition("?")[0] or "/"
    rules = [rule for rule in _rules(ingresses, host) if _fits(rule, bare)]
    if rules:
        best = min(rules, key=lambda rule: rule.rank)
        return _routed(best.ingress, best.backend, _rewritten(best, path), host, secure)
    for ingress in ingresses:
        default = ingress["spec"].get("defaultBackend")
        hosts = [rule.get("host", "") for rule in ingress["spec"].get("rules") or ()]
        if default and (not hosts or any(_host_fits(entry, host) for entry in hosts)):
            return _routed(ingress, default, path, host, secure)
    return None


def certificate(world: World, controller: str, host: str) -> Certificate:
    """The certificate that is shown to clients who ask for a host."""
    for ingress in served(world, controller):
        for entry in ingress["spec"].get("tls") or ():
            if not any(_host_fits(name, host) for name in entry.get("hosts") or ()):
                continue
            found = _of_secret(world, ingress["metadata"]["namespace"], entry.get("secretName"))
            if found is not None and found.names_host(host):
                return found
    begin = float(world.epoch)
    names = ("ingress.local",)
    return certificates.Certificate(_OWN_NAME, _OWN_NAME, names, begin, begin + _YEAR_S, True)


def _of_secret(world: World, namespace: str, name: str | None) -> Certificate | None:
    secret = world.store.get(Key("secrets", namespace, name or ""))
    if secret is None:
        return None
    try:
        text = base64.b64decode((secret.get("data") or {}).get("tls.crt", ""), validate=True)
    except binascii.Error:
        return None
    return certificates.read(text.decode(errors="replace"))


def _rules(ingresses: list[Object], host: str) -> Iterator[_Rule]:
    """The rules for a host; exact hosts before wildcards, long paths before short ones."""
    for ingress in ingresses:
        for rule in ingress["spec"].get("rules") or ():
            named = rule.get("host", "")
            if not _host_fits(named, host):
                continue
            level = 2 if not named else int(named.startswith("*."))
            for entry in (rule.get("http") or {}).get("paths") or ():
                path, kind = entry.get("path") or "/", entry["pathType"]
                rank = (level, -len(path.rstrip("/")), int(kind != "Exact"), _age(ingress)[0])
                yield _Rule(rank, ingress, path, kind, entry["backend"])


def _host_fits(named: str, host: str) -> bool:
    if not named or named == host:
        return True
    return named.startswith("*.") and host.partition(".")[2] == named[2:]


def _fits(rule: _Rule, path: str) -> bool:
    if rule.kind == "Exact":
        return path == rule.path
    if _mark(rule.ingress, "use-regex") == "true" or "$" in _mark(rule.ingress, "rewrite-target"):
        return _pattern(rule.path).match(path) is not None
    if rule.kind == "Prefix":
        stem = rule.path.rstrip("/")
        return path == stem or path.startswith(f"{stem}/")
    return path.startswith(rule.path)


def _rewritten(rule: _Rule, path: str) -> str:
    target = _mark(rule.ingress, "rewrite-target")
    if not target:
        return path
    bare, mark, query = path.partition("?")
    found = _pattern(rule.path).match(bare)
    if found is not None:
        groups = found.groups(default="")
        for number, text in enumerate(groups, 1):
            target = target.replace(f"${number}", text)
    return re.sub(r"\$\d", "", target) + mark + query


def _pattern(path: str) -> perl.Searching:
    try:
        return perl.compiled(path, ignore_case=True)
    except perl.PatternError:
        return perl.compiled(globs.quoted(path[:1000]), ignore_case=True)


def _routed(ingress: Object, backend: Object, path: str, host: str, secure: bool) -> Route | None:
    service = backend.get("service")
    if service is None:
        return None
    port = service.get("port") or {}
    hosts = [name for entry in ingress["spec"].get("tls") or () for name in entry.get("hosts", ())]
    wanted = any(_host_fits(name, host) for name in hosts)
    redirect = wanted and not secure and _mark(ingress, "ssl-redirect") != "false"
    metadata = ingress["metadata"]
    return Route(
        Key(INGRESSES, metadata["namespace"], metadata["name"]),
        service["name"],
        port.get("name") or port.get("number") or 0,
        path,
        redirect,
    )


def _mark(ingress: Object, name: str) -> str:
    value: str = (ingress["metadata"].get("annotations") or {}).get(_NGINX + name, "")
    return value


def _age(ingress: Object) -> tuple[str, str, str]:
    metadata = ingress["metadata"]
    return (metadata["creationTimestamp"], metadata["namespace"], metadata["name"])
