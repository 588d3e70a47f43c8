"""Public images of the kinds of servers that are installed, and images that are such servers by name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sregym_apps.model import parse_reference, parse_service_model
from sregym_apps.simulation import Installed, installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sregym_apps.model import Image, Program

# Last part of a repository's name -> kind of server, where the two differ.
_BY_NAME = {
    "postgresql": "postgres", "postgis": "postgres", "timescaledb": "postgres",
    "pgvector": "postgres", "spilo": "postgres",
    "mariadb": "mysql", "percona": "mysql", "mysql-server": "mysql", "percona-server": "mysql",
    "mongo": "mongodb", "mongodb-community-server": "mongodb", "percona-server-mongodb": "mongodb",
    "valkey": "redis", "redis-stack": "redis", "redis-stack-server": "redis", "keydb": "redis",
    "cp-kafka": "kafka", "cp-server": "kafka", "kafka-native": "kafka",
    "consul": "registry", "nginx-unprivileged": "nginx", "openresty": "nginx",
}  # fmt: skip
_KNOWN = "postgres mysql mongodb redis memcached kafka rabbitmq etcd registry nginx"
_KINDS = frozenset(_KNOWN.split())
# Ports of kinds whose protocol names none, or whose plugin may be missing.
_USUAL = {"nginx": (80,)}
_MIRRORS = ("public.ecr.aws/docker/library/", "mirror.gcr.io/library/", "quay.io/docker/library/")
# What images of other publishers call the settings of the official one, and what an image
# needs to start where nothing is set.
_ENVIRONMENT: dict[str, dict[str, tuple[str, ...]]] = {
    "postgres": {
        "POSTGRES_PASSWORD": ("POSTGRESQL_PASSWORD", "POSTGRESQL_POSTGRES_PASSWORD"),
        "POSTGRES_USER": ("POSTGRESQL_USERNAME", "POSTGRESQL_USER"),
        "POSTGRES_DB": ("POSTGRESQL_DATABASE",),
    },
    "mysql": {
        "MYSQL_ROOT_PASSWORD": ("MARIADB_ROOT_PASSWORD",),
        "MYSQL_USER": ("MARIADB_USER",),
        "MYSQL_PASSWORD": ("MARIADB_PASSWORD",),
        "MYSQL_DATABASE": ("MARIADB_DATABASE",),
    },
    "mongodb": {
        "MONGO_INITDB_ROOT_USERNAME": ("MONGODB_ROOT_USER",),
        "MONGO_INITDB_ROOT_PASSWORD": ("MONGODB_ROOT_PASSWORD",),
    },
}
_CLOSED: tuple[str, dict[str, str]] = ("", {})
_OPEN: dict[str, tuple[str, dict[str, str]]] = {
    "postgres": ("POSTGRES_PASSWORD", {"POSTGRES_HOST_AUTH_METHOD": "trust"}),
    "mysql": ("MYSQL_ROOT_PASSWORD", {"MYSQL_ALLOW_EMPTY_PASSWORD": "yes"}),
}
# Variables by which images of databases are told their first account, whatever these are called.
_TELLING = {
    "MYSQL_ROOT_PASSWORD": "mysql", "MYSQL_ALLOW_EMPTY_PASSWORD": "mysql", "MARIADB_ROOT_PASSWORD": "mysql",
    "POSTGRES_PASSWORD": "postgres", "POSTGRESQL_PASSWORD": "postgres",
    "MONGO_INITDB_ROOT_PASSWORD": "mongodb", "RABBITMQ_DEFAULT_PASS": "rabbitmq",
}  # fmt: skip
_VERSION = re.compile(r"^v?(\d+(?:\.\d+){0,3})")


@dataclass(frozen=True)
class ServerImage:
    """An image that is a server of a known kind.

    Attributes:
        kind: The kind.
        image: Its entry in a service model; the binaries name the program as the key of `program`.
        program: Entry of the program it runs.
        official: Whether its publisher is one that the kind knows; else only its name tells.
    """

    kind: str
    image: dict[str, Any]
    program: dict[str, Any] = field(default_factory=dict)
    official: bool = True


def kind_by_name(reference: str) -> str:
    """The kind of server that an image's name speaks of, installed or not; empty for none."""
    last = parse_reference(reference)[0].rpartition("/")[2]
    kind = _BY_NAME.get(last, last)
    return kind if kind in _KINDS else ""


