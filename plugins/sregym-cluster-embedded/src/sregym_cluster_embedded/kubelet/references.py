"""Image references: whether they can be read (distribution's package `reference`), names in full."""

from __future__ import annotations

import re
from hashlib import sha256

_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_PATH = rf"{_COMPONENT}(?:/{_COMPONENT})*"
_LABEL = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
_TAG = r"\w[\w.-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_WHOLE = re.compile(rf"{_DOMAIN}/{_PATH}(?::{_TAG})?(?:@{_DIGEST})?", re.ASCII)
_IDENTIFIER = re.compile(r"[a-f0-9]{64}")
_FORMAT = "invalid reference format"


def configuration_id(image_id: str) -> str:
    """The id that a runtime gives an image: the digest of its configuration."""
    return "sha256:" + sha256(f"configuration of {image_id}".encode()).hexdigest()


def image_reference(reference: str, image_id: str) -> str:
    """What a runtime calls the image of a container: its tag in full, else its id.

    Args:
        reference: As written in the pod spec.
        image_id: What the runtime says that the reference is.
    """
    if "@" in reference:
        return image_id if image_id.startswith("sha256:") else configuration_id(image_id)
    domain, path = _parts(reference)
    tag = "" if ":" in path.rpartition("/")[2] else ":latest"
    return f"{domain}/{path}{tag}"


def reference_error(reference: str) -> str:
    """What is wrong with a reference, as the parser words it; empty when it can be read."""
    if _IDENTIFIER.fullmatch(reference):
        return f"invalid repository name ({reference}), cannot specify 64-byte hexadecimal strings"
    domain, path = _parts(reference)
    name = path.partition(":")[0]
    if name != name.lower():
        return f"{_FORMAT}: repository name ({name}) must be lowercase"
    return "" if _WHOLE.fullmatch(f"{domain}/{path}") else _FORMAT


def _parts(reference: str) -> tuple[str, str]:
    """The registry of a reference, and what stands behind it."""
    first, slash, rest = reference.partition("/")
    hub = not slash or not (
        any(sign in first for sign in ".:") or first == "localhost" or first != first.lower()
    )
    domain, path = ("docker.io", reference) if hub else (first, rest)
    if domain in ("docker.io", "index.docker.io") and "/" not in path:
        path = f"library/{path}"
    return domain, path
