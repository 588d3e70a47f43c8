"""The shell's objects for collections and cursors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.mongodb.administration import (
    DOCUMENT_BYTES,
    INDEX_BYTES,
    TABLE_BYTES,
    version_of,
)
from sregym_cluster_embedded.userland.mongodb.data import Collection
from sregym_cluster_embedded.userland.mongodb.javascript import Host
from sregym_cluster_embedded.userland.mongodb.printing import Raw, one_line, tojson
from sregym_cluster_embedded.userland.mongodb.script import UNDEFINED, ScriptError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.mongodb.database import Database

# Of the release; what people see of it is constant.
_GIT_VERSION = "72e66213c2c3eab37d9358d5e78ad7f5c1d0d0d7"
CODE_NAMES = {
    11: "UserNotFound", 13: "Unauthorized", 26: "NamespaceNotFound", 31: "RoleNotFound",
    72: "InvalidOptions", 76: "NoReplicationEnabled",
}  # fmt: skip


def _command_error(error: ScriptError, head: str) -> ScriptError:
    if error.code is None:
        return error
    document = {
        "ok": 0,
        "errmsg": error.message,
        "code": error.code,
        "codeName": CODE_NAMES.get(error.code, "Error"),
    }
    return ScriptError(f"{head}: {tojson(document)} :", error.code)


class CollectionObject(Host):
    """`db.name`."""

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.name = name

    def __str__(self) -> str:
        return f"{self.database.name}.{self.name}\n"

    def get(self, name: str) -> Any:
        """A method, or else a collection with a dotted name."""
        found = super().get(name)
        return (
            CollectionObject(self.database, f"{self.name}.{name}") if found is UNDEFINED else found
        )

    @property
    def content(self) -> Collection:
        """What is in it now."""
        return self.database.connection.data.collection(self.database.name, self.name)

    def _demand(self, action: str, command: str, head: str = "error") -> None:
        try:
            self.database.connection.demand(action, self.database.name, command, self.name)
        except ScriptError as error:
            raise _command_error(error, head) from error

    def js_count(self, query: Any = None, *_: Any) -> int:
        """How many documents there are."""
        self._demand("read", "count", "count failed")
        if query:
            return len(_matching(self.content, query))
        return self.content.count

    js_countDocuments = js_count
    js_estimatedDocumentCount = js_count

    def js_find(self, query: Any = None, *_: Any) -> Cursor:
        """A cursor over the documents that match."""
        self._demand("read", "find")
        total = self.content.count if not query else None
        return Cursor(_matching(self.content, query), total, lambda: self.plan(query))

    def js_findOne(self, query: Any = None, *_: Any) -> Any:
        """The first document that matches, or null."""
        self._demand("read", "find")
        found = _matching(self.content, query)
        return found[0] if found else None

    def js_insert(self, documents: Any, *_: Any) -> Any:
        """Add one document or several."""
        self._demand("write", "insert")
        listed = documents if isinstance(documents, list) else [documents]
        stamped = [{"_id": self._object_id(), **document} for document in listed]
        kept = (*self.content.documents, *stamped)
        self._save(Collection(self.content.count + len(listed), kept))
        return Raw(f'WriteResult({{ "nInserted" : {len(listed)} }})')

    def js_insertOne(self, document: dict[str, Any], *_: Any) -> Any:
        """Add one document."""
        self.js_insert(document)
        return {"acknowledged": True, "insertedId": self.content.documents[-1]["_id"]}

    def js_insertMany(self, documents: list[Any], *_: Any) -> Any:
        """Add several documents."""
        self.js_insert(documents)
        return {"acknowledged": True}

    def js_deleteMany(self, query: Any = None, *_: Any) -> Any:
        """Remove the documents that match."""
        self._demand("write", "delete")
        gone = self.content.count if not query else len(_matching(self.content, query))
        kept = tuple(
            d for d in self.content.documents if query and d not in _matching(self.content, query)
        )
        self._save(Collection(self.content.count - gone, kept))
        return {"acknowledged": True, "deletedCount": gone}

    js_remove = js_deleteMany

    def js_drop(self, *_: Any) -> bool:
        """Remove the collection."""
        self._demand("write", "drop")
        there = self.name in self.database.connection.data.databases.get(self.database.name, {})
        if there:
            self._save(None)
        return there

    def js_createIndex(self, *_: Any) -> Any:
        """Accepted; indexes are not kept."""
        self._demand("write", "createIndexes")
        return {"numIndexesBefore": 1, "numIndexesAfter": 2, "ok": 1}

    def js_getIndexes(self, *_: Any) -> list[dict[str, Any]]:
        """The index that every collection has."""
        self._demand("read", "listIndexes")
        there = self.name in self.database.connection.data.databases.get(self.database.name, {})
        return [{"v": 2, "key": {"_id": 1}, "name": "_id_"}] if there else []

    js_getIndices = js_getIndexes

    def js_stats(self, *_: Any) -> Any:
        """Sizes of the collection."""
        self._demand("read", "collStats")
        count = self.content.count
        return {
            "ns": f"{self.database.name}.{self.name}",
            "size": DOCUMENT_BYTES * count,
            "count": count,
            **({"avgObjSize": DOCUMENT_BYTES} if count else {}),
            "storageSize": TABLE_BYTES,
            "freeStorageSize": 0,
            "capped": False,
            "nindexes": 1,
            "indexBuilds": [],
            "totalIndexSize": INDEX_BYTES,
            "totalSize": TABLE_BYTES + INDEX_BYTES,
            "indexSizes": {"_id_": INDEX_BYTES},
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
        stage: dict[str, Any] = {"stage": "COLLSCAN", "direction": "forward"}
        if parsed:
            stage = {"stage": "COLLSCAN", "filter": parsed, "direction": "forward"}
        if set(wanted) == {"_id"}:
            stage = {"stage": "IDHACK"}
        connection = self.database.connection
        return {
            "queryPlanner": {
                "plannerVersion": 1,
                "namespace": f"{self.database.name}.{self.name}",
                "indexFilterSet": False,
                "parsedQuery": parsed,
                "queryHash": "8B3D4AB8" if not parsed else "E2B7F1A0",
                "planCacheKey": "8B3D4AB8" if not parsed else "E2B7F1A0",
                "winningPlan": stage,
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

    def _save(self, content: Collection | None) -> None:
        connection = self.database.connection
        data = connection.data.with_collection(self.database.name, self.name, content)
        connection.save(data)

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


def _matching(content: Collection, query: Any) -> list[dict[str, Any]]:
    wanted = query if isinstance(query, dict) else {}
    return [
        dict(document)
        for document in content.documents
        if all(document.get(name) == value for name, value in wanted.items())
    ]


class Cursor(Host):
    """What `find` gives."""

    def __init__(
        self,
        documents: list[dict[str, Any]],
        total: int | None = None,
        plan: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.documents = documents
        self._plan = plan
        self.total = len(documents) if total is None else total

    def __str__(self) -> str:
        shown = "".join(f"{one_line(document)}\n" for document in self.documents[:20])
        more = 'Type "it" for more\n' if len(self.documents) > 20 else ""
        return shown + more

    def js_limit(self, count: int) -> Cursor:
        """The first documents only."""
        return Cursor(self.documents[:count], min(self.total, count), self._plan)

    def js_skip(self, count: int) -> Cursor:
        """Without the first documents."""
        return Cursor(self.documents[count:], max(0, self.total - count), self._plan)

    def js_sort(self, *_: Any) -> Cursor:
        """In the order they are kept."""
        return self

    js_pretty = js_sort

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
