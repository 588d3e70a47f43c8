"""A MongoDB with accounts and just enough of its shell, in the pods of a cluster in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Application, CommandResult, Fault, FaultContext
from sregym_testing import FullShop, MemoryCluster
from sregym_testing.clusters import Provision

component = FullShop().component

_STATEMENT = re.compile(r'db\.getSiblingDB\("admin"\)\.(\w+)\((.*)\)')
_BUILT_IN = {"root": {"pwd": "root-secret", "roles": [{"role": "root", "db": "admin"}]}}
_CLERK = {"pwd": "clerk-secret", "roles": [{"role": "readWrite", "db": "catalog"}]}


class Refusal(Exception):
    """What the shell prints before it gives up."""


class MongoCluster(MemoryCluster):
    """Runs `mongo` in pods of `catalog-db`; accounts outlive pods, as on a volume."""

    def __init__(self) -> None:
        super().__init__()
        self.accounts: dict[str, dict[str, Any]] = {**_BUILT_IN, "clerk": _CLERK}
        self.locked = 0
        self.indexes = ["name"]
        self.executor = self._mongo

    def hidden_state(self) -> Mapping[str, str]:
        return {
            "accounts": json.dumps(self.accounts, sort_keys=True),
            "locked": str(self.locked),
            "indexes": ",".join(self.indexes),
        }

    def _mongo(self, pod: dict[str, Any], argv: Sequence[str], stdin: str) -> CommandResult:
        if argv[0] != "mongo" or pod["metadata"]["labels"]["app"] != "catalog-db":
            return CommandResult(127, "", f"{argv[0]}: not found\n")
        options = dict(zip(argv[3::2], argv[4::2], strict=True))
        account = self.accounts.get(options["-u"])
        if account is None or account["pwd"] != options["-p"]:
            return CommandResult(
                1,
                "Error: Authentication failed.\n",
                "exception: connect failed\nexiting with code 1\n",
            )
        try:
            lines = [self._evaluate(text.strip()) for text in options["--eval"].split("; ")]
        except Refusal as error:
            return CommandResult(252, f"uncaught exception: Error: {error}\n", "")
        return CommandResult(0, "".join(f"{line}\n" for line in lines if line))

    def _evaluate(self, text: str) -> str:
        if text.startswith("printjson("):
            return self._evaluate(text.removeprefix("printjson(").removesuffix(")"))
        if text.startswith("print(db.currentOp()"):
            return "true" if self.locked else "false"
        if "fsync" in text:
            return self._lock(text)
        if "Index" in text:
            return self._index(text)
        call = _STATEMENT.fullmatch(text)
        if call is None:
            return text
        arguments = json.loads(f"[{call[2]}]")
        result: str = getattr(self, f"_{call[1]}")(*arguments)
        return result

    def _existing(self, *ref: Any) -> Any:  # the cluster's own, or an account
        if len(ref) == 1 and isinstance(ref[0], str):
            if ref[0] not in self.accounts:
                raise Refusal(f"Could not find user {ref[0]} for db admin")
            return self.accounts[ref[0]]
        return super()._existing(*ref)

    def _lock(self, text: str) -> str:
        if text.startswith("if ") and not self.locked:
            return ""
        self.locked += -1 if "Unlock" in text else 1
        return ""

    def _index(self, text: str) -> str:
        given = re.search(r'(drop|create)Index\({"(\w+)": 1}\)', text)
        if given is None:
            return "\n".join(f'{{ "{name}" : 1 }}' for name in ["_id", *self.indexes])
        verb, name = given.groups()
        rest = [one for one in self.indexes if one != name]
        self.indexes = [*rest, name] if verb == "create" else rest
        return ""

    def _changeUserPassword(self, user: str, password: str) -> str:
        self.accounts[user] = {**self._existing(user), "pwd": password}
        return ""

    def _revokeRolesFromUser(self, user: str, roles: list[dict[str, str]]) -> str:
        account = self._existing(user)
        left = [role for role in account["roles"] if role not in roles]
        self.accounts[user] = {**account, "roles": left}
        return ""

    def _grantRolesToUser(self, user: str, roles: list[dict[str, str]]) -> str:
        account = self._existing(user)
        new = [role for role in roles if role not in account["roles"]]
        self.accounts[user] = {**account, "roles": [*account["roles"], *new]}
        return ""

    def _dropUser(self, user: str) -> str:
        return "true" if self.accounts.pop(user, None) else "false"

    def _createUser(self, user: dict[str, Any]) -> str:
        if user["user"] in self.accounts:
            raise Refusal(f'couldn\'t add user: User "{user["user"]}@admin" already exists')
        self.accounts[user["user"]] = {"pwd": user["pwd"], "roles": user["roles"]}
        return "Successfully added user"

    def _getUser(self, user: str) -> str:
        if user not in self.accounts:
            return "null"
        roles = json.dumps(self.accounts[user]["roles"])
        return (
            f'{{\n\t"_id" : "admin.{user}",\n\t"userId" : UUID("6f0c8a58-6a5b-4a1e"),\n'
            f'\t"user" : "{user}",\n\t"db" : "admin",\n\t"roles" : {roles}\n}}'
        )


@pytest.fixture
def provision() -> Provision:
    return lambda spec: MongoCluster()


@pytest.fixture
def cluster() -> MongoCluster:
    """A cluster with a shop that is ready."""
    cluster = MongoCluster()
    FullShop().deploy(cluster)
    cluster.clock.advance(1.0)
    return cluster


@pytest.fixture
def at(cluster: MongoCluster) -> Callable[..., FaultContext]:
    """`at(fault, user="clerk")`: the context in which a fault meets the shop's database."""

    def make(fault: Fault, **parameters: Any) -> FaultContext:
        application: Application = FullShop()
        values = fault.Parameters(**parameters)
        return FaultContext(cluster, application, component("catalog-db"), values, UndoJournal())

    return make
