"""System calls that fail for chosen processes: a table that userland consults when it makes one."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NamedTuple

from sregym_regex import globs

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.machines import MACHINE_CHANGED
from sregym_cluster_embedded.placed_pods import chosen

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_COUNTED: TableKey[str, int] = TableKey("machines.syscalls.counted")
RULES: TableKey[str, Rule] = TableKey("machines.syscalls")


class Rule(NamedTuple):
    """Calls of some processes that fail.

    Attributes:
        call: `read`, `write`, `open`, `connect`, `fork`, `fsync`, `mmap`, `socket`, ...
        error: Name of the error number: `EIO`.
        node: Where; empty for every node.
        pod_uid: The pod that is meant; empty for all processes of the node.
        pods: The pods that are meant, as a choice by namespace, name and labels (see `placed_pods`); empty for all.
        container: In which container of the pod; empty for all.
        path: Pattern of the file for calls that have one; empty for all.
        share: Which part of the calls fails, from 0 to 1.
        delay_s: How long each call takes besides, whether it fails or not.
    """

    call: str
    error: str
    node: str = ""
    pod_uid: str = ""
    container: str = ""
    path: str = ""
    share: float = 1.0
    delay_s: float = 0.0
    pods: str = ""


class Caller(NamedTuple):
    """Who makes a call: node, pod and container of the process."""

    node: str
    pod_uid: str
    container: str


def fail(world: World, name: str, rule: Rule) -> None:
    """Let calls fail from now on; `name` is what `heal` takes.

    Raises:
        ValueError: There is no such error number.
    """
    if rule.error and not hasattr(errno, rule.error):
        message = f"system call rule {name!r}: there is no error number {rule.error!r}"
        raise ValueError(message)
    world.table(RULES)[name] = rule
    _tell(world, rule)


def heal(world: World, name: str) -> None:
    """Let those calls succeed again; nothing happens when none fail by that name."""
    rule = world.table(RULES).pop(name, None)
    if rule is not None:
        _tell(world, rule)


def rules(world: World) -> dict[str, Rule]:
    """What fails or takes longer, by name."""
    return dict(world.table(RULES))


def failure(world: World, caller: Caller, call: str, path: str = "") -> str:
    """The name of the error that a call meets, empty when it succeeds.

    Where only a part of the calls fails, chance decides anew with each one.
    """
    known = world.table(RULES)
    if not known:
        return ""
    for _, rule in sorted(known.items()):
        if (
            rule.error
            and _concerns(world, rule, caller, call, path)
            and _strikes(world, rule, call)
        ):
            return str(rule.error)
    return ""


def risk(world: World, caller: Caller, call: str, path: str = "") -> tuple[str, float]:
    """The name of the error that calls meet, and the part of them that do; `("", 0.0)` for none.

    Unlike `failure` it decides nothing: for callers that ask about many calls at once.
    """
    known = world.table(RULES)
    for _, rule in sorted(known.items()) if known else ():
        if rule.error and _concerns(world, rule, caller, call, path):
            return str(rule.error), float(rule.share)
    return "", 0.0


def delay_s(world: World, caller: Caller, call: str, path: str = "") -> float:
    """How long a call takes more than it should."""
    known = world.table(RULES)
    return float(
        sum(rule.delay_s for rule in known.values() if _concerns(world, rule, caller, call, path))
    )


def number(error: str) -> int:
    """The error number of a name: 5 for `EIO`."""
    return int(getattr(errno, error))


def strerror(error: str) -> str:
    """What a program prints of an error: `Input/output error`."""
    return os.strerror(number(error))


def _tell(world: World, rule: Rule) -> None:
    notice = world.service_or_none(MACHINE_CHANGED)
    if notice is not None:
        notice(world, rule.node)


def _concerns(world: World, rule: Rule, caller: Caller, call: str, path: str) -> bool:
    return (
        rule.call == call
        and rule.node in ("", caller.node)
        and rule.pod_uid in ("", caller.pod_uid)
        and rule.container in ("", caller.container)
        and (not rule.pods or chosen(world, rule.pods, caller.pod_uid))
        and (not rule.path or globs.matches(path, rule.path))
    )


def _strikes(world: World, rule: Rule, call: str) -> bool:
    if rule.share >= 1.0:
        return True
    counts = world.table(_COUNTED)
    count = counts.get(call, 0)
    counts[call] = count + 1
    return world.seed.fraction("syscall", call, count) < rule.share
