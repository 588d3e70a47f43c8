"""The objects of the shell: `db`, collections, cursors, and the rights they need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.mongodb.data import (
    BUILT_IN_ROLES,
    Account,
    Collection,
    MongoData,
    load,
    store,
)
from sregym_cluster_embedded.userland.mongodb.javascript import UNDEFINED, Host, ScriptError
from sregym_cluster_embedded.userland.mongodb.printing import Raw, one_line, tojson

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_UNAUTHORIZED = 13
_USER_NOT_FOUND = 11
_ROLE_NOT_FOUND = 31


class Connection:
    """A connection to a server, with the accounts that are logged in.

    Args:
        world: Where the data is.
        server: The server's process.
        unguarded: Whether the server asks for no rights (while init scripts run).
    """

    def __init__(self, world: World, server: Process, unguarded: bool) -> None:
        self.world = world
        self.server = server
        self.storage = server.settings["mongod.storage"]
        self.guarded = server.settings["mongod.auth"] == "true" and not unguarded
        self.logins: list[tuple[str, str]] = []
        self.say: Callable[..., Any] = lambda *_: UNDEFINED

    @property
    def data(self) -> MongoData:
        """The server's data now."""
        return load(self.world, self.storage)

    def save(self, data: MongoData) -> None:
        """Replace the server's data; whoever depends on accounts is told."""
        store(self.world, self.storage, data)
        traffic = self.world.constitution.rooms.get("traffic")
        if traffic is not None:
            traffic.changed(self.world)

    def log_in(self, database: str, user: str, password: str) -> bool:
        """Whether the account exists and the password is its."""
        account = self.data.accounts.get((database, user))
        if account is None or account.password != password:
            return False
        self.logins.append((database, user))
        return True

    def demand(self, action: str, database: str, command: str, target: Any) -> None:
        """Raise unless an account that is logged in may do this."""
        if not self.guarded:
            return
        accounts = [self.data.accounts[key] for key in self.logins if key in self.data.accounts]
        if not self.data.accounts and action == "users":
            return
        if any(account.may(action, database) for account in accounts):
            return
        if not accounts:
            message = f"command {command} requires authentication"
        else:
            shown = f'{{ {command}: {one_line(target)}, $db: "{database}" }}'
            message = f"not authorized on {database} to execute command {shown}"
        raise ScriptError(message, _UNAUTHORIZED)

    def database_sizes(self) -> list[tuple[str, float]]:
        """Names and sizes in GB, as `show dbs` has them."""
        self.demand("list", "admin", "listDatabases", 1.0)
        names = dict.fromkeys(["admin", "config", "local", *self.data.databases])
        return [(name, 0.0) for name in sorted(names)]


def _command_error(error: ScriptError, head: str) -> ScriptError:
    if error.code is None:
        return error
    names = {
        _UNAUTHORIZED: "Unauthorized",
        _USER_NOT_FOUND: "UserNotFound",
        _ROLE_NOT_FOUND: "RoleNotFound",
    }
    document = {
        "ok": 0,
        "errmsg": error.message,
        "code": error.code,
        "codeName": names.get(error.code, "Error"),
    }
    return ScriptError(f"{head}: {tojson(document)} :", error.code)


