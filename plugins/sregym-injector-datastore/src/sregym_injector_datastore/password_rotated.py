"""A password that was changed on the server, of which running clients do not know yet."""

from __future__ import annotations

import base64
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.model import Change, Check, GroundTruth, ObjectRef, containers_of
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.pods import not_terminating, pods_of
from sregym_injectors.workloads import ready_pod, restart_rollout, roll_out
from typing_extensions import override

from sregym_injector_datastore import mongo_shell
from sregym_injector_datastore.accounts import account_named, accounts_of, client_workloads
from sregym_injector_datastore.credentials import (
    Client,
    clients_with,
    holds,
    replaced,
    values_of,
)
from sregym_injector_datastore.families import Family, family_of, not_of
from sregym_injector_datastore.shells import mongo, mysql, mysql_as, psql, rabbitmq
from sregym_injector_datastore.store_fault import carry_out, run_in_store, server_of
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Account, Component

_FAMILIES = (Family.MONGODB, Family.POSTGRES, Family.MYSQL, Family.RABBITMQ)
_PHRASES = (
    "password rotated", "rotated password", "password was changed", "changed password",
    "credentials rotated", "stale credentials", "stale password", "old password",
    "stale environment",
    "secret rotated", "not restarted after the rotation", "wrong password", "outdated credentials",
    "pod started before the secret changed",
)  # fmt: skip


