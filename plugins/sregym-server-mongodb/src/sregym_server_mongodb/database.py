"""The objects of the shell: `db`, collections, cursors, and the rights they need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import Lock, hold, locks, release

from sregym_server_mongodb.administration import (
    COMMANDS,
    DOCUMENT_BYTES,
    INDEX_BYTES,
    ONLY_ADMIN,
    TABLE_BYTES,
    build_info,
    command_line,
    hello,
    host_info,
    server_status,
    version_of,
)
from sregym_server_mongodb.collection import CollectionObject
from sregym_server_mongodb.data import BUILT_IN_ROLES, Account
from sregym_server_mongodb.javascript import Host
from sregym_server_mongodb.printing import Raw, tojson
from sregym_server_mongodb.progress import in_progress
from sregym_server_mongodb.script import UNDEFINED, ScriptError
from sregym_server_mongodb.shell_errors import CODE_NAMES

if TYPE_CHECKING:
    from sregym_server_mongodb.connection import Connection

_USER_NOT_FOUND = 11
_ROLE_NOT_FOUND = 31


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

    def js_getUsers(self, *_: Any) -> Any:
        """The accounts of this database."""
        return {"users": self.users(), "ok": 1} if self.connection.modern else self.users()

    def users(self) -> list[dict[str, Any]]:
        """The accounts of this database, one by one."""
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
            text = f"couldn't add user: {error.message} :"
            raise ScriptError(text, error.code, plain=error.plain) from error
        uid = self.connection.world.seed.uid()
        account = Account(name, self.name, str(user.get("pwd", "")), roles, uid)
        self.connection.save(self.connection.data.with_account(account))
        if self.connection.modern:
            return {"ok": 1}
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
        return self._done()

    def js_changeUserPassword(self, name: str, password: str) -> Any:
        """Change the password of an account."""
        return self.js_updateUser(name, {"pwd": password})

    def js_dropUser(self, name: str, *_: Any) -> Any:
        """Remove an account; the old shell says whether there was one."""
        self._users_demand("dropUser", name)
        if (self.name, name) not in self.connection.data.accounts:
            if self.connection.modern:
                raise ScriptError(f"User '{name}@{self.name}' not found", _USER_NOT_FOUND)
            return False
        self.connection.save(self.connection.data.without_account(self.name, name))
        return {"ok": 1} if self.connection.modern else True

    def _done(self) -> Any:
        """What commands give that only do something."""
        return {"ok": 1} if self.connection.modern else UNDEFINED

    def js_getRoles(self, *_: Any) -> Any:
        """The roles of this database: only those that are built in."""
        self._users_demand("rolesInfo", 1.0)
        found = [
            {"role": role, "db": self.name, "isBuiltin": True, "roles": [], "inheritedRoles": []}
            for role in sorted(BUILT_IN_ROLES)
        ]
        return {"roles": found, "ok": 1} if self.connection.modern else found

    def js_getProfilingStatus(self, *_: Any) -> dict[str, Any]:
        """That nothing is profiled."""
        self.connection.demand("read", self.name, "profile", -1.0)
        return {"was": 0, "slowms": 100, "sampleRate": 1, "ok": 1}

    def js_grantRolesToUser(self, name: str, roles: Any, *_: Any) -> Any:
        """Add roles to an account."""
        account = self._account("grantRolesToUser", name)
        joined = tuple(dict.fromkeys((*account.roles, *self._roles(roles))))
        self.connection.save(self.connection.data.with_account(replace(account, roles=joined)))
        return self._done()

    def js_revokeRolesFromUser(self, name: str, roles: Any, *_: Any) -> Any:
        """Take roles from an account."""
        account = self._account("revokeRolesFromUser", name)
        gone = self._roles(roles)
        left = tuple(role for role in account.roles if role not in gone)
        self.connection.save(self.connection.data.with_account(replace(account, roles=left)))
        return self._done()

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
            "avgObjSize": DOCUMENT_BYTES if objects else 0,
            "dataSize": DOCUMENT_BYTES * objects,
            "storageSize": TABLE_BYTES * len(inside),
            "indexes": len(inside),
            "indexSize": INDEX_BYTES * len(inside),
            "totalSize": (TABLE_BYTES + INDEX_BYTES) * len(inside),
            "scaleFactor": 1,
            "ok": 1,
        }

    def js_version(self) -> str:
        """The server's version."""
        return version_of(self.connection)

    def js_serverStatus(self, *_: Any) -> dict[str, Any]:
        """How the server fares."""
        return server_status(self.connection)

    def js_hostInfo(self, *_: Any) -> dict[str, Any]:
        """Where the server runs."""
        return host_info(self.connection)

    def js_isMaster(self, *_: Any) -> dict[str, Any]:
        """Whether the server takes writes."""
        return hello(self.connection)

    js_hello = js_isMaster

    def js_serverBuildInfo(self, *_: Any) -> dict[str, Any]:
        """How the server was built."""
        return build_info(self.connection)

    def js_serverCmdLineOpts(self, *_: Any) -> dict[str, Any]:
        """How the server was started."""
        return command_line(self.connection)

    def js_getMongo(self, *_: Any) -> Mongo:
        """The connection."""
        return Mongo(self.connection)

    def js_getCollectionInfos(self, *_: Any) -> list[dict[str, Any]]:
        """The collections with their options."""
        index = {"v": 2, "key": {"_id": 1}, "name": "_id_"}
        return [
            {"name": name, "type": "collection", "options": {}, "info": {"readOnly": False}, "idIndex": index}
            for name in self.js_getCollectionNames()
        ]  # fmt: skip

    def js_fsyncLock(self, *_: Any) -> dict[str, Any]:
        """Let all writes wait, until as often unlocked as locked."""
        connection = self.connection
        connection.demand("cluster", "admin", "fsync", 1.0)
        lock = Lock(0, since=connection.world.now, peer=connection.peer, statement="fsync")
        hold(connection.world, connection.server.ref, lock)
        return {
            "info": "now locked against writes, use db.fsyncUnlock() to unlock",
            "lockCount": len(locks(connection.world, connection.server.ref)),
            "seeAlso": "http://dochub.mongodb.org/core/fsynccommand",
            "ok": 1,
        }

    def js_fsyncUnlock(self, *_: Any) -> dict[str, Any]:
        """Take back one lock."""
        connection = self.connection
        connection.demand("cluster", "admin", "fsyncUnlock", 1.0)
        if not release(connection.world, connection.server.ref, 0):
            raise ScriptError("fsyncUnlock called when not locked", 20)
        left = len(locks(connection.world, connection.server.ref))
        return {"info": "fsyncUnlock completed", "lockCount": left, "ok": 1}

    def js_currentOp(self, *_: Any) -> dict[str, Any]:
        """What runs; a server that is locked against writes says so."""
        connection = self.connection
        connection.demand("cluster", "admin", "currentOp", 1.0)
        locked = {"fsyncLock": True} if locks(connection.world, connection.server.ref) else {}
        return {"inprog": in_progress(connection.world, connection.server), **locked, "ok": 1}

    def js_runCommand(self, command: dict[str, Any] | str, *_: Any) -> dict[str, Any]:
        """Commands by document or name; mongosh takes a refusal for an error."""
        reply = self._reply(command)
        if self.connection.modern and reply.get("ok") == 0:
            raise ScriptError(str(reply["errmsg"]), int(reply["code"]))
        return reply

    def _reply(self, command: dict[str, Any] | str) -> dict[str, Any]:
        if isinstance(command, str):
            command = {command: 1}
        name = next(iter(command), "")
        if name == "ping":
            return {"ok": 1}
        if name == "connectionStatus":
            users = [{"user": user, "db": place} for place, user in self.connection.logins]
            return {"authInfo": {"authenticatedUsers": users}, "ok": 1}
        try:
            if name == "usersInfo":
                return {"users": self.users(), "ok": 1}
            if name == "dropUser":
                self.js_dropUser(command[name])
                return {"ok": 1}
            if name in ("dbStats", "dbstats"):
                return self.js_stats()
            if name == "count":
                return {"n": self.js_getCollection(str(command[name])).js_count(), "ok": 1}
            if name in COMMANDS and (name not in ONLY_ADMIN or self.name == "admin"):
                return COMMANDS[name](self.connection, command)
        except ScriptError as error:
            code = error.code or 1
            known = CODE_NAMES.get(code, "InvalidOptions")
            return {"ok": 0, "errmsg": error.plain, "code": code, "codeName": known}
        if name in COMMANDS:
            text = f"{name} may only be run against the admin database."
            return {"ok": 0, "errmsg": text, "code": 13, "codeName": "Unauthorized"}
        return {
            "ok": 0,
            "errmsg": f"no such command: '{name}'",
            "code": 59,
            "codeName": "CommandNotFound",
        }

    def js_adminCommand(self, command: dict[str, Any] | str, *_: Any) -> dict[str, Any]:
        """A command against the database `admin`."""
        return Database(self.connection, "admin").js_runCommand(command)

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
            raise ScriptError(error.message + " :", error.code, plain=error.plain) from error

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


class Mongo(Host):
    """`db.getMongo()`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def js_setSecondaryOk(self, *_: Any) -> Any:
        """Mean reads from secondaries."""
        self.connection.secondary_ok = True
        return UNDEFINED

    js_setSlaveOk = js_setSecondaryOk

    def js_setReadPref(self, preference: str, *_: Any) -> Any:
        """Mean reads from secondaries, unless only the primary is preferred."""
        self.connection.secondary_ok = preference != "primary"
        return UNDEFINED

    def __str__(self) -> str:
        return f"connection to 127.0.0.1:{self.connection.server.settings['mongod.port']}\n"

    def js_getDBNames(self, *_: Any) -> list[str]:
        """The names of all databases."""
        return [name for name, _ in self.connection.database_sizes()]

    def js_getDB(self, name: str) -> Database:
        """A database."""
        return Database(self.connection, name)


def _user_document(account: Account) -> dict[str, Any]:
    return {
        "_id": f"{account.database}.{account.name}",
        "userId": Raw(f'UUID("{account.uid}")'),
        "user": account.name,
        "db": account.database,
        "roles": [{"role": role, "db": place} for role, place in account.roles],
        "mechanisms": ["SCRAM-SHA-1", "SCRAM-SHA-256"],
    }
