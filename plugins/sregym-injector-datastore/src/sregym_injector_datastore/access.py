"""Whom a store lets in, and how many: passwords, limits on connections, rights."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.restarts import ClientParameters
from typing_extensions import override

from sregym_injector_datastore.accounts import account_named, accounts_of
from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import mysql, psql, psql_as, rabbitmq, redis
from sregym_injector_datastore.store_fault import StoreChange, StoreFault

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Account, Component

_GRANTS = (Family.POSTGRES, Family.MYSQL)
# What an application needs of the virtual host of a RabbitMQ, and what is left when it may only read.
_ALL, _READER = (".*", ".*", ".*"), ("", "", ".*")


class PasswordRequired(StoreFault):
    """Lets a Redis demand a password of which its clients know nothing."""

    name: ClassVar[str] = "password-required"
    title: ClassVar[str] = "Store demands a password that its clients do not send"
    families = (Family.REDIS,)
    mechanism = "password-required"
    phrases = (
        "password required", "requires a password", "requirepass set", "requirepass was set",
        "authentication was enabled", "authentication required", "NOAUTH", "demands a password",
        "clients do not authenticate", "password protection enabled", "auth enabled on the store",
    )  # fmt: skip
    symptoms = ("NOAUTH Authentication required", "cache errors", "store errors")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            password: What it demands.
        """

        password: str = Field(default="Vq7tLz42mKpe", pattern=r"[\w.-]+")

    @override
    def change(self, context: FaultContext) -> StoreChange:
        component, password = context.component, context.parameters.password
        name = redis(component)[0]
        off = 'CONFIG SET requirepass ""'
        undo = f"{name} {off} | grep -q OK || {name} -a {password} {off} | grep -q OK"
        return StoreChange(
            what="requirepass",
            before="empty",
            after="set",
            breaks=redis(component, "CONFIG", "SET", "requirepass", password),
            mends=redis(component, "CONFIG", "SET", "requirepass", "", password=password),
            undoes=("sh", "-c", undo),
            asks=redis(component, "PING"),
            healthy="PONG",
        )


class ConnectionsCapped(StoreFault):
    """Gives an account of a store fewer connections than its clients hold."""

    name: ClassVar[str] = "connections-capped"
    title: ClassVar[str] = "Account may have fewer connections than its clients need"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = _GRANTS
    mechanism = "connection-limit-too-low"
    phrases = (
        "connection limit", "connection limit too low", "too many connections", "connections capped",
        "max_user_connections", "CONNECTION LIMIT", "connection quota", "role connection limit",
        "connection pool exceeds the limit", "limit of connections", "too many connections for role",
    )  # fmt: skip
    symptoms = ("database errors", "connections refused", "too many connections")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            user: Name of the account; empty: the first that other components use.
            number: How many connections it may have. MySQL takes 0 for any number.
        """

        user: str = ""
        number: int = Field(default=1, ge=0)

    @override
    def lacking(self, component: Component) -> str:
        return _no_plain_account(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        account = account_named(self.name, context, context.parameters.user)
        user, number = account.user, context.parameters.number
        if family_of(context.component) is Family.POSTGRES:
            form, none = f'ALTER ROLE "{user}" CONNECTION LIMIT {{}}', "-1"
            asked = f"SELECT rolconnlimit FROM pg_roles WHERE rolname = '{user}'"  # noqa: S608 - of the application
            breaks, mends, asks = psql(form.format(number)), psql(form.format(none)), psql(asked)
        else:
            form, none = f"ALTER USER '{user}'@'%' WITH MAX_USER_CONNECTIONS {{}}", "0"
            asked = f"SELECT max_user_connections FROM mysql.user WHERE user = '{user}'"  # noqa: S608 - of the application
            breaks, mends, asks = mysql(form.format(number)), mysql(form.format(none)), mysql(asked)
        return StoreChange(
            what=f"limit of connections of {user}",
            before="none",
            after=str(number),
            breaks=breaks,
            mends=mends,
            asks=asks,
            # To raise it to the number of connections that clients hold is a repair, too.
            healthy=f"{none}|[1-9][0-9]+",
        )


class RoleRevoked(StoreFault):
    """Takes from an account what it may do: rights on tables, commands, or writing to queues."""

    name: ClassVar[str] = "role-revoked"
    title: ClassVar[str] = "Rights revoked from an account of a store"
    families = (*_GRANTS, Family.REDIS, Family.RABBITMQ)
    mechanism = "database-role-revoked"
    phrases = (
        "role revoked", "privilege revoked", "privileges revoked", "permission denied",
        "permission revoked", "missing privilege", "missing grant", "grant revoked", "NOPERM",
        "lacks permission", "insufficient privileges", "ACL denies", "ACL rule", "ACCESS_REFUSED",
        "rights were revoked", "command denied to user",
    )  # fmt: skip

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            user: Name of the account; empty: the first that other components use, the default
                user of a Redis.
            grant: SQL: what is revoked, as `SELECT ON catalog.products`; empty: all that the
                account is declared with.
            category: Redis: the commands that are denied.
        """

        user: str = ""
        grant: str = ""
        category: str = Field(default="write", pattern=r"[a-z]+")

    @override
    def lacking(self, component: Component) -> str:
        family = family_of(component)
        if family in _GRANTS:
            return _no_plain_account(component)
        if family is Family.RABBITMQ and not accounts_of(component):
            return "it has no account that others use"
        return ""

    @override
    def change(self, context: FaultContext) -> StoreChange:
        family, given = family_of(context.component), context.parameters
        if family is Family.REDIS:
            return _denied(context.component, given.user or "default", given.category)
        account = account_named(self.name, context, given.user)
        if family is Family.RABBITMQ:
            return _only_reading(account)
        return _revoked(account, family is Family.MYSQL, given.grant or account.role)


