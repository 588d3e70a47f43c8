"""Requests to this program: JSON in, JSON out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import facts, files, holding, registry
from .journal import APPLIED, ENDED, INTENT, Entry, Journal
from .refusal import Refusal
from .scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .backend import Backend

Answer = dict


def apply(journal: Journal, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Bring about what is requested, for a time.

    Args:
        journal: Of this machine.
        given: `ask`, `owner`, `lease_s`, and `backend` where a certain one is meant.
    """
    ask, owner = given["ask"], str(given["owner"])
    _need_root()
    with journal.locked():
        _heal(journal)
        standing = _same(journal, ask, owner)
        if (
            standing is not None
            and standing.ask == ask
            and registry.named(standing.backend).stands(standing)
        ):
            return _told(standing)
        backend, refused = _choose(journal, ask, str(given.get("backend") or registry.AUTO), owner)
        resource = backend.resource(ask)
        if standing is not None:
            holding.end(journal, standing)
        entry = Entry(
            ident=journal.next_ident(),
            ask={**ask, "resource": resource},
            owner=owner,
            backend=backend.name,
            until=facts.now() + float(given.get("lease_s") or 900.0),
        )
        journal.write(entry)
        holding.start(journal, entry.ident)
        return {**_told(journal.entry(entry.ident) or entry), "refused": refused}


