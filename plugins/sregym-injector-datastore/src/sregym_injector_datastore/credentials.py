"""Where the clients of an account get its password from, by the application's manifests."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.model import WORKLOAD_KINDS, ObjectRef, containers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Account, Component


@dataclass(frozen=True)
class Client:
    """A workload that connects with an account.

    Attributes:
        component: Name of its component.
        workload: The workload.
        secrets: Secrets with the password that feed its environment: Secret -> keys.
        literals: Variables that hold the password themselves: container -> names.
    """

    component: str
    workload: ObjectRef
    secrets: dict[ObjectRef, tuple[str, ...]]
    literals: dict[str, tuple[str, ...]]


def clients_with(context: FaultContext, account: Account) -> list[Client]:
    """All that connect with an account, in the order in which the store names them."""
    parts = {part.name: part for part in context.application.components()}
    found = []
    for name in account.used_by:
        if name in parts and parts[name].workload.kind in WORKLOAD_KINDS:
            found.append(_client(context, parts[name], account.password))
    return found


def holds(value: str, password: str) -> bool:
    """Whether a value is a password, or an address or connection string with it."""
    return value == password or _inside(password).search(value) is not None


def replaced(value: str, old: str, new: str) -> str:
    """A value with another password."""
    if value == old:
        return new
    return _inside(old).sub(lambda found: f"{found.group(1)}{new}", value)


def values_of(secret: KubeObject) -> dict[str, str]:
    """The values of a Secret as texts, whether written plainly or encoded."""
    data = secret.get("data") or {}
    found = {key: base64.b64decode(value).decode(errors="replace") for key, value in data.items()}
    return {**found, **(secret.get("stringData") or {})}


def _inside(password: str) -> re.Pattern[str]:
    return re.compile(rf"(:|password=|PASSWORD '){re.escape(password)}(?=@|[\s;']|$)", re.I)


def _client(context: FaultContext, part: Component, password: str) -> Client:
    manifest = context.application.manifest(part.workload) or {}
    secrets: dict[ObjectRef, tuple[str, ...]] = {}
    literals: dict[str, tuple[str, ...]] = {}
    for container in containers_of(manifest) if manifest else ():
        for name, key in _references(container):
            ref = ObjectRef(
                api_version="v1", kind="Secret", namespace=part.workload.namespace, name=name
            )
            values = values_of(context.application.manifest(ref) or {})
            # A user may be called as its password is.
            if "user" not in key.lower() and holds(values.get(key, ""), password):
                secrets[ref] = tuple(dict.fromkeys((*secrets.get(ref, ()), key)))
        own = [e["name"] for e in container.get("env") or () if holds(e.get("value", ""), password)]
        if own:
            literals[container["name"]] = tuple(name for name in own if "USER" not in name.upper())
    return Client(part.name, part.workload, secrets, literals)


def _references(container: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(Secret, key) of each variable that a Secret feeds."""
    for entry in container.get("env") or ():
        reference = (entry.get("valueFrom") or {}).get("secretKeyRef")
        if reference:
            yield reference["name"], reference["key"]