def _no_plain_account(component: Component) -> str:
    """Why an SQL server has no account to which rights and limits apply; empty when it has."""
    accounts = accounts_of(component)
    if not accounts:
        return "it has no account that others use"
    if all(account.user == account.admin_user for account in accounts):
        return "its account is the administrator's, for whom no rights and limits count"
    return ""


def _revoked(account: Account, mysql_server: bool, grant: str) -> StoreChange:
    rights, _, place = grant.partition(" ON ")
    who = f"'{account.user}'@'%'" if mysql_server else f'"{account.user}"'
    revoke, give = f"REVOKE {grant} FROM {who}", f"GRANT {grant} TO {who}"
    first = rights.split(",")[0].strip().upper()
    if mysql_server:
        # All of them are listed again by their names where one was taken.
        asks = mysql(f"SHOW GRANTS FOR {who}")
        where = place.replace(".", "`.`").replace("`*", "*")
        healthy = rf".*\b{first if first != 'ALL' else 'ALL PRIVILEGES'}\b[^\n]* ON `?{where.rstrip('`')}.*"
    else:
        verb = first if first != "ALL" else "SELECT"
        asks = psql_as(
            account, f"SELECT has_table_privilege('{account.user}', '{place}', '{verb}')"
        )
        healthy = "t"
    return StoreChange(
        what=f"{rights} of {account.user} on {place}",
        before="granted",
        after="revoked",
        breaks=(mysql if mysql_server else psql)(revoke),
        mends=(mysql if mysql_server else psql)(give),
        asks=asks,
        healthy=healthy,
    )


def _denied(component: Component, user: str, category: str) -> StoreChange:
    rules = "" if category == "all" else f" -@{category}"
    return StoreChange(
        what=f"commands of category {category} of user {user}",
        before="allowed",
        after="denied",
        breaks=redis(component, "ACL", "SETUSER", user, f"-@{category}"),
        mends=redis(component, "ACL", "SETUSER", user, "+@all"),
        asks=redis(component, "ACL", "LIST"),
        healthy=rf"(?s:(?!.*user {user} [^\n]*({rules}|-@all)).*)",
    )


def _only_reading(account: Account) -> StoreChange:
    def given(rights: tuple[str, str, str]) -> tuple[str, ...]:
        return rabbitmq("set_permissions", "-p", account.database, account.user, *rights)

    return StoreChange(
        what=f"permission of {account.user} to write in {account.database}",
        before="granted",
        after="revoked",
        breaks=given(_READER),
        mends=given(_ALL),
        asks=rabbitmq("list_permissions", "-p", account.database),
        healthy=rf".*\b{account.user}\t\S+\t\S+\t\S+.*",
    )