class Database(Host):
    """`db`."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection = connection
        self.name = name

    def __str__(self) -> str:
        return f"{self.name}\n"

    def get(self, name: str) -> Any:
        """A method, or else the collection of that name."""
        found = super().get(name)
        return CollectionObject(self, name) if found is UNDEFINED else found

    def js_getName(self) -> str:
        """The name of the database."""
        return self.name

    def js_getSiblingDB(self, name: str) -> Database:
        """Another database of the same server."""
        return Database(self.connection, name)

    js_getDB = js_getSiblingDB

    def js_getCollection(self, name: str) -> CollectionObject:
        """A collection by name."""
        return CollectionObject(self, name)

    def js_getCollectionNames(self) -> list[str]:
        """The names of the collections, sorted."""
        self.connection.demand("read", self.name, "listCollections", 1.0)
        return sorted(self.connection.data.databases.get(self.name, {}))

    def js_auth(self, user: Any, password: str = "") -> int:
        """Log in; 1 or 0."""
        if isinstance(user, dict):
            user, password = user.get("user", ""), user.get("pwd", "")
        if self.connection.log_in(self.name, user, password):
            return 1
        self.connection.say("Error: Authentication failed.")
        return 0

    def js_logout(self) -> dict[str, Any]:
        """Log out of this database's accounts."""
        kept = [key for key in self.connection.logins if key[0] != self.name]
        self.connection.logins = kept
        return {"ok": 1}

    def js_getUsers(self, *_: Any) -> list[dict[str, Any]]:
        """The accounts of this database."""
        self._users_demand("usersInfo", 1.0)
        accounts = self.connection.data.accounts.values()
        return [_user_document(account) for account in accounts if account.database == self.name]

    def js_getUser(self, name: str, *_: Any) -> Any:
        """One account, or null."""
        self._users_demand("usersInfo", name)
        account = self.connection.data.accounts.get((self.name, name))
        return None if account is None else _user_document(account)

    def js_createUser(self, user: dict[str, Any], *_: Any) -> Any:
        """Add an account."""
        name = user.get("user", "")
        try:
            self.connection.demand("users", self.name, "createUser", name)
            self._demand_absent(name)
            roles = self._roles(user.get("roles", []))
        except ScriptError as error:
            raise ScriptError(f"couldn't add user: {error.message} :", error.code) from error
        uid = self.connection.world.seed.uid()
        account = Account(name, self.name, str(user.get("pwd", "")), roles, uid)
        self.connection.save(self.connection.data.with_account(account))
        shown = {key: value for key, value in user.items() if key != "pwd"}
        self.connection.say(f"Successfully added user: {tojson(shown)}")
        return UNDEFINED

    def js_updateUser(self, name: str, update: dict[str, Any], *_: Any) -> Any:
        """Change password or roles of an account."""
        account = self._account("updateUser", name)
        if "roles" in update:
            account = replace(account, roles=self._roles(update["roles"]))
        if "pwd" in update:
            account = replace(account, password=str(update["pwd"]))
        self.connection.save(self.connection.data.with_account(account))
        return UNDEFINED

    def js_changeUserPassword(self, name: str, password: str) -> Any:
        """Change the password of an account."""
        return self.js_updateUser(name, {"pwd": password})

    def js_dropUser(self, name: str, *_: Any) -> bool:
        """Remove an account; false when there is none."""
        self._users_demand("dropUser", name)
        if (self.name, name) not in self.connection.data.accounts:
            return False
        self.connection.save(self.connection.data.without_account(self.name, name))
        return True

    def js_grantRolesToUser(self, name: str, roles: Any, *_: Any) -> Any:
        """Add roles to an account."""
        account = self._account("grantRolesToUser", name)
        joined = tuple(dict.fromkeys((*account.roles, *self._roles(roles))))
        self.connection.save(self.connection.data.with_account(replace(account, roles=joined)))
        return UNDEFINED

    def js_revokeRolesFromUser(self, name: str, roles: Any, *_: Any) -> Any:
        """Take roles from an account."""
        account = self._account("revokeRolesFromUser", name)
        gone = self._roles(roles)
        left = tuple(role for role in account.roles if role not in gone)
        self.connection.save(self.connection.data.with_account(replace(account, roles=left)))
        return UNDEFINED

    def js_stats(self, *_: Any) -> dict[str, Any]:
        """Sizes of the database."""
        self.connection.demand("read", self.name, "dbstats", 1.0)
        inside = self.connection.data.databases.get(self.name, {})
        objects = sum(content.count for content in inside.values())
        return {
            "db": self.name,
            "collections": len(inside),
            "views": 0,
            "objects": objects,
            "avgObjSize": 120 if objects else 0,
            "dataSize": 120 * objects,
            "storageSize": 20480 * len(inside),
            "indexes": len(inside),
            "ok": 1,
        }

    def js_version(self) -> str:
        """The server's version."""
        program = self.connection.world.room("runtime").program_of(self.connection.server)
        return str(program.version)

    def js_runCommand(self, command: dict[str, Any], *_: Any) -> dict[str, Any]:
        """A few commands by document: ping, connectionStatus, usersInfo, dropUser."""
        name = next(iter(command), "")
        if name == "ping":
            return {"ok": 1}
        if name == "connectionStatus":
            users = [{"user": user, "db": place} for place, user in self.connection.logins]
            return {"authInfo": {"authenticatedUsers": users}, "ok": 1}
        try:
            if name == "usersInfo":
                return {"users": self.js_getUsers(), "ok": 1}
            if name == "dropUser":
                self.js_dropUser(command[name])
                return {"ok": 1}
        except ScriptError as error:
            return {"ok": 0, "errmsg": error.message, "code": error.code}
        return {
            "ok": 0,
            "errmsg": f"no such command: '{name}'",
            "code": 59,
            "codeName": "CommandNotFound",
        }

    js_adminCommand = js_runCommand

    def js_dropDatabase(self, *_: Any) -> dict[str, Any]:
        """Remove the database."""
        self.connection.demand("write", self.name, "dropDatabase", 1.0)
        data = self.connection.data
        left = {name: inside for name, inside in data.databases.items() if name != self.name}
        self.connection.save(replace(data, databases=left))
        return {"dropped": self.name, "ok": 1}

    def _users_demand(self, command: str, target: Any) -> None:
        try:
            self.connection.demand("users", self.name, command, target)
        except ScriptError as error:
            raise ScriptError(error.message + " :", error.code) from error

    def _demand_absent(self, name: str) -> None:
        if (self.name, name) in self.connection.data.accounts:
            raise ScriptError(f'User "{name}@{self.name}" already exists', 51003)

    def _account(self, command: str, name: str) -> Account:
        self._users_demand(command, name)
        account = self.connection.data.accounts.get((self.name, name))
        if account is None:
            raise ScriptError(
                f'Could not find user "{name}" for db "{self.name}" :', _USER_NOT_FOUND
            )
        return account

    def _roles(self, roles: Any) -> tuple[tuple[str, str], ...]:
        found = []
        for role in roles if isinstance(roles, list) else [roles]:
            name, place = (
                (role.get("role"), role.get("db")) if isinstance(role, dict) else (role, self.name)
            )
            if name not in BUILT_IN_ROLES:
                raise ScriptError(f"No role named {name}@{place}", _ROLE_NOT_FOUND)
            found.append((str(name), str(place or self.name)))
        return tuple(found)


