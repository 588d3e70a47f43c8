"""What is written of an application: a handbook for those on call, and a runbook a component.

It follows from the manifests, as they should be. Some runbooks are out of date, as everywhere: the
seed says which, and the record tells what in them no longer holds.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from sregym_mode_on_call.resources import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.interfaces import Application
    from sregym_core.model import Component

# Of the runbooks so many are out of date.
SHARE_OUTDATED = (0.15, 0.35)
_TEAMS = ("core", "data", "growth", "payments", "platform", "search", "web")


def documents_of(application: Application, seed: int) -> Mapping[str, Document]:
    """All documents of an application by name.

    Args:
        application: Of which they tell.
        seed: From which owners follow, and which runbooks are out of date.
    """
    chance = Random(f"documents, seed {seed}")  # noqa: S311 - a game, no secret
    parts = [part for part in application.components() if part.kind != "load"]
    old = chance.sample(parts, round(chance.uniform(*SHARE_OUTDATED) * len(parts)))
    names = {part.name for part in old}
    owners = {part.name: chance.choice(_TEAMS) for part in parts}
    found = [_handbook(application, owners)]
    found += [_runbook(part, owners[part.name], part.name in names, chance) for part in parts]
    return {document.name: document for document in found}


def _handbook(application: Application, owners: Mapping[str, str]) -> Document:
    listed = "\n".join(f"- {name}: team {team}" for name, team in owners.items())
    text = f"""\
# On call for {application.title}

{application.description.strip()}

## Severities
- SEV1: users cannot use the product at all.
- SEV2: most of what users do fails or is slow.
- SEV3: a part of what users do fails or is slow.
- SEV4: users notice nothing yet.

## While an incident lasts
1. Post an update to the channel when you begin, when you know more, and when users are served again.
   Say what is known, not what is hoped.
2. Find the cause before you change anything. A restart hides more than it repairs.
3. Change as little as possible, and leave probes, limits and access as they are.
4. Runbooks are kept by the teams; check what they say against the cluster.

## Who owns what
{listed}
"""
    return Document("handbook", f"handbook for those on call for {application.title}", text)


def _runbook(part: Component, team: str, old: bool, chance: Random) -> Document:
    facts = _facts(part)
    outdated = ""
    if old:
        label, stale = chance.choice(_STALE)
        was = facts.get(label, "none")
        facts[label] = stale(part, chance)
        outdated = f"{label} is {was}, not {facts[label]}"
    lines = "\n".join(f"- {label}: {value}" for label, value in facts.items())
    first = f"kubectl -n {part.namespace} get {part.workload.kind.lower()} {part.workload.name}"
    logs = f"kubectl -n {part.namespace} logs {part.workload.kind.lower()}/{part.workload.name}"
    reviewed = f"{chance.randint(2, 26) if not old else chance.randint(14, 40)} months ago"
    text = f"""\
# {part.name}

Owner: team {team}. Reviewed {reviewed}.

## Facts
{lines}

## When it is in trouble
1. `{first}`: are all replicas ready?
2. `{logs}`: what does it say of those that it calls?
3. Look at those that it calls, and at who calls it, before you change it.
"""
    return Document(f"runbooks/{part.name}", f"runbook of {part.name}", text, outdated)


def _facts(part: Component) -> dict[str, str]:
    facts = {
        "Kind": part.kind,
        "Workload": f"{part.workload.kind} {part.workload.name} in {part.namespace}",
        "Image": part.image,
        "Replicas": str(part.replicas),
    }
    if part.ports:
        facts["Ports"] = ", ".join(f"{port.port} to {port.target_port}" for port in part.ports)
    if part.memory_limit:
        facts["Memory limit"] = part.memory_limit
    facts["Calls"] = ", ".join(part.calls) or "nobody"
    facts["Called by"] = ", ".join(part.callers) or "nobody"
    return facts


def _old_image(part: Component, chance: Random) -> str:
    name = part.image.rpartition(":")[0] if ":" in part.image.rpartition("/")[2] else part.image
    return f"{name}:0.{chance.randint(2, 9)}.{chance.randint(0, 9)}"


_STALE: tuple[tuple[str, Callable[[Component, Random], str]], ...] = (
    ("Replicas", lambda part, chance: str(part.replicas + chance.randint(2, 4))),
    ("Ports", lambda _part, chance: f"{chance.randint(20, 90)}01 to {chance.randint(20, 90)}02"),
    ("Image", _old_image),
    ("Memory limit", lambda _part, chance: f"{chance.choice((96, 192, 384))}Mi"),
    ("Calls", lambda part, _chance: f"{part.name}-legacy"),
)
