"""Which answers are compressed for clients that can unpack them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Response

# Answers of the API up to this size are not worth it, and those of the old document of all types.
_LEAST = 128 * 1024
_LEAST_OF_DOCUMENT = 1400
_DOCUMENT = "/openapi/v2"
# Served as they are: documents of single groups, and what others say.
_AS_THEY_ARE = ("/openapi/v3", "/metrics")
_TYPES = ("application/json", "application/yaml")
_LEVEL = 1


def compressed(path: str, accepted: str, answer: Response, body: bytes) -> bytes | None:
    """The body packed by gzip; None when it goes as it is."""
    document = path == _DOCUMENT
    if len(body) <= (_LEAST_OF_DOCUMENT if document else _LEAST):
        return None
    if "gzip" not in (token.strip() for token in accepted.split(",")):
        return None
    if not document and not answer.content_type.startswith(_TYPES):
        return None
    if path.startswith(_AS_THEY_ARE) or "/proxy/" in path or path.endswith("/proxy"):
        return None
    return gzip.compress(body, _LEVEL, mtime=0)
