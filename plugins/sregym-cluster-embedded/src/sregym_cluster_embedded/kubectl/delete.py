"""`kubectl delete`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.builder import NOTHING_NAMED
from sregym_cluster_embedded.kubectl.editing import Found, references, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, SELECTION, Arguments, Flag, switch
from sregym_cluster_embedded.kubectl.printing import (
    DRY_RUNS,
    dry_run,
    dry_run_query,
    qualified_name,
)
from sregym_cluster_embedded.kubectl.raw import delete_raw
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.waiting import wait_until_deleted

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.discovery import ResourceType

FLAGS = (
    *FILES, *SELECTION, *DRY_RUN, Flag("output", "o"), Flag("timeout"), Flag("grace-period"),
    Flag("cascade", bare="background"), switch("wait"), switch("force"), switch("now"),
    switch("ignore-not-found"), Flag("raw"), switch("all-namespaces", "A"),
)  # fmt: skip

_FORCED = (
    "Immediate deletion does not wait for confirmation that the running resource has been "
    "terminated. The resource may continue to run on the cluster indefinitely."
)
_POLICIES = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}


def delete(session: Session) -> None:
    """Run `kubectl delete`."""
    arguments = session.arguments
    if arguments.has("raw"):
        delete_raw(session)
        return
    options = _options(arguments)
    if arguments.on("all") and arguments.text("selector"):
        raise CommandError("error: setting 'all' parameter but found a non empty selector. ")
    if not arguments.words and not arguments.of_files:
        raise CommandError(NOTHING_NAMED)
    asked = list(references(session, arguments.words))
    _refuse_options(arguments)
    named = all(name for _, _, name in asked)
    errors: list[CommandError] = []
    found = _nameless(asked) if named else selected(session, arguments.words, errors)
    ignored = arguments.on("ignore-not-found", default=arguments.on("all"))
    if arguments.has("namespace") and any(not one.kind.namespaced for one in found):
        session.warn("deleting cluster-scoped resources, not scoped to the provided namespace")
    if options.get("gracePeriodSeconds") == 0:
        session.warn(_FORCED)
    deleted: list[Found] = []
    for one in found:
        with collected(errors):
            deleted.append(_delete_one(session, one, options))
    if ignored:
        errors = [e for e in errors if not (isinstance(e, ServerError) and e.not_found)]
    if not found and not errors and not (named and asked):
        session.say("No resources found")
    if arguments.on("wait", default=True) and dry_run(arguments) == "none":
        _wait(session, deleted)
    raise_all(errors)


def _options(arguments: Arguments) -> dict[str, object]:
    cascade = arguments.text("cascade", "background")
    if cascade not in _POLICIES:
        if cascade in ("true", "false"):
            raise NotCovered(f"--cascade={cascade}")
        allowed = 'Must be "background", "foreground", or "orphan"'
        raise CommandError(f"error: invalid cascade value ({cascade}). {allowed}")
    grace = arguments.number("grace-period", -1)
    forced = arguments.on("force")
    if arguments.on("now"):
        grace = 1
    if grace == 0 and not forced:
        grace = 1
    if forced and grace < 0:
        grace = 0
    options: dict[str, object] = {"propagationPolicy": _POLICIES[cascade]}
    if grace >= 0:
        options["gracePeriodSeconds"] = grace
    return options


def _refuse_options(arguments: Arguments) -> None:
    if arguments.text("output") not in ("", "name"):
        mode = f"unexpected -o output mode: {arguments.text('output')}"
        raise CommandError(f"error: {mode}. We only support '-o name'")
    if arguments.on("force") and arguments.number("grace-period", -1) > 0:
        text = "--force and --grace-period greater than 0 cannot be specified together"
        raise CommandError(f"error: {text}")


def _nameless(asked: list[tuple[ResourceType, str | None, str]]) -> list[Found]:
    """What is named is deleted unseen: its uid comes with the answer."""
    return [Found(kind, namespace, name, {}) for kind, namespace, name in asked]


def _delete_one(session: Session, found: Found, options: dict[str, object]) -> Found:
    if dry_run(session.arguments) != "client":
        path = found.kind.path(found.namespace, found.name)
        answer = session.client.send("DELETE", path, dry_run_query(session.arguments), options)
        uid = (answer.get("details") or answer.get("metadata") or {}).get("uid", "")
        found = found._replace(obj={"metadata": {"uid": uid}})
    if session.arguments.text("output") == "name":
        session.say(qualified_name(found.kind, found.name))
    else:
        session.say(_told(session, found))
    return found


def _told(session: Session, found: Found) -> str:
    verb = "force deleted" if session.arguments.on("force") else "deleted"
    where = f" from {found.namespace} namespace" if found.kind.namespaced else ""
    return f'{found.kind.shown} "{found.name}" {verb}{where}{DRY_RUNS[dry_run(session.arguments)]}'


def _wait(session: Session, deleted: list[Found]) -> None:
    timeout_s = session.arguments.duration("timeout", 0.0) or None
    for kind, namespace, name, obj in deleted:
        if not wait_until_deleted(
            session, kind, namespace, name, obj["metadata"]["uid"], timeout_s
        ):
            text = f"timed out waiting for the condition on {kind.plural}/{name}"
            raise CommandError(f"error: {text}")
