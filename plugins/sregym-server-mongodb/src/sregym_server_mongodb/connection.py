"""A connection of the shell to a server, and the rights that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import REQUEST_FLOW

from sregym_server_mongodb.administration import database_sizes
from sregym_server_mongodb.data import (
    Account,
    MongoData,
    load,
    login_error,
    store,
)
from sregym_server_mongodb.members import (
    NO_SECONDARY_READS,
    NOT_PRIMARY,
    is_writable,
    no_reads,
    not_primary,
)
from sregym_server_mongodb.printing import one_line
from sregym_server_mongodb.script import UNDEFINED, ScriptError
from sregym_server_mongodb.visits import Denial, note

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.sdk.servers import Process, World

_UNAUTHORIZED = 13
_ACCOUNT_CHANGES = (
    *("createUser", "updateUser", "dropUser", "grantRolesToUser", "revokeRolesFromUser"),
)


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
        # While init scripts run, the server stands alone whatever it will be.
        self.passing = unguarded
        # Whether reads from a secondary are meant: mongosh means them, the old shell when told.
        self.secondary_ok = False
        # Whether mongosh asks: it takes replies for errors that the old shell shows.
        self.modern = False
        self.say: Callable[..., Any] = lambda *_: UNDEFINED

    @property
    def data(self) -> MongoData:
        """The server's data now."""
        return load(self.world, self.storage)

    def save(self, data: MongoData) -> None:
        """Replace the server's data; what depends on accounts is notified."""
        store(self.world, self.storage, data)
        traffic = self.world.service_or_none(REQUEST_FLOW)
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

    def session_id(self) -> str:
        """What the shell calls its session."""
        fraction = self.world.seed.fraction("session", self.world.now)
        number = f"{int(fraction * 2**48):012x}"
        return f"{number[:8]}-{number[8:]}-4c1f-9d27-{number}"

    def demand(
        self, action: str, database: str, command: str, target: Any, query: Any = None
    ) -> None:
        """Raise unless an account that is logged in may do this.

        Args:
            action: What it needs.
            database: Where.
            command: By which command of the server.
            target: What the command is about.
            query: Which documents, for commands that choose some.
        """
        self._demand_member(action, command)
        if not self.guarded:
            return
        accounts = [self.data.accounts[key] for key in self.logins if key in self.data.accounts]
        if not self.data.accounts and action == "users":
            return
        if any(account.may(action, database) for account in accounts):
            return
        if not accounts:
            message = needs_login(command, self.server)
        else:
            shown = command_text(command, target, database, query, self.session_id())
            message = f"not authorized on {database} to execute command {shown}"
        note(self.world, self.server.ref, Denial(self.world.now, self.peer, message))
        raise ScriptError(message, _UNAUTHORIZED)

    def _demand_member(self, action: str, command: str) -> None:
        """Raise where a member of a replica set does not do this in its present state."""
        if self.passing or (action != "write" and command not in _ACCOUNT_CHANGES):
            readable = self.passing or self.secondary_ok or action not in ("read", "list")
            if readable or is_writable(self.world, self.server):
                return
            raise ScriptError(no_reads(self.version), NO_SECONDARY_READS)
        if not is_writable(self.world, self.server):
            raise ScriptError(not_primary(self.version), NOT_PRIMARY)

    @property
    def version(self) -> str:
        """The server's release."""
        return str(getattr(self.server.behaviour, "version", ""))

    def database_sizes(self) -> list[tuple[str, float]]:
        """Names and sizes in GB, as `show dbs` has them."""
        self.demand("list", "admin", "listDatabases", 1.0)
        return [(name, size / 1024**3) for name, size in database_sizes(self).items()]


# What commands carry besides their target and the database, as servers show them.
_FIELDS = {
    "find": "filter: {query}, ", "count": "query: {query}, ", "insert": "ordered: true, ",
    "update": "ordered: true, ", "delete": "ordered: true, ",
    "listCollections": "filter: {{}}, cursor: {{}}, nameOnly: true, authorizedCollections: true, ",
}  # fmt: skip


def command_text(
    command: str, target: Any, database: str, query: Any = None, session: str = ""
) -> str:
    """A command as servers show it where it was refused for lack of rights."""
    asked = one_line(query) if query else "{}"
    fields = _FIELDS.get(command, "").format(query=asked)
    own = f'lsid: {{ id: UUID("{session}") }}, ' if session else ""
    return f'{{ {command}: {one_line(target)}, {fields}{own}$db: "{database}" }}'


def needs_login(command: str, server: Process) -> str:
    """The error of a server for a client that has not logged in."""
    program = server.behaviour
    major = str(getattr(program, "version", "")).partition(".")[0]
    word = "Command" if major.isdecimal() and int(major) >= _CAPITAL else "command"
    return f"{word} {command} requires authentication"


# The release since which the sentence begins with a capital letter.
_CAPITAL = 7
