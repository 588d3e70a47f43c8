"""Indexes of a collection as its shell makes, lists and drops them, and how they serve a query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_server_mongodb.data import Collection, index_name
from sregym_server_mongodb.javascript import Host
from sregym_server_mongodb.script import ScriptError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_server_mongodb.database import Database

_KEY = "_id_"
_NOT_FOUND, _INVALID, _BAD = 27, 72, 67


def _named(keys: Any) -> str:
    """The name that the server gives an index of these keys.

    Raises:
        ScriptError: They are none.
    """
    if not isinstance(keys, dict) or not keys:
        raise ScriptError("Index keys cannot be an empty object", _BAD)
    return "_".join(index_name(name, direction) for name, direction in keys.items())


def with_index(content: Collection, keys: Any, given: Any) -> Collection:
    """The collection with one more index; the same where it has one of this name."""
    name = _named(keys)
    if isinstance(given, dict) and given.get("name"):
        name = str(given["name"])
    if name == _KEY or name in content.indexes or tuple(keys) == ("_id",):
        return content
    return replace(content, indexes={**content.indexes, name: tuple(keys)})


def made(before: Collection, after: Collection) -> dict[str, Any]:
    """What is said of a new index."""
    known, now = 1 + len(before.indexes), 1 + len(after.indexes)
    told = {} if now > known else {"note": "all indexes already exist"}
    first = {} if before.count else {"createdCollectionAutomatically": False}
    return {**first, "numIndexesBefore": known, "numIndexesAfter": now, **told, "ok": 1}


def without_index(content: Collection, which: Any) -> Collection:
    """The collection without an index.

    Raises:
        ScriptError: It has none of that name, or it is that of the key.
    """
    name = which if isinstance(which, str) else _named(which)
    if name in (_KEY, "_id_1"):
        raise ScriptError("cannot drop _id index", _INVALID)
    if name == "*":
        return replace(content, indexes={})
    if name not in content.indexes:
        raise ScriptError(f"index not found with name [{name}]", _NOT_FOUND)
    left = {known: fields for known, fields in content.indexes.items() if known != name}
    return replace(content, indexes=left)


def listed(content: Collection) -> list[dict[str, Any]]:
    """All indexes, that of the key first."""
    found: list[dict[str, Any]] = [{"v": 2, "key": {"_id": 1}, "name": _KEY}]
    for name, fields in content.indexes.items():
        found.append({"v": 2, "key": dict.fromkeys(fields, 1), "name": name})
    return found


def stage_of(
    content: Collection, wanted: Mapping[str, Any], parsed: Mapping[str, Any]
) -> dict[str, Any]:
    """By which way documents with these fields are looked for."""
    if set(wanted) == {"_id"}:
        return {"stage": "IDHACK"}
    for name, fields in content.indexes.items():
        if fields[0] in wanted:
            scan = {
                "stage": "IXSCAN",
                "keyPattern": dict.fromkeys(fields, 1),
                "indexName": name,
                "isMultiKey": False,
                "isUnique": False,
                "direction": "forward",
            }
            rest = {field: value for field, value in parsed.items() if field not in fields}
            return {"stage": "FETCH", **({"filter": rest} if rest else {}), "inputStage": scan}
    if parsed:
        return {"stage": "COLLSCAN", "filter": dict(parsed), "direction": "forward"}
    return {"stage": "COLLSCAN", "direction": "forward"}


def enlarged(content: Collection, total: int, fields: tuple[str, ...]) -> Collection:
    """A collection as it was filled, with more that is only counted and an index of each field."""
    if content.count != content.seeded or content.documents or content.indexes or not content.count:
        return content
    named = {index_name(field): (field,) for field in fields}
    return replace(content, count=max(total, content.count), indexes=named)


def examined(content: Collection, by: tuple[str, ...]) -> int:
    """All documents where neither the key nor an index begins with one of the fields."""
    first = {fields[0] for fields in content.indexes.values()}
    return 0 if {"_id", *first} & {*by} else content.count


class IndexedCollection(Host):
    """What `db.name` has for its indexes.

    Args:
        database: Where it is.
        name: Of the collection.
    """

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.name = name

    @property
    def content(self) -> Collection:
        """What is in it now."""
        return self.database.connection.data.collection(self.database.name, self.name)

    def _demand(self, action: str, command: str, head: str = "error", query: Any = None) -> None:
        raise NotImplementedError

    def _save(self, content: Collection | None) -> None:
        connection = self.database.connection
        data = connection.data.with_collection(self.database.name, self.name, content)
        connection.save(data)

    def js_createIndex(self, keys: Any = None, given: Any = None, *_: Any) -> Any:
        """Add an index, unless there is one of its name."""
        self._demand("write", "createIndexes")
        before = self.content
        after = with_index(before, keys, given)
        if after is not before:
            self._save(after)
        return made(before, after)

    js_ensureIndex = js_createIndex

    def js_dropIndex(self, which: Any = None, *_: Any) -> Any:
        """Remove an index, by its name or its keys."""
        self._demand("write", "dropIndexes")
        before = self.content
        self._save(without_index(before, which))
        return {"nIndexesWas": 1 + len(before.indexes), "ok": 1}

    def js_dropIndexes(self, *_: Any) -> Any:
        """Remove all indexes but that of the key."""
        self._demand("write", "dropIndexes")
        before = self.content
        self._save(replace(before, indexes={}))
        message = "non-_id indexes dropped for collection"
        return {"nIndexesWas": 1 + len(before.indexes), "msg": message, "ok": 1}

    def js_getIndexes(self, *_: Any) -> list[dict[str, Any]]:
        """That of the key, which every collection has, and its others."""
        self._demand("read", "listIndexes")
        there = self.name in self.database.connection.data.databases.get(self.database.name, {})
        return listed(self.content) if there else []

    js_getIndices = js_getIndexes
    js_getIndexSpecs = js_getIndexes
