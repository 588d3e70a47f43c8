"""`kubectl taint`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.client import MERGE
from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, SELECTION, switch
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.trying import patched

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
    if not words:
        text = "one or more resources must be specified as <resource> <name>"
        raise CommandError(f"error: {text}")
    if words[0] not in ("node", "nodes", "no"):
        raise NotCovered("taint of what is no node")
    at = next((n for n, word in enumerate(words[1:], 1) if _is_change(word)), len(words))
    resources, changes = words[:at], words[at:]
    if not changes:
        raise CommandError("error: at least one taint update is required")
    if not all(map(_is_change, changes)):
        raise NotCovered("taint without a change")
    added = [_taint(word) for word in changes if not word.endswith("-")]
    removed = [_removal(word) for word in changes if word.endswith("-")]
    if len({(one["key"], one["effect"]) for one in added}) < len(added):
        raise NotCovered("one taint twice")
    if {(one["key"], one["effect"]) for one in added} & set(removed):
        raise NotCovered("a taint that is added and removed")
    errors: list[CommandError] = []
    for found in selected(session, resources, errors):
        with collected(errors):
            _change(session, found, added, removed)
    raise_all(errors)


def _is_change(word: str) -> bool:
    return "=" in word or ":" in word or word.endswith("-")


def _taint(word: str) -> Object:
    rest, colon, effect = word.rpartition(":")
    key, equals, value = rest.partition("=")
    if colon and effect not in _EFFECTS:
        text = (
            f"error: invalid taint effect: {effect}, unsupported taint effect\n"
            "See 'kubectl taint -h' for help and examples"
        )
        raise CommandError(text)
    if not colon or not _KEY.fullmatch(key) or not _VALUE.fullmatch(value):
        raise NotCovered(f"taint {word}")
    return {"key": key, "effect": effect} | ({"value": value} if equals and value else {})


def _removal(word: str) -> tuple[str, str]:
    key, _, effect = word.removesuffix("-").partition(":")
    key = key.partition("=")[0]
    if not _KEY.fullmatch(key) or (effect and effect not in _EFFECTS):
        raise NotCovered(f"taint {word}")
    return key, effect


def _change(
    session: Session, found: Found, added: Sequence[Object], removed: Sequence[tuple[str, str]]
) -> None:
    present: list[Object] = found.obj["spec"].get("taints") or []
    if not session.arguments.on("overwrite"):
        _refuse_present(found.name, present, added)
    kept, taken = _without(present, removed)
    missing = [key for key in removed if key not in taken]
    if missing:
        key, effect = missing[0]
        if len(missing) > 1:
            raise NotCovered("several taints that are not there")
        raise CommandError(f'error: taint "{key}{":" + effect if effect else ""}" not found')
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
    clashing = [one for one in added if (one["key"], one["effect"]) in there]
    if len(clashing) > 1:
        raise NotCovered("several taints that are there already")
    for one in clashing:
        text = f"error: node {node} already has {one['key']} taint(s) with same effect(s) and --overwrite is false"
        raise CommandError(text)
