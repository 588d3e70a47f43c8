"""Content negotiation: which form of an answer a client wants, which form its body has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sregym_cluster_embedded.api import errors

SERVED = (
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
)
JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
_JSON_RANGES = (JSON, "application/*", "*/*", PROTOBUF)


@dataclass(frozen=True)
class Form:
    """The form of an answer.

    Attributes:
        kind: `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`,
            `APIGroupDiscoveryList`, or empty for the object as it is.
        version: Version of that kind: `v1`, `v1beta1`, `v2`.
        yaml: Whether to write YAML.
    """

    kind: str = ""
    version: str = ""
    yaml: bool = False


@lru_cache(maxsize=256)
def negotiate(accept: str) -> Form:
    """The form that the server has and an Accept header likes best, or names first.

    Raises:
        errors.ApiError: NotAcceptable.
    """
    if not accept:
        return Form()
    for media, given in _by_liking(accept):
        if media == "application/yaml":
            return Form(yaml=True)
        if media in _JSON_RANGES:
            kind, version = given.get("as", ""), given.get("v", "")
            if kind == "APIGroupDiscoveryList" and version != "v2":
                continue
            return Form(kind, version)
    raise errors.not_acceptable(SERVED)


def _by_liking(accept: str) -> list[tuple[str, dict[str, str]]]:
    """The media types of an Accept header with their parameters, the best liked first."""
    found = []
    for clause in accept.split(","):
        media, *parameters = (part.strip() for part in clause.split(";"))
        given = dict(part.split("=", 1) for part in parameters if "=" in part)
        found.append((media, given))
    return sorted(found, key=lambda one: (-_liking(one[1]), one[0].startswith("*"), "/*" in one[0]))


def _liking(given: dict[str, str]) -> float:
    try:
        return float(given.get("q", "1"))
    except ValueError:
        return 1.0
