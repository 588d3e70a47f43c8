"""Documents of a collection: those that were seeded are computed; which match, in which order."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sregym_apps.model import expand
from sregym_cluster_embedded.sdk.commands import perl

from sregym_server_mongodb.printing import Raw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_server_mongodb.data import Collection

_MISSING = object()


def known_documents(content: Collection) -> Sequence[Mapping[str, Any]]:
    """All documents of which something is known, the seeded ones first."""
    if not content.record:
        return content.documents
    return (*_seeded(content.record, min(content.seeded, content.count)), *content.documents)


@lru_cache(maxsize=64)
def _seeded(record: str, number: int) -> tuple[Mapping[str, Any], ...]:
    found = []
    for place in range(1, number + 1):
        identity = blake2b(f"{record}\0{place}".encode(), digest_size=12).hexdigest()
        fields = json.loads(expand(record, {"n": str(place)}))
        found.append({"_id": Raw(f'ObjectId("{identity}")'), **fields})
    return tuple(found)


def digests(content: Collection) -> list[str]:
    """What all documents look like of which something is known, in short."""
    seeded = _seeded_digests(content.record, content.seeded) if content.record else ()
    return [*seeded, *map(_digest, content.documents)]


@lru_cache(maxsize=64)
def _seeded_digests(record: str, number: int) -> tuple[str, ...]:
    return tuple(map(_digest, _seeded(record, number)))


def _digest(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=4).hexdigest()


def matching(documents: Sequence[Mapping[str, Any]], query: Any) -> list[dict[str, Any]]:
    """Those that a query asks for."""
    wanted = query if isinstance(query, dict) else {}
    return [dict(document) for document in documents if _fits(document, wanted)]


def projected(document: dict[str, Any], fields: Any) -> dict[str, Any]:
    """What a projection leaves of a document."""
    if not isinstance(fields, dict) or not fields:
        return document
    given = {name: bool(value) for name, value in fields.items()}
    if any(shown for name, shown in given.items() if name != "_id"):
        kept = [name for name in document if given.get(name, name == "_id")]
    else:
        kept = [name for name in document if given.get(name, True)]
    return {name: document[name] for name in kept}


def ordered(documents: list[dict[str, Any]], key: Any) -> list[dict[str, Any]]:
    """In the order of `{field: 1 or -1}`."""
    found = list(documents)
    for name, direction in reversed(list((key if isinstance(key, dict) else {}).items())):
        found.sort(key=lambda one: _rank(_value(one, name)), reverse=direction == -1)
    return found


def _rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool) or value is _MISSING or value is None:
        return 0, str(value)
    return (1, value) if isinstance(value, int | float) else (2, str(value))


def _value(document: Any, path: str) -> Any:
    for part in path.split("."):
        if not isinstance(document, dict) or part not in document:
            return _MISSING
        document = document[part]
    return document


def _fits(document: Mapping[str, Any], query: dict[str, Any]) -> bool:
    for name, wanted in query.items():
        if name in ("$or", "$and"):
            each = [_fits(document, one) for one in wanted]
            if not (any(each) if name == "$or" else all(each)):
                return False
        elif not _satisfies(_value(document, name), wanted):
            return False
    return True


def _satisfies(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict) or not any(name.startswith("$") for name in wanted):
        return bool(value == wanted) or (wanted is None and value is _MISSING)
    return all(_passes(value, operator, operand) for operator, operand in wanted.items())


def _passes(value: Any, operator: str, operand: Any) -> bool:
    there = value is not _MISSING
    if operator == "$exists":
        return there == bool(operand)
    if operator == "$ne":
        return bool(value != operand)
    if operator in ("$in", "$nin"):
        return (there and value in operand) == (operator == "$in")
    if operator == "$regex":
        return there and perl.found(str(operand), str(value)) is not None
    if not there or type(value) is not type(operand):
        return operator == "$eq" and there and bool(value == operand)
    found = {
        "$eq": value == operand, "$gt": value > operand, "$gte": value >= operand,
        "$lt": value < operand, "$lte": value <= operand,
    }  # fmt: skip
    return bool(found.get(operator, True))