def kind_by_settings(
    environment: Mapping[str, str], ports: Iterable[int], known: Installed | None = None
) -> str:
    """The kind of server that a container's variables, or its only port, speak of; empty for none.

    Args:
        environment: Its variables.
        ports: TCP ports that it declares.
        known: Kinds of servers; what is installed unless given.
    """
    known = installed() if known is None else known
    declared = list(ports)
    by_port = {number: kind for kind in _KINDS - {"nginx"} for number in usual_ports(kind, known)}
    named = [kind for name, kind in _TELLING.items() if name in environment]
    if named and (not declared or set(declared) & set(usual_ports(named[0], known))):
        return named[0]
    return by_port.get(declared[0], "") if len(declared) == 1 else ""


def usual_ports(kind: str, known: Installed | None = None) -> tuple[int, ...]:
    """The ports at which servers of a kind are met."""
    known = installed() if known is None else known
    found = known.kinds.get(kind)
    if found is None:
        return _USUAL.get(kind, ())
    return tuple(one.port for one in found.protocols if one.port) or _USUAL.get(kind, ())


def server_image(
    reference: str,
    environment: Mapping[str, str],
    known: Installed | None = None,
    otherwise: str = "",
) -> ServerImage | None:
    """The server that an image is; None where no installed kind knows it.

    Args:
        reference: As in a pod.
        environment: Of the container: what other publishers call the settings is found in it.
        known: Kinds of servers; what is installed unless given.
        otherwise: The kind that it is taken for where its name tells none.
    """
    known = installed() if known is None else known
    repository, tag = parse_reference(reference)
    for _, image, _ in _images(known):
        names = {parse_reference(one)[0] for one in (image.repository, *image.mirrors)}
        if repository in names or any(f"{m}{image.repository}" == repository for m in _MIRRORS):
            same = [one for one in _images(known) if one[1].repository == image.repository]
            return _taken(reference, tag, *_nearest(tag, same), environment, official=True)
    named = kind_by_name(reference) or otherwise
    same = [one for one in _images(known) if one[0] == named]
    if not same:
        return None
    return _taken(reference, tag, *_nearest(tag, same[:1]), environment, official=False)


@lru_cache(maxsize=4)
def _images(known: Installed) -> tuple[tuple[str, Image, Program], ...]:
    """Kind, image and program of all public images of the installed kinds."""
    return tuple(_read(known))


def _read(known: Installed) -> Iterator[tuple[str, Image, Program]]:
    for name, kind in known.kinds.items():
        for place in kind.images:
            package, _, file = place.partition(":")
            text = (files(package) / file).read_text(encoding="utf-8")
            model = parse_service_model(text, place, known)
            for image in model.images:
                program = model.programs.get(next(iter(image.binaries.values()), ""))
                if program is not None and program.kind == name:
                    yield name, image, program


def _nearest(tag: str, same: list[tuple[str, Image, Program]]) -> tuple[str, Image, Program]:
    """The image with that tag, else the one of which a tag has most of its beginning in common."""

    def common(one: tuple[str, Image, Program]) -> int:
        return max(len(_prefix(tag, known)) for known in one[1].tags)

    there = [one for one in same if tag in one[1].tags]
    return there[0] if there else max(same, key=common)


def _prefix(one: str, other: str) -> str:
    length = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return one[:length]


def _taken(
    reference: str, tag: str, kind: str, image: Image, program: Program,
    environment: Mapping[str, str], *, official: bool,
) -> ServerImage:  # fmt: skip
    """The entries of a service model for this reference alone."""
    entry = image.model_dump(mode="json", exclude_defaults=True)
    written = reference.partition("@")[0]
    repository = written[: -len(tag) - 1] if written.endswith(f":{tag}") else written
    entry |= {"repository": repository, "tags": [tag]}
    entry.pop("mirrors", None)
    own = program.model_dump(mode="json", exclude_defaults=True) | {"kind": kind}
    version = _VERSION.match(tag)
    if tag not in image.tags and version and "version" in type(program).model_fields:
        own["version"] = _completed(version[1])
    if not official:
        entry["env"] = {**entry.get("env", {}), **_settings(kind, environment)}
    return ServerImage(kind, entry, own, official)


def _completed(version: str) -> str:
    return version if "." in version else f"{version}.0"


def _settings(kind: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Settings of the official image, by the names that others give them."""
    found: dict[str, str] = {}
    for name, others in _ENVIRONMENT.get(kind, {}).items():
        for other in others:
            if environment.get(other) and name not in environment:
                found.setdefault(name, environment[other])
    needed, otherwise = _OPEN.get(kind, _CLOSED)
    if needed and needed not in found and needed not in environment:
        found |= otherwise
    return found