class PasswordRotated(ComponentFault):
    """Rotates the password of an account; pods that got it from a Secret keep the old one.

    Clients whose manifests hold the password themselves are given the new one, where there are
    others that read it from a Secret. Where no client does, the password changes on the server
    alone.
    """

    name: ClassVar[str] = "password-rotated"
    title: ClassVar[str] = "Password rotated, but running clients keep the old one"
    layer: ClassVar[str] = "datastore"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            user: Name of the account; empty: the first that other components use.
            password: The new one.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        user: str = ""
        password: str = Field(default="t7k9m2q4xRw", pattern=r"\w+")

    @override
    def mismatch_reason(self, component: Component) -> str:
        other = not_of(component, _FAMILIES)
        return other or ("" if accounts_of(component) else "it has no account that others use")

    @override
    def restart_recovers(self, target: Component, /) -> bool:
        return True

    @override
    def inject(self, context: FaultContext) -> None:
        account, new = self._account(context), context.parameters.password
        component, clients = context.component, clients_with(context, account)
        readers = [client for client in clients if client.secrets]
        edits = Edits(context)
        undo = _set_password(component, account, account.password)
        context.journal.command(component.namespace, server_of(component), undo, "")
        edits.pause()
        carry_out(self.name, context, _set_password(component, account, new))
        if not readers:
            # What they opened or loaded before would hide it until their next start.
            restart_rollout(edits, [client.workload for client in clients])
            return
        for ref, key in _sources(context, account, readers):
            edits.patch(ref, _changed(edits.read(ref), key, account.password, new), "merge")
        for client in clients:
            if not client.secrets and client.literals:
                roll_out(edits, client.workload, _environment(edits, client, account.password, new))
        if family_of(component) is Family.MONGODB:
            # Sessions of MongoDB outlive the password with which they were begun, not the server.
            restart_rollout(edits, [server_of(component)])

    @override
    def present(self, context: FaultContext) -> Check:
        account, component = self._account(context), context.component
        expected = f"user {account.user} logs in with the password that its clients have"
        if ready_pod(context.cluster, server_of(component)) is None:
            told = f"{server_of(component)} has no ready pod that could be asked"
            return defect_check(expected, [told])
        defects = []
        for client in clients_with(context, account):
            defects += _defects(context, account, client)
        return defect_check(expected, defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        account = self._account(context)
        clients = clients_with(context, account)
        stale = [client for client in clients if client.secrets] or clients
        return truth_of(
            context,
            server_of(context.component),
            "password-rotated",
            (*_PHRASES, *(f"{client.component} uses the old password" for client in stale)),
            Change(
                what=f"password of user {account.user}",
                before="as the pods of its clients have it",
                after="rotated",
            ),
            *("authentication fails", "login fails", "database errors"),
        )  # fmt: skip

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        account, component = self._account(context), context.component
        stale = [c.workload for c in clients_with(context, account) if c.secrets]
        if stale:
            return commands.restart_and_wait(stale)
        argv = _set_password(component, account, account.password)
        back = commands.execute(server_of(component), component.container, argv)
        return (back, *commands.restart_and_wait(client_workloads(context, account)))

    def _account(self, context: FaultContext) -> Account:
        return account_named(self.name, context, context.parameters.user)


def _set_password(component: Component, account: Account, password: str) -> tuple[str, ...]:
    """Give an account a password, and end its sessions where they would outlive it."""
    family, user = family_of(component), account.user
    if family is Family.MONGODB:
        return mongo(component, mongo_shell.change_password(account, password))
    if family is Family.POSTGRES:
        mine = f"FROM pg_stat_activity WHERE usename = '{user}' AND pid <> pg_backend_pid()"
        change = f"ALTER ROLE \"{user}\" PASSWORD '{password}'"
        return psql(change, f"SELECT pg_terminate_backend(pid) {mine}")
    if family is Family.MYSQL:
        return mysql(f"ALTER USER '{user}'@'%' IDENTIFIED BY '{password}'")
    return rabbitmq("change_password", user, password)


def _login(component: Component, account: Account, password: str) -> tuple[str, ...]:
    """A command that succeeds when the account has a password."""
    family = family_of(component)
    tried = account.model_copy(update={"password": password})
    if family is Family.MONGODB:
        return mongo_shell.as_user(component, tried, "1")
    if family is Family.MYSQL:
        return mysql_as(tried, "SELECT 1")
    if family is Family.RABBITMQ:
        return rabbitmq("authenticate_user", account.user, password)
    # Its own machine is trusted: it must come from outside.
    text = f'PGPASSWORD={password} exec psql -h "$(hostname -i)" -U "$0" -d "$1" -tAc "SELECT 1"'
    return ("sh", "-c", text, account.user, account.database)


def _sources(
    context: FaultContext, account: Account, readers: list[Client]
) -> list[tuple[ObjectRef, str]]:
    """Secrets and ConfigMaps that hold the password, with the field of their values."""
    found = dict.fromkeys((ref, "data") for client in readers for ref in client.secrets)
    for use in context.component.config:
        manifest = context.application.manifest(use.source) or {}
        if use.source.kind == "Secret":
            texts = values_of(manifest).values()
        else:
            texts = (manifest.get("data") or {}).values()
        if any(holds(text, account.password) for text in texts):
            found[use.source, "data"] = None
    return list(found)


def _changed(obj: KubeObject, field: str, old: str, new: str) -> dict[str, dict[str, str]]:
    """A patch that gives all values with the old password the new one."""
    if obj["kind"] != "Secret":
        texts = obj.get("data") or {}
        return {field: {k: replaced(v, old, new) for k, v in texts.items() if holds(v, old)}}
    changed = {
        key: replaced(value, old, new)
        for key, value in values_of(obj).items()
        if "user" not in key.lower() and holds(value, old)
    }
    return {field: {key: base64.b64encode(v.encode()).decode() for key, v in changed.items()}}


def _environment(edits: Edits, client: Client, old: str, new: str) -> dict[str, object]:
    """A patch of a workload whose variables hold the old password."""
    containers = []
    for container in containers_of(edits.read(client.workload)):
        names = client.literals.get(container["name"], ())
        own = [
            {"name": entry["name"], "value": replaced(entry["value"], old, new)}
            for entry in container.get("env") or ()
            if entry["name"] in names
        ]
        if own:
            containers.append({"name": container["name"], "env": own})
    return {"spec": {"template": {"spec": {"containers": containers}}}}


def _defects(context: FaultContext, account: Account, client: Client) -> list[str]:
    """Why a client's running pods cannot log in; empty when they can."""
    cluster, old = context.cluster, account.password
    for ref, keys in client.secrets.items():
        secret = cluster.get(ref)
        if secret is None:
            return [f"{ref} does not exist"]
        values = values_of(secret)
        password = _password_in(values.get(keys[0], ""), context, ref, keys[0], old)
        if not run_in_store(context, _login(context.component, account, password)).ok:
            return [f"user {account.user} cannot log in with what {ref} says"]
        if password != old and _older_pods(context, client.workload, _written(secret)):
            return [f"pods of {client.workload} were started before {ref} changed"]
    if client.secrets:
        return []
    workload = cluster.get(client.workload)
    if workload is None:
        return [f"{client.workload} does not exist"]
    given = [old]
    for container in containers_of(workload):
        names = client.literals.get(container["name"], ())
        given += [
            context.parameters.password
            for entry in container.get("env") or ()
            if entry["name"] in names and not holds(entry.get("value", ""), old)
        ]
    if not run_in_store(context, _login(context.component, account, given[-1])).ok:
        return [f"user {account.user} cannot log in with the password of {client.workload}"]
    return []


def _password_in(value: str, context: FaultContext, ref: ObjectRef, key: str, old: str) -> str:
    """The password in a value that has the form of the manifest's."""
    before = values_of(context.application.manifest(ref) or {}).get(key, old)
    head, _, tail = before.partition(old) if before != old else ("", "", "")
    return value.removeprefix(head).removesuffix(tail)


def _written(obj: KubeObject) -> str:
    """When an object was last written."""
    entries = obj["metadata"].get("managedFields") or ()
    return max((entry.get("time", "") for entry in entries), default="")


def _older_pods(context: FaultContext, workload: ObjectRef, moment: str) -> bool:
    """Whether containers run that were started before a moment; also when none runs."""
    obj = context.cluster.get(workload)
    pods = not_terminating(pods_of(context.cluster, obj)) if obj is not None else []
    started = [
        status["state"]["running"]["startedAt"]
        for pod in pods
        for status in (pod.get("status") or {}).get("containerStatuses") or ()
        if "running" in status.get("state", {})
    ]
    return not started or min(map(datetime.fromisoformat, started)) < datetime.fromisoformat(moment)
