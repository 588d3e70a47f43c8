"""The shell's objects for collections and cursors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_server_mongodb.administration import (
    DOCUMENT_BYTES,
    INDEX_BYTES,
    TABLE_BYTES,
    version_of,
)
from sregym_server_mongodb.data import Collection
from sregym_server_mongodb.documents import (
    known_documents,
    matching,
    ordered,
    projected,
)
from sregym_server_mongodb.indexes import IndexedCollection, stage_of
from sregym_server_mongodb.javascript import Host
from sregym_server_mongodb.printing import Raw, one_line, tojson
from sregym_server_mongodb.script import UNDEFINED, ScriptError
from sregym_server_mongodb.shell_errors import (
    BULK,
    PLACES,
    command_error,
    write_error,
    write_refused,
)

if TYPE_CHECKING:
    from collections.abc import Callable


# Of the release; what people see of it is constant.
_GIT_VERSION = "72e66213c2c3eab37d9358d5e78ad7f5c1d0d0d7"


class CollectionObject(IndexedCollection):
    """`db.name`."""

    def __str__(self) -> str:
        return f"{self.database.name}.{self.name}\n"

    def get(self, name: str) -> Any:
        """A method, or else a collection with a dotted name."""
        found = super().get(name)
        return (
            CollectionObject(self.database, f"{self.name}.{name}") if found is UNDEFINED else found
        )

    def _demand(self, action: str, command: str, head: str = "error", query: Any = None) -> None:
        try:
            self.database.connection.demand(action, self.database.name, command, self.name, query)
        except ScriptError as error:
            raise command_error(error, head) from error

    def _demand_write(self, command: str, name: str) -> None:
        """Refuse a write as the method `name` of the old shell does."""
        try:
            self.database.connection.demand("write", self.database.name, command, self.name)
        except ScriptError as error:
            frames = BULK.format(name=name, place=PLACES[name])
            raise write_error(error, frames) from error

    def _refused(self, command: str) -> Raw | None:
        """What a write of the old kind gives instead of its result; None when it may be."""
        connection = self.database.connection
        if connection.modern:
            self._demand("write", command)
            return None
        try:
            connection.demand("write", self.database.name, command, self.name)
        except ScriptError as error:
            if error.code is None:
                raise
            return Raw(write_refused(error))
        return None

    def js_count(self, query: Any = None, *_: Any) -> int:
        """How many documents there are."""
        self._demand("read", "count", "count failed", query)
        if query:
            return len(matching(known_documents(self.content), query))
        return self.content.count

    js_countDocuments = js_count
    js_estimatedDocumentCount = js_count

    def js_find(self, query: Any = None, fields: Any = None, *_: Any) -> Cursor:
        """A cursor over the documents that match."""
        self._demand("read", "find", query=query)
        total = self.content.count if not query else None
        found = matching(known_documents(self.content), query)
        return Cursor(found, total, lambda: self.plan(query), fields)

    def js_findOne(self, query: Any = None, fields: Any = None, *_: Any) -> Any:
        """The first document that matches, or null."""
        self._demand("read", "find", query=query)
        found = matching(known_documents(self.content), query)
        return projected(found[0], fields) if found else None

    def js_insert(self, documents: Any, *_: Any) -> Any:
        """Add one document or several."""
        refused = self._refused("insert")
        if refused is not None:
            return refused
        number = len(documents) if isinstance(documents, list) else 1
        self._add(documents)
        return Raw(f'WriteResult({{ "nInserted" : {number} }})')

    def _add(self, documents: Any) -> list[Any]:
        """Keep documents; what each is known by."""
        listed = documents if isinstance(documents, list) else [documents]
        stamped = [{"_id": self._object_id(), **document} for document in listed]
        content = self.content
        kept = (*content.documents, *stamped)
        self._save(replace(content, count=content.count + len(listed), documents=kept))
        return [document["_id"] for document in stamped]

    def js_insertOne(self, document: dict[str, Any], *_: Any) -> Any:
        """Add one document."""
        self._demand_write("insert", "insertOne")
        return {"acknowledged": True, "insertedId": self._add(document)[0]}

    def js_insertMany(self, documents: list[Any], *_: Any) -> Any:
        """Add several documents."""
        self._demand_write("insert", "insertMany")
        names = self._add(documents)
        if self.database.connection.modern:
            numbered = {str(place): name for place, name in enumerate(names)}
            return {"acknowledged": True, "insertedIds": numbered}
        return {"acknowledged": True, "insertedIds": names}

    def js_deleteMany(self, query: Any = None, *_: Any) -> Any:
        """Remove the documents that match."""
        self._demand_write("delete", "deleteMany")
        return self._delete(query)

    def _delete(self, query: Any) -> dict[str, Any]:
        known = known_documents(self.content)
        found = matching(known, query)
        gone = len(found) if query else self.content.count
        self._keep_without(found if query else list(map(dict, known)), gone)
        return {"acknowledged": True, "deletedCount": gone}

    def js_deleteOne(self, query: Any = None, *_: Any) -> Any:
        """Remove the first document that matches."""
        self._demand_write("delete", "deleteOne")
        found = matching(known_documents(self.content), query)[:1]
        self._keep_without(found, len(found))
        return {"acknowledged": True, "deletedCount": len(found)}

    def js_remove(self, query: Any = None, *_: Any) -> Any:
        """Remove the documents that match."""
        refused = self._refused("delete")
        if refused is not None:
            return refused
        gone = self._delete(query)["deletedCount"]
        return Raw(f'WriteResult({{ "nRemoved" : {gone} }})')

    def js_updateMany(self, query: Any, update: Any, *_: Any) -> Any:
        """Set fields of the documents that match."""
        self._demand_write("update", "updateMany")
        return self._update(query, update, None)

    def js_updateOne(self, query: Any, update: Any, *_: Any) -> Any:
        """Set fields of the first document that matches."""
        self._demand_write("update", "updateOne")
        return self._update(query, update, 1)

    def _update(self, query: Any, update: Any, most: int | None) -> Any:
        known = known_documents(self.content)
        found = matching(known, query)[:most]
        given = (update or {}).get("$set", {})
        changed = sum({**one, **given} != one for one in found)
        if changed:
            kept = tuple({**one, **given} if dict(one) in found else one for one in known)
            self._save(Collection(self.content.count, kept))
        if self.database.connection.modern:
            return {
                "acknowledged": True, "insertedId": None, "matchedCount": len(found),
                "modifiedCount": changed, "upsertedCount": 0,
            }  # fmt: skip
        return {"acknowledged": True, "matchedCount": len(found), "modifiedCount": changed}

    def js_distinct(self, name: str, query: Any = None, *_: Any) -> list[Any]:
        """The different values of a field."""
        self._demand("read", "distinct")
        found = matching(known_documents(self.content), query)
        values = [one[name] for one in found if name in one]
        return sorted({tojson(value): value for value in values}.values(), key=tojson)

    def _keep_without(self, gone: list[dict[str, Any]], number: int) -> None:
        known = known_documents(self.content)
        kept = tuple(one for one in known if dict(one) not in gone)
        self._save(Collection(self.content.count - number, kept))

    def js_drop(self, *_: Any) -> bool:
        """Remove the collection."""
        self._demand("write", "drop")
        there = self.name in self.database.connection.data.databases.get(self.database.name, {})
        if there:
            self._save(None)
        return there

    def js_stats(self, *_: Any) -> Any:
        """Sizes of the collection."""
        self._demand("read", "collStats")
        count = self.content.count
        sizes = dict.fromkeys(("_id_", *self.content.indexes), INDEX_BYTES)
        return {
            "ns": f"{self.database.name}.{self.name}",
            "size": DOCUMENT_BYTES * count,
            "count": count,
            **({"avgObjSize": DOCUMENT_BYTES} if count else {}),
            "storageSize": TABLE_BYTES,
            "freeStorageSize": 0,
            "capped": False,
            "nindexes": len(sizes),
            "indexBuilds": [],
            "totalIndexSize": sum(sizes.values()),
            "totalSize": TABLE_BYTES + sum(sizes.values()),
            "indexSizes": sizes,
            "scaleFactor": 1,
            "ok": 1,
        }

    def js_dataSize(self, *_: Any) -> int:
        """Bytes of its documents."""
        self._demand("read", "dataSize")
        return DOCUMENT_BYTES * self.content.count

    def js_storageSize(self, *_: Any) -> int:
        """Bytes of its table."""
        self._demand("read", "collStats")
        return TABLE_BYTES

    def js_getName(self) -> str:
        """Its name."""
        return self.name

    def js_getFullName(self) -> str:
        """Its name behind that of its database."""
        return f"{self.database.name}.{self.name}"

    def js_explain(self, *_: Any) -> Explained:
        """Plans instead of results."""
        return Explained(self)

    def plan(self, query: Any) -> dict[str, Any]:
        """How the server would look for documents: without an index that serves all are read."""
        wanted = query if isinstance(query, dict) else {}
        parsed = {name: {"$eq": value} for name, value in wanted.items()}
        connection = self.database.connection
        return {
            "queryPlanner": {
                "plannerVersion": 1,
                "namespace": f"{self.database.name}.{self.name}",
                "indexFilterSet": False,
                "parsedQuery": parsed,
                "queryHash": "8B3D4AB8" if not parsed else "E2B7F1A0",
                "planCacheKey": "8B3D4AB8" if not parsed else "E2B7F1A0",
                "winningPlan": stage_of(self.content, wanted, parsed),
                "rejectedPlans": [],
            },
            "serverInfo": {
                "host": connection.server.config.hostname,
                "port": int(connection.server.settings["mongod.port"]),
                "version": version_of(connection),
                "gitVersion": _GIT_VERSION,
            },
            "ok": 1,
        }

    def _object_id(self) -> Raw:
        connection = self.database.connection
        return Raw(f'ObjectId("{connection.world.seed.hexadecimal(24)}")')


class Explained(Host):
    """`db.name.explain()`."""

    def __init__(self, collection: CollectionObject) -> None:
        self.collection = collection

    def js_find(self, query: Any = None, *_: Any) -> dict[str, Any]:
        """How the server would look for documents."""
        return self.collection.plan(query)


class Cursor(Host):
    """What `find` gives."""

    pretty = False

    def __init__(
        self,
        documents: list[dict[str, Any]],
        total: int | None = None,
        plan: Callable[[], dict[str, Any]] = dict,
        fields: Any = None,
    ) -> None:
        self._found = documents
        self._plan = plan
        self._fields = fields
        self.total = len(documents) if total is None else total

    @property
    def documents(self) -> list[dict[str, Any]]:
        """What is shown of them."""
        return [projected(document, self._fields) for document in self._found]

    def __str__(self) -> str:
        write = tojson if self.pretty else one_line
        shown = "".join(f"{write(document)}\n" for document in self.documents[:20])
        more = 'Type "it" for more\n' if len(self.documents) > 20 else ""
        return shown + more

    def js_limit(self, count: int) -> Cursor:
        """The first documents only."""
        return self._with(self._found[:count], min(self.total, count))

    def js_skip(self, count: int) -> Cursor:
        """Without the first documents."""
        return self._with(self._found[count:], max(0, self.total - count))

    def js_sort(self, key: Any = None, *_: Any) -> Cursor:
        """In the order of `{field: 1 or -1}`."""
        return self._with(ordered(self._found, key), self.total)

    def js_pretty(self) -> Cursor:
        """Each document over several lines."""
        found = self._with(self._found, self.total)
        found.pretty = True
        return found

    def _with(self, documents: list[dict[str, Any]], total: int) -> Cursor:
        return Cursor(documents, total, self._plan, self._fields)

    def js_count(self, *_: Any) -> int:
        """How many there are."""
        return self.total

    js_size = js_count
    js_itcount = js_count

    def js_explain(self, *_: Any) -> dict[str, Any]:
        """How the server would look for them."""
        return self._plan()

    def js_toArray(self) -> list[dict[str, Any]]:
        """All documents."""
        return self.documents

    def js_forEach(self, function: Callable[[Any], Any]) -> Any:
        """Call a function with each document."""
        for document in self.documents:
            function(document)
        return UNDEFINED
