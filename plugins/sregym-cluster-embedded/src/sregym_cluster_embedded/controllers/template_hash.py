"""The hash that names a pod template."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import orjson

from sregym_cluster_embedded.clock.seed import NAME_ALPHABET

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

LABEL = "pod-template-hash"


def template_hash(template: Object, collisions: int = 0) -> str:
    """A stable name part for a template: 32 bits as decimal digits in the alphabet of names.

    Form and length are those of Kubernetes, the value is not: that depends on how Go prints the
    template.
    """
    encoded = orjson.dumps(template, option=orjson.OPT_SORT_KEYS)
    if collisions:
        encoded += str(collisions).encode()
    number = int.from_bytes(blake2b(encoded, digest_size=4).digest(), "big")
    # Ten digits nearly always, as with the real hash; the digits map to ten letters of 27.
    return "".join(NAME_ALPHABET[ord(digit) % len(NAME_ALPHABET)] for digit in str(number))
