"""`kubectl taint`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.client import MERGE
from sregym_cluster_embedded.kubectl.client_dry_run import patched
from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, SELECTION, switch
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.usage import usage_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.store import Object

FLAGS = (*OUTPUT, *DRY_RUN, *SELECTION, *IGNORED, switch("overwrite"))

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
)
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")


def taint(session: Session) -> None:
    """Run `kubectl taint`."""
    words = session.arguments.words
    at = next((n for n, word in enumerate(words) if _is_change(word)), len(words))
    resources, changes = words[:at], words[at:]
    for word in changes:
        if not _is_change(word):
            text = f"all resources must be specified before taint changes: {word}"
            raise CommandError(f"error: {text}")
    if not resources:
        text = "one or more resources must be specified as <resource> <name>"
        raise CommandError(f"error: {text}")
    if not changes:
        raise CommandError("error: at least one taint update is required")
    added, removed = _wanted(changes)
    _refuse_other(session, resources[0].lower())
    _refuse_contradiction(added, removed)
    _refuse_choice(session, resources)
    errors: list[CommandError] = []
    for found in selected(session, resources, errors):
        with collected(errors):
            _change(session, found, added, removed)
    raise_all(errors)


def _is_change(word: str) -> bool:
    return "=" in word or ":" in word or word.endswith("-")


def _wanted(changes: Sequence[str]) -> tuple[list[Object], list[tuple[str, str]]]:
    """The taints to be added, and key and effect of those to be removed."""
    added: list[Object] = []
    removed: list[tuple[str, str]] = []
    for word in changes:
        key, value, effect = _parsed(word.removesuffix("-"))
        if word.endswith("-"):
            removed.append((key, effect))
            continue
        if any((one["key"], one["effect"]) == (key, effect) for one in added):
            twice = f"{{{key} {value} {effect} <nil>}}"
            text = f"duplicated taints with the same key and effect: {twice}"
            raise usage_error("taint", text)
        added.append({"key": key, "effect": effect} | ({"value": value} if value else {}))
    return added, removed


def _parsed(word: str) -> tuple[str, str, str]:
    """Key, value and effect."""
    rest, *effects = word.split(":")
    if len(effects) > 1:
        raise usage_error("taint", f"invalid taint spec: {word}")
    if effects and effects[0] not in _EFFECTS:
        raise usage_error("taint", f"invalid taint effect: {effects[0]}, unsupported taint effect")
    key, *values = rest.split("=") if effects else [rest]
    if len(values) > 1:
        raise usage_error("taint", f"invalid taint spec: {word}")
    if not _KEY.fullmatch(key) or not all(map(_VALUE.fullmatch, values)):
        raise NotCovered(f"taint {word}")
    return key, "".join(values), "".join(effects)


def _refuse_other(session: Session, word: str) -> None:
    kind = session.client.discovery().find(word)
    if kind is None:
        raise CommandError(f'the server doesn\'t have a resource type "{word}"')
    if kind.kind != "Node":
        text = f"invalid resource type {word}, only node types are supported"
        raise CommandError(f"error: {text}")


def _refuse_contradiction(added: Sequence[Object], removed: Sequence[tuple[str, str]]) -> None:
    both = [
        f"{key}={effect}"
        for one in added
        for key, effect in removed
        if one["key"] == key and effect in ("", one["effect"])
    ]
    if both:
        text = "can not both modify and remove the following taint(s) in the same command"
        raise CommandError(f"error: {text}: {', '.join(both)}")


def _refuse_choice(session: Session, resources: Sequence[str]) -> None:
    everything, selector = session.arguments.on("all"), session.arguments.text("selector")
    if everything and selector:
        text = "setting 'all' parameter with a non empty selector is prohibited"
        raise CommandError(f"error: {text}")
    if not everything and not selector and len(resources) < 2:
        text = "at least one resource name must be specified since 'all' parameter is not set"
        raise CommandError(f"error: {text}")


def _change(
    session: Session, found: Found, added: Sequence[Object], removed: Sequence[tuple[str, str]]
) -> None:
    present: list[Object] = found.obj["spec"].get("taints") or []
    if not session.arguments.on("overwrite"):
        _refuse_present(found.name, present, added)
    kept, taken = _without(present, removed)
    missing = [
        CommandError(f'error: taint "{key}{":" + effect if effect else ""}" not found')
        for key, effect in removed
        if (key, effect) not in taken
    ]
    raise_all(missing)
    places = {(one["key"], one["effect"]) for one in added}
    taints = [*added, *(one for one in kept if (one["key"], one["effect"]) not in places)]
    modified = any((one["key"], one["effect"]) in places for one in present)
    patch: Object = {"spec": {"taints": taints or None}}
    if dry_run(session.arguments) == "client":
        after = patched(found.obj, patch, MERGE)
    else:
        query = dry_run_query(session.arguments)
        after = session.client.patch(found.kind, None, found.name, patch, query=query)
    done = _told(bool(added), bool(removed), modified)
    if session.arguments.text("output"):
        report(session, found.kind, after, done)
    else:
        # The binary does not say here that it only tried.
        session.say(f"node/{found.name} {done}")


def _without(
    present: Sequence[Object], removed: Sequence[tuple[str, str]]
) -> tuple[list[Object], set[tuple[str, str]]]:
    """What is left, and which of `removed` were there."""
    kept, taken = list(present), set()
    for key, effect in removed:
        hit = [one for one in kept if one["key"] == key and effect in ("", one["effect"])]
        if hit:
            taken.add((key, effect))
        kept = [one for one in kept if one not in hit]
    return kept, taken


def _told(added: bool, removed: bool, modified: bool) -> str:
    if modified or (added and removed):
        return "modified"
    return "tainted" if added else "untainted"


def _refuse_present(node: str, present: Sequence[Object], added: Sequence[Object]) -> None:
    there = {(one["key"], one["effect"]) for one in present}
    clashing = [one["key"] for one in added if (one["key"], one["effect"]) in there]
    if clashing:
        text = f"already has {','.join(clashing)} taint(s) with same effect(s)"
        raise CommandError(f"error: node {node} {text} and --overwrite is false")
