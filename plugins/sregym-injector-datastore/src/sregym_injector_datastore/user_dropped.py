"""An account that its clients use is not there any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_injectors.restarts import ClientParameters
from typing_extensions import override

from sregym_injector_datastore.accounts import account_named, accounts_of
from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import mysql, psql, rabbitmq
from sregym_injector_datastore.store_fault import StoreChange, StoreFault

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Account, Component


class UserDropped(StoreFault):
    """Takes away an account that others log in with; of a PostgreSQL, where roles own things, the right to."""

    name: ClassVar[str] = "user-dropped"
    title: ClassVar[str] = "Account of a store is gone"
    families = (Family.POSTGRES, Family.MYSQL, Family.RABBITMQ)
    mechanism = "database-user-dropped"
    phrases = (
        "user was dropped", "database user is missing", "account was dropped", "account is missing",
        "user does not exist", "role does not exist", "account was deleted", "user was deleted",
        "DROP USER", "DROP ROLE", "NOLOGIN", "role is not permitted to log in", "no such user", "access denied for user",
        "missing database account", "user is not registered", "delete_user",
    )  # fmt: skip
    symptoms = ("access denied", "authentication failed", "database errors")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            user: Name of the account; empty: the first that other components use.
        """

        user: str = ""

    @override
    def lacking(self, component: Component) -> str:
        accounts = accounts_of(component)
        if not accounts:
            return "it has no account that others use"
        # Without the administrator's account it could not be repaired either.
        if family_of(component) is not Family.RABBITMQ and all(
            account.user == account.admin_user for account in accounts
        ):
            return "its account is the administrator's, who cannot be dropped"
        return ""

    @override
    def change(self, context: FaultContext) -> StoreChange:
        family = family_of(context.component)
        account = account_named(self.name, context, context.parameters.user)
        if family is Family.POSTGRES:
            return _locked(account)
        return _dropped(account) if family is Family.MYSQL else _deleted(account)


def _locked(account: Account) -> StoreChange:
    user = account.user
    # Sessions that are ended cannot begin again.
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{user}'"  # noqa: S608 - of the application
    asked = f"SELECT rolcanlogin FROM pg_roles WHERE rolname = '{user}'"  # noqa: S608 - of the application
    return StoreChange(
        what=f"role {user}",
        before="may log in",
        after="NOLOGIN",
        breaks=psql(f'ALTER ROLE "{user}" NOLOGIN', end),
        mends=psql(f'ALTER ROLE "{user}" LOGIN'),
        asks=psql(asked),
        healthy="t",
    )


def _dropped(account: Account) -> StoreChange:
    who = f"'{account.user}'@'%'"
    make = f"CREATE USER IF NOT EXISTS {who} IDENTIFIED BY '{account.password}'"
    give = f"GRANT {account.role} TO {who}"
    asked = f"SELECT count(*) FROM mysql.user WHERE user = '{account.user}' AND host = '%'"  # noqa: S608 - of the application
    return StoreChange(
        what=f"user {account.user}",
        before="there",
        after="dropped",
        breaks=mysql(f"DROP USER {who}"),
        mends=mysql(f"{make}; {give}"),
        asks=mysql(asked),
        healthy="1",
    )


def _deleted(account: Account) -> StoreChange:
    add = " ".join(rabbitmq("add_user", account.user, account.password))
    give = (
        f"rabbitmqctl --quiet set_permissions -p {account.database} {account.user} '.*' '.*' '.*'"
    )
    return StoreChange(
        what=f"user {account.user}",
        before="there",
        after="deleted",
        breaks=rabbitmq("delete_user", account.user),
        mends=("sh", "-c", f"{add}; {give}"),
        asks=rabbitmq("list_users"),
        healthy=rf"(?s).*\b{account.user}\b.*",
    )
