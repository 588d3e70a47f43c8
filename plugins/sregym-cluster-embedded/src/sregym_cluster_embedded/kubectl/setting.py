"""`kubectl set image`, `set env`, `set resources`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sregym_regex import globs

from sregym_cluster_embedded.kubectl.builder import NOTHING_NAMED
from sregym_cluster_embedded.kubectl.client_dry_run import patched
from sregym_cluster_embedded.kubectl.editing import (
    Found,
    pod_template,
    refuse_foreign,
    selected,
    wrap_pod_template,
)
from sregym_cluster_embedded.kubectl.env_sources import env_line, instead_of, variables_of
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, OUTPUT, SELECTION, Flag, switch
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.store import Object

_COMMON = (*OUTPUT, *DRY_RUN, *FILES, *SELECTION)
IMAGE_FLAGS = _COMMON
ENV_FLAGS = (
    *_COMMON, Flag("env", "e", "repeated"), Flag("containers", "c"), switch("list"),
    switch("overwrite"), Flag("from"), Flag("prefix"), Flag("keys", kind="list"),
    switch("resolve"),
)  # fmt: skip
RESOURCES_FLAGS = (*_COMMON, Flag("limits"), Flag("requests"), Flag("containers", "c"))

_PAIR = re.compile(r"[^=]+=.*", re.DOTALL)
_ENV_REMOVAL = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*-")
_QUANTITY = re.compile(r"[+-]?[0-9.]+(?:[eEinumkKMGTP]*[-+]?[0-9]*)")

# Takes a pod spec; returns the patch for it, None when nothing changes.
Edit: TypeAlias = Callable[[Object], Object | None]


def set_image(session: Session) -> None:
    """Run `kubectl set image`."""
    words, pairs = _split(session.arguments.words)
    if not words and not session.arguments.of_files:
        raise CommandError(NOTHING_NAMED)
    if not pairs:
        raise_all(_unfound(session, words))
        raise CommandError("error: at least one image update is required")

    def edit(pod_spec: Object) -> Object | None:
        patch: Object = {}
        unknown: list[str] = []
        for wanted, image in pairs:
            known = False
            for field in ("initContainers", "containers"):
                for container in pod_spec.get(field, ()):
                    if wanted not in ("*", container["name"]):
                        continue
                    known = True
                    if container.get("image") != image:
                        entry = {"name": container["name"], "image": image}
                        patch.setdefault(field, []).append(entry)
            if not known:
                unknown.append(f'error: unable to find container named "{wanted}"')
        if unknown:
            raise CommandError("\n".join(unknown))
        return patch or None

    _edit_all(session, words, edit, "image")


def _unfound(session: Session, words: list[str]) -> list[CommandError]:
    errors: list[CommandError] = []
    selected(session, words, errors)
    return errors


def set_env(session: Session) -> None:
    """Run `kubectl set env` with literal values, removals, or `--list`."""
    words: list[str] = []
    changes: list[tuple[str, str | None]] = []
    for word in [*session.arguments.words, *session.arguments.all("env")]:
        if _PAIR.fullmatch(word) and "/" not in word.partition("=")[0]:
            name, _, value = word.partition("=")
            changes.append((name, value))
        elif _ENV_REMOVAL.fullmatch(word) and words:
            changes.append((word[:-1], None))
        elif word == "-":
            raise NotCovered("environment from standard input")
        else:
            words.append(word)
    if not words and not session.arguments.of_files:
        text = "one or more resources must be specified as <resource> <name> or <resource>/<name>"
        raise CommandError(f"error: {text}")
    sources = session.arguments.text("from")
    given = variables_of(session, sources) if sources else []
    if given and session.arguments.on("list"):
        raise NotCovered("list and change")
    if not session.arguments.on("list") and not (changes or given):
        raise NotCovered("set env without a change")
    removed = {name for name, value in changes if value is None}
    if removed & {name for name, value in changes if value is not None}:
        text = "can not both modify and remove the same environment variable in the same command"
        raise CommandError(f"error: {text}")
    if session.arguments.on("list"):
        if changes:
            raise NotCovered("list and change")
        _list_env(session, words)
        return
    if not session.arguments.on("overwrite", default=True):
        raise NotCovered("--overwrite=false")
    containers = session.arguments.text("containers", "*")

    def edit(pod_spec: Object) -> Object | None:
        return _env_patch(pod_spec, containers, changes, given)

    _edit_all(session, words, edit, "env")


def set_resources(session: Session) -> None:
    """Run `kubectl set resources`."""
    arguments = session.arguments
    wanted = {
        field: _quantities(arguments.text(field))
        for field in ("limits", "requests")
        if arguments.text(field)
    }
    if not arguments.words and not arguments.of_files:
        raise CommandError(NOTHING_NAMED)
    if not wanted:
        how = "(in the form of --requests/--limits)"
        raise CommandError(f"error: you must specify an update to requests or limits {how}")
    containers = arguments.text("containers", "*")

    def edit(pod_spec: Object) -> Object | None:
        chosen = [c for c in pod_spec["containers"] if globs.matches(c["name"], containers)]
        if not chosen:
            raise CommandError(f"error: unable to find container named {containers}")
        entries = [
            {"name": container["name"], "resources": wanted}
            for container in chosen
            if any(
                (container.get("resources") or {}).get(field, {}) | values
                != (container.get("resources") or {}).get(field, {})
                for field, values in wanted.items()
            )
        ]
        return {"containers": entries} if entries else None

    _edit_all(session, arguments.words, edit, "resource requirements")


def _split(words: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Resource words, and the `NAME=VALUE` words behind them."""
    resources = [word for word in words if "=" not in word]
    pairs = [word.partition("=")[::2] for word in words if "=" in word]
    return resources, pairs


