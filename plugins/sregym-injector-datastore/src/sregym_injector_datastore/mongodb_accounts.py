"""Accounts of a MongoDB that lose their role, or are dropped."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.errors import WorldError
from sregym_core.model import (
    BATCH_KINDS,
    Account,
    Change,
    Check,
    Component,
    GroundTruth,
    ObjectRef,
)
from sregym_injectors.component_fault import ComponentFault, article
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.workloads import ready_pod, restart_rollout, run_in_workload
from typing_extensions import override

from sregym_injector_datastore import mongo_shell
from sregym_injector_datastore.accounts import account_named, accounts_of, client_workloads
from sregym_injector_datastore.families import Family
from sregym_injector_datastore.store_fault import failure_line, run_in_store, server_of
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Command, FaultContext

_SYMPTOMS = ("queries fail", "database errors")
# Roles that include another one: on the database itself, or on all databases.
_INCLUDING = {
    "read": (("readWrite", "dbOwner"), ("readAnyDatabase", "readWriteAnyDatabase", "root")),
    "readWrite": (("dbOwner",), ("readWriteAnyDatabase", "root")),
    "dbOwner": ((), ("root",)),
}


class _AccountFault(ComponentFault):
    """What the faults in accounts share: the account, its clients, and how to ask the database."""

    layer: ClassVar[str] = "datastore"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            user: Name of the account; empty: the first that other components use.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        user: str = ""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if component.workload.kind in BATCH_KINDS:
            return f"{article(component.workload.kind)} keeps no accounts: its pods end"
        return (
            ""
            if accounts_of(component, Family.MONGODB)
            else "it has no MongoDB account that others use"
        )

    @override
    def inject(self, context: FaultContext) -> None:
        component, account = context.component, self.account(context)
        edits = Edits(context)
        undo = mongo_shell.as_admin(component, account, mongo_shell.recreate_user(account))
        context.journal.command(component.namespace, server_of(component), undo, "")
        argv = mongo_shell.as_admin(component, account, self.fault_expression(account))
        edits.pause()
        result = run_in_workload(context.cluster, server_of(component), component.container, argv)
        if not result.ok:
            raise WorldError(
                f"{self.name} on component {component.name!r}: the mongo shell in "
                f"{server_of(component)} refused {self.fault_expression(account)}: {failure_line(result)}; check "
                "the account that the component declares"
            )
        # What a client loaded or opened before would hide the defect until its next start.
        restart_rollout(edits, client_workloads(context, account))

    @override
    def present(self, context: FaultContext) -> Check:
        account = self.account(context)
        expected = f"user {account.user} logs in and has role {account.role} on {account.database}"
        return defect_check(expected, _defects(context, account))

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component, account = context.component, self.account(context)
        argv = mongo_shell.as_admin(component, account, self.repair_expression(account))
        return (
            commands.execute(server_of(component), component.container, argv),
            *commands.restart_and_wait(client_workloads(context, account)),
        )

    @abstractmethod
    def fault_expression(self, account: Account) -> str:
        """The expression that breaks the account."""

    @abstractmethod
    def repair_expression(self, account: Account) -> str:
        """The expression that an SRE would type."""

    def account(self, context: FaultContext) -> Account:
        """The account that the parameters name."""
        return account_named(self.name, context, context.parameters.user)


class MongodbRoleRevoked(_AccountFault):
    """Revokes the role of an account on its database and restarts its clients."""

    name: ClassVar[str] = "mongodb-role-revoked"
    title: ClassVar[str] = "MongoDB role revoked from an account"

    @override
    def fault_expression(self, account: Account) -> str:
        return mongo_shell.revoke_role(account)

    @override
    def repair_expression(self, account: Account) -> str:
        return mongo_shell.grant_role(account)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        account = self.account(context)
        role, user, database = account.role, account.user, account.database
        return truth_of(
            context,
            _broken(context, account),
            "database-role-revoked",
            (
                "role revoked",
                "revoked role",
                "role was revoked",
                "privileges revoked",
                "privilege revoked",
                "permission revoked",
                "missing role",
                "lacks the role",
                "missing privileges",
                "insufficient privileges",
                "insufficient database permissions",
                "not authorized",
                "not authorized to execute command",
                "authorization failure",
                f"{role} revoked",
                f"{role} is missing",
                f"lacks {role}",
                f"missing {role}",
                f"{user} has no {role} role",
                f"not authorized on {database}",
            ),
            Change(
                what=f"roles of user {user} in {account.auth_database}",
                before=f"{role} on {database}",
                after="",
            ),
            *_SYMPTOMS,
        )


class MongodbUserDropped(_AccountFault):
    """Drops an account and restarts its clients."""

    name: ClassVar[str] = "mongodb-user-dropped"
    title: ClassVar[str] = "MongoDB account dropped"

    @override
    def fault_expression(self, account: Account) -> str:
        return mongo_shell.drop_user(account)

    @override
    def repair_expression(self, account: Account) -> str:
        return mongo_shell.create_user(account)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        account = self.account(context)
        user = account.user
        return truth_of(
            context,
            _broken(context, account),
            "database-user-missing",
            (
                "user dropped",
                "dropped user",
                "user was dropped",
                "user was deleted",
                "user was removed",
                "user does not exist",
                "user not found",
                "missing user",
                "missing database user",
                "user is missing",
                "unregistered user",
                "user is not registered",
                "account does not exist",
                "account was dropped",
                "account is missing",
                "authentication fails because the user does not exist",
                "UserNotFound",
                f"no user {user}",
                f"{user} does not exist",
                f"{user} was dropped",
            ),
            Change(
                what=f"user {user} in {account.auth_database}",
                before=f"role {account.role} on {account.database}",
                after="",
            ),
            *_SYMPTOMS,
        )


def _broken(context: FaultContext, account: Account) -> ObjectRef:
    """The account as an object; no API knows its kind."""
    namespace = context.component.namespace
    return ObjectRef(api_version="", kind="DatabaseUser", namespace=namespace, name=account.user)


def _defects(context: FaultContext, account: Account) -> list[str]:
    component = context.component
    if ready_pod(context.cluster, server_of(component)) is None:
        return [f"{server_of(component)} has no ready pod that could be asked"]
    asked = run_in_store(
        context, mongo_shell.as_admin(component, account, mongo_shell.show_user(component, account))
    )
    if not asked.ok:
        return [f"user {account.admin_user} cannot ask the database: {failure_line(asked)}"]
    user = mongo_shell.parse_document(asked.stdout)
    if user is None:
        return [f"user {account.user} does not exist in {account.auth_database}"]
    defects = []
    if not _has_role(user.get("roles") or [], account):
        defects.append(f"user {account.user} has no role {account.role} on {account.database}")
    login = run_in_store(context, mongo_shell.as_user(component, account, "1"))
    if not login.ok:
        defects.append(f"user {account.user} cannot log in: {failure_line(login)}")
    return defects


def _has_role(roles: Sequence[dict[str, str]], account: Account) -> bool:
    on_database, anywhere = _INCLUDING.get(account.role, ((), ("root",)))
    return any(
        (role["db"] == account.database and role["role"] in (account.role, *on_database))
        or (role["db"] == "admin" and role["role"] in anywhere)
        for role in roles
    )