def undo(journal: Journal, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Undo one change by its `key`, or all of an `owner`, or with `all` everything; none is no error."""
    _need_root()
    with journal.locked():
        _heal(journal)
        meant = [entry for entry in reversed(journal.entries()) if _is_meant(entry, given)]
        for entry in meant:
            holding.end(journal, entry)
    return {"undone": [entry.key for entry in meant]}


def renew(journal: Journal, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Let all changes of an owner last longer."""
    until = facts.now() + float(given["lease_s"])
    with journal.locked():
        mine = [entry for entry in journal.entries() if entry.owner == given["owner"]]
        for entry in mine:
            journal.change(entry.ident, until=until)
            if entry.is_held and not registry.named(entry.backend).needs_attention:
                os.kill(entry.holder[0], 18)  # SIGCONT: look at the time again
    return {"renewed": [entry.key for entry in mine]}


def listing(journal: Journal, _given: Mapping[str, Any]) -> Mapping[str, Any]:
    """All that is changed on this machine, after what is over has been undone."""
    with journal.locked():
        _heal(journal)
        return {"changes": [_told(entry) for entry in journal.entries()], "facts": _facts()}


def examine(_journal: Journal, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """For each of `asks` and each back end that is about such things: empty, or why it cannot."""
    return {"answers": [_examined(ask) for ask in given["asks"]], "facts": _facts()}


def locate(_journal: Journal, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """On which device and blocks a file lies.

    Args:
        _journal: Not looked at.
        given: `path` as the first process of `scope` sees it, or as seen here without one; an empty
            one means the largest file on a volume of that process. `whole` for the device alone.
    """
    if given.get("whole"):
        return {"device": files.mapped_device(Path(str(given["path"])))}
    pids = Scope(given["scope"]).pids() if given.get("scope") else []
    if given.get("scope") and not pids:
        msg = f"no process is left in {Scope(given['scope']).told}; does the container still run on this node?"
        raise Refusal(msg)
    path = files.file_seen_by_process(pids[0] if pids else 0, str(given.get("path") or ""))
    return {"device": files.mapped_device(path), "blocks": files.extents(path), "path": str(path)}


def prepare(journal: Journal, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Mount a file or partition (`file`, `at`) so that its disk can go bad without a device mapper."""
    from . import prepared  # with what it loads, two thirds of a start of this program

    _need_root()
    return prepared.prepare(journal.folder, given)


def release(journal: Journal, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Unmount what was prepared of a `file`; it is as it was."""
    from . import prepared

    _need_root()
    return prepared.release(journal.folder, given)


def _examined(ask: Mapping[str, Any]) -> Mapping[str, str]:
    try:
        found = registry.fitting(ask)
    except Refusal as refusal:
        return {"none": str(refusal)}
    return {backend.name: backend.preflight(ask) for backend in found}


VERBS: Mapping[str, Callable[[Journal, Mapping[str, Any]], Mapping[str, Any]]] = {
    "apply": apply,
    "undo": undo,
    "renew": renew,
    "list": listing,
    "examine": examine,
    "locate": locate,
    "prepare": prepare,
    "release": release,
}


def _need_root() -> None:
    if not facts.is_root():
        msg = "changing what the kernel does needs root; run as root, or allow sudo without a password"
        raise Refusal(msg)


def _facts() -> Mapping[str, Any]:
    return {
        "kernel": facts.kernel(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "cgroups": facts.cgroup_version(),
        "root": facts.is_root(),
    }


def _told(entry: Entry) -> Mapping[str, Any]:
    stands = entry.phase == APPLIED and registry.named(entry.backend).stands(entry)
    return {
        "key": entry.key,
        "ask": {name: value for name, value in entry.ask.items() if name != "resource"},
        "owner": entry.owner,
        "backend": entry.backend,
        "stands": stands,
        "left_s": round(entry.until - facts.now(), 1),
        "effect": entry.effect,
        "repair": registry.named(entry.backend).repair(entry) if stands else [],
    }


def _heal(journal: Journal) -> None:
    """Undo what is over: other boots, ended leases, changes whose process died midway."""
    for entry in reversed(journal.entries()):
        if entry.boot != facts.boot_id():
            journal.remove(entry.ident)
        elif entry.until <= facts.now() or (entry.phase == INTENT and not entry.is_held):
            holding.end(journal, entry)
        elif entry.phase == INTENT:
            continue
        elif entry.phase == ENDED or not registry.named(entry.backend).stands(entry):
            holding.end(journal, entry)  # another process undid it; remove what is left of it
        elif not entry.is_held:
            holding.start(journal, entry.ident, again=True)


def _same(journal: Journal, ask: Mapping[str, Any], owner: str) -> Entry | None:
    for entry in journal.entries():
        if entry.key == ask["key"]:
            _mine(entry, owner)
            return entry
    return None


def _alone(journal: Journal, resource: str, ask: Mapping[str, Any], owner: str) -> None:
    for entry in journal.entries():
        if entry.ask.get("resource") != resource or entry.key == ask["key"]:
            continue
        _mine(entry, owner)
        if entry.phase != ENDED:
            msg = f"{resource} is taken by {entry.key!r} already; undo that first, or put this elsewhere"
            raise Refusal(msg)


def _replaced(journal: Journal, ask: Mapping[str, Any]) -> Mapping[str, Any]:
    """The state of what is about the same thing."""
    states = (entry.state for entry in journal.entries() if entry.key == ask["key"])
    return next(states, {})


def _mine(entry: Entry, owner: str) -> None:
    if entry.owner != owner:
        left = max(0.0, entry.until - facts.now())
        msg = (
            f"another harness ({entry.owner}) holds {entry.key!r} on this machine; wait for its end, "
            f"{left:.0f} s from now at the latest, or take another machine"
        )
        raise Refusal(msg)


def _is_meant(entry: Entry, given: Mapping[str, Any]) -> bool:
    if given.get("all"):
        return True
    fields = {"key": entry.key, "owner": entry.owner}
    named = {name: given[name] for name in fields if given.get(name)}
    return bool(named) and all(fields[name] == value for name, value in named.items())


def _choose(
    journal: Journal, ask: Mapping[str, Any], wanted: str, owner: str
) -> tuple[Backend, Mapping[str, str]]:
    """The first back end that can, and why those before it cannot."""
    refused: dict[str, str] = {}
    for backend in registry.fitting(ask, wanted):
        _alone(journal, backend.resource(ask), ask, owner)
        # What the same owner set before is about to be replaced, and does not conflict with it.
        why = backend.preflight({**ask, "replaces": _replaced(journal, ask)})
        if not why:
            return backend, refused
        refused[backend.name] = why
    message = "; ".join(f"{name}: {why}" for name, why in refused.items())
    msg = f"nothing was changed, no back end can do {ask['key']!r} here. {message}"
    raise Refusal(msg)