def _user_document(account: Account) -> dict[str, Any]:
    return {
        "_id": f"{account.database}.{account.name}",
        "userId": Raw(f'UUID("{account.uid}")'),
        "user": account.name,
        "db": account.database,
        "roles": [{"role": role, "db": place} for role, place in account.roles],
        "mechanisms": ["SCRAM-SHA-1", "SCRAM-SHA-256"],
    }


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
        return Cursor(_matching(self.content, query), self.content.count if not query else None)

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

    def js_stats(self, *_: Any) -> Any:
        """Sizes of the collection."""
        self._demand("read", "collStats")
        namespace = f"{self.database.name}.{self.name}"
        return {
            "ns": namespace,
            "count": self.content.count,
            "size": 120 * self.content.count,
            "ok": 1,
        }

    def _save(self, content: Collection | None) -> None:
        connection = self.database.connection
        data = connection.data.with_collection(self.database.name, self.name, content)
        connection.save(data)

    def _object_id(self) -> Raw:
        connection = self.database.connection
        return Raw(f'ObjectId("{connection.world.seed.hexadecimal(24)}")')


def _matching(content: Collection, query: Any) -> list[dict[str, Any]]:
    wanted = query if isinstance(query, dict) else {}
    return [
        dict(document)
        for document in content.documents
        if all(document.get(name) == value for name, value in wanted.items())
    ]


class Cursor(Host):
    """What `find` gives."""

    def __init__(self, documents: list[dict[str, Any]], total: int | None = None) -> None:
        self.documents = documents
        self.total = len(documents) if total is None else total

    def __str__(self) -> str:
        shown = "".join(f"{one_line(document)}\n" for document in self.documents[:20])
        more = 'Type "it" for more\n' if len(self.documents) > 20 else ""
        return shown + more

    def js_limit(self, count: int) -> Cursor:
        """The first documents only."""
        return Cursor(self.documents[:count], min(self.total, count))

    def js_skip(self, count: int) -> Cursor:
        """Without the first documents."""
        return Cursor(self.documents[count:], max(0, self.total - count))

    def js_sort(self, *_: Any) -> Cursor:
        """In the order they are kept."""
        return self

    js_pretty = js_sort

    def js_count(self, *_: Any) -> int:
        """How many there are."""
        return self.total

    js_size = js_count
    js_itcount = js_count

    def js_toArray(self) -> list[dict[str, Any]]:
        """All documents."""
        return self.documents

    def js_forEach(self, function: Callable[[Any], Any]) -> Any:
        """Call a function with each document."""
        for document in self.documents:
            function(document)
        return UNDEFINED
