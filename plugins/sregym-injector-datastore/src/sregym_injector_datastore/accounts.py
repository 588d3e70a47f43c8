"""Accounts that stores serve, and who uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_injectors.manifests import manifest_of

from sregym_injector_datastore.families import Family, family_of
from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Account, Component, ObjectRef


def accounts_of(component: Component, family: Family | None = None) -> list[Account]:
    """Accounts that other components use, of one family or of the component's own."""
    family = family or family_of(component)
    return [a for a in component.accounts if a.engine == family and a.used_by]


def account_named(fault: str, context: FaultContext, wanted: str) -> Account:
    """The account that a fault's parameter names; the first where it is empty.

    Raises:
        UsageError: There is none of that name.
    """
    accounts = accounts_of(context.component)
    for account in accounts:
        if wanted in ("", account.user):
            return account
    known = ", ".join(account.user for account in accounts)
    raise UsageError(
        f"parameter 'user' of fault {fault!r}: component {context.component.name!r} has "
        f"no account {wanted!r} that others use; it has {known}"
    )


def client_workloads(context: FaultContext, account: Account) -> tuple[ObjectRef, ...]:
    """Workloads of the components that connect with an account."""
    parts = {part.name: part for part in context.application.components()}
    return tuple(
        ref for name in account.used_by if name in parts for ref in scope.restartable(parts[name])
    )


def table_of(component: Component) -> str:
    """The table for which an account is declared: `SELECT ON catalog.products`; empty for none."""
    places = (account.role.partition(" ON ")[2] for account in accounts_of(component))
    return next((place for place in places if place and "*" not in place), "")


def without_table(component: Component) -> str:
    """Why no table of a store can be told of, with the script that made it; empty where one can."""
    if not table_of(component):
        return "no account of it tells of a table"
    scripted = any(use.source.kind == "ConfigMap" for use in component.config)
    return "" if scripted else "no script in a ConfigMap makes its tables"


def schema_condition(table: str, family: Family | None) -> str:
    """What of `information_schema` belongs to the schema of a table, or to the usual one."""
    schema = table.rpartition(".")[0]
    usual = "'public'" if family is Family.POSTGRES else "database()"
    named = f"'{schema}'" if schema else usual
    return f"table_schema = {named}"


def scripts_of(context: FaultContext) -> Iterator[str]:
    """What stands in the ConfigMaps of a store: the scripts that make its tables."""
    for use in context.component.config:
        if use.source.kind == "ConfigMap":
            data = manifest_of(context.application, use.source).get("data") or {}
            yield from data.values()