def _env_patch(
    pod_spec: Object,
    containers: str,
    changes: list[tuple[str, str | None]],
    given: Sequence[Object] = (),
) -> Object | None:
    patch: dict[str, list[Object]] = {}
    matched = False
    for field in ("initContainers", "containers"):
        for container in pod_spec.get(field, ()):
            if not globs.matches(container["name"], containers):
                continue
            matched = True
            present = {entry["name"]: entry for entry in container.get("env", ())}
            entries = _env_entries(present, changes)
            for entry in given:
                there = present.get(entry["name"])
                if there != entry:
                    entries.append(instead_of(there or {}, entry))
            changes_ = [*changes, *((entry["name"], "") for entry in given)]
            if entries:
                patched = {"name": container["name"], "env": entries}
                patched["$setElementOrder/env"] = _env_order(present, changes_)
                patch.setdefault(field, []).append(patched)
    if not matched:
        raise NotCovered("a container that is not there")
    return patch or None


def _env_order(
    present: dict[str, Object], changes: list[tuple[str, str | None]]
) -> list[dict[str, str]]:
    """The names in their order after the changes: what is new stands at the end."""
    values = dict(changes)
    kept = [name for name in present if values.get(name, "") is not None]
    fresh = [name for name, value in values.items() if value is not None and name not in present]
    return [{"name": name} for name in (*kept, *fresh)]


def _env_entries(
    present: dict[str, Object], changes: list[tuple[str, str | None]]
) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for name, value in changes:
        if value is None:
            if name in present:
                entries.append({"name": name, "$patch": "delete"})
        elif present.get(name) != {"name": name, "value": value}:
            change: dict[str, Any] = {"name": name, "value": value}
            if "valueFrom" in present.get(name, {}):
                change["valueFrom"] = None
            entries.append(change)
    return entries


def _list_env(session: Session, words: list[str]) -> None:
    errors: list[CommandError] = []
    containers = session.arguments.text("containers", "*")
    for found in selected(session, words, errors):
        with collected(errors):
            refuse_foreign(found)
            _list_variables(session, found, containers)
    raise_all(errors)


def _list_variables(session: Session, found: Found, containers: str) -> None:
    pod_spec = pod_template(found.obj)
    for container in [*pod_spec.get("initContainers", ()), *pod_spec["containers"]]:
        if not globs.matches(container["name"], containers):
            continue
        session.say(f"# {found.kind.kind} {found.name}, container {container['name']}")
        for entry in container.get("env", ()):
            session.say(env_line(session, found.obj, container, entry))


def _quantities(text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals:
            text = f"invalid argument syntax {part}, expected <resource>=<value>"
            raise CommandError(f"error: {text}")
        if not _QUANTITY.fullmatch(value):
            rule = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            raise CommandError(f"error: quantities must match the regular expression {rule}")
        values[name] = value
    return values


def _edit_all(session: Session, words: list[str], edit: Edit, what: str) -> None:
    tried = dry_run(session.arguments) == "client"
    errors: list[CommandError] = []
    found = selected(session, words, errors)
    patches = []
    for one in found:
        with collected(errors):
            refuse_foreign(one)
            patch = edit(pod_template(one.obj))
            if patch is not None:
                patches.append((one, wrap_pod_template(one.obj, patch)))
    for one, patch in patches:
        if tried:
            report(session, one.kind, patched(one.obj, patch), f"{what} updated")
            continue
        with collected(errors):
            _send(session, one, patch, what)
    raise_all(errors)


def _send(session: Session, found: Found, patch: Object, what: str) -> None:
    query = dry_run_query(session.arguments)
    try:
        after = session.client.patch(found.kind, found.namespace, found.name, patch, query=query)
    except ServerError as error:
        # `set image` and its siblings give the server's words without their kind.
        doing = {
            "image": "image update",
            "env": "env update",
            "resource requirements": "resources update",
        }
        colon = "" if what == "resource requirements" else ":"
        text = f"error: failed to patch {doing[what]} to pod template{colon} {error.message}"
        raise CommandError(text) from error
    report(session, found.kind, after, f"{what} updated")
