"""The objects of the shell: `db`, collections, cursors, and the rights they need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.locks import Lock, hold, locks, release
from sregym_cluster_embedded.userland.mongodb.collection import CollectionObject
from sregym_cluster_embedded.userland.mongodb.data import (
    BUILT_IN_ROLES,
    Account,
    MongoData,
    load,
    login_error,
    store,
)
from sregym_cluster_embedded.userland.mongodb.javascript import Host
from sregym_cluster_embedded.userland.mongodb.printing import Raw, one_line, tojson
from sregym_cluster_embedded.userland.mongodb.script import UNDEFINED, ScriptError
from sregym_cluster_embedded.userland.mongodb.visits import Denial, note

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
        peer: Address from which the server sees it come.
    """

    def __init__(self, world: World, server: Process, unguarded: bool, peer: str) -> None:
        self.world = world
        self.server = server
        self.storage = server.settings["mongod.storage"]
        self.guarded = server.settings["mongod.auth"] == "true" and not unguarded
        self.peer = peer
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

    def account(self, database: str, user: str) -> Account | None:
        """The account of a user, or None."""
        return self.data.accounts.get((database, user))

    def log_in(self, database: str, user: str, password: str) -> bool:
        """Whether the account exists and the password is its."""
        if login_error(self.account(database, user), database, user, password):
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
        note(self.world, self.server.ref, Denial(self.world.now, self.peer, message))
        raise ScriptError(message, _UNAUTHORIZED)

    def database_sizes(self) -> list[tuple[str, float]]:
        """Names and sizes in GB, as `show dbs` has them."""
        self.demand("list", "admin", "listDatabases", 1.0)
        names = dict.fromkeys(["admin", "config", "local", *self.data.databases])
        return [(name, 0.0) for name in sorted(names)]


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
        return {"inprog": [], **locked, "ok": 1}

    def js_runCommand(self, command: dict[str, Any] | str, *_: Any) -> dict[str, Any]:
        """A few commands by document or name: ping, connectionStatus, usersInfo, dropUser."""
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
