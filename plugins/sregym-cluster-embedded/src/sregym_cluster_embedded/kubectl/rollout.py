"""`kubectl rollout restart`, `pause`, `resume`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.editing import Found, refuse_foreign, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, ServerError
from sregym_cluster_embedded.kubectl.flags import FILES, OUTPUT, SELECTION
from sregym_cluster_embedded.kubectl.printing import report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.store import Object

FLAGS = (*OUTPUT, *FILES, *SELECTION)

RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"

REVISION = "deployment.kubernetes.io/revision"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def restart(session: Session) -> None:
    """Run `kubectl rollout restart`."""
    moment = datetime.fromtimestamp(session.access.unix_now(), UTC)
    stamp = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    patch = {"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: stamp}}}}}

    def act(found: Found) -> None:
        refuse_foreign(found)
        if found.kind.kind not in ("Deployment", "StatefulSet", "DaemonSet"):
            text = f'{found.kind.resource} "{found.name}" restarting is not supported'
            raise CommandError(f"error: {text}")
        if found.obj["spec"].get("paused"):
            text = "can't restart paused deployment (run rollout resume first)"
            raise CommandError(f'error: {found.kind.resource} "{found.name}" {text}')
        annotations = found.obj["spec"]["template"]["metadata"].get("annotations", {})
        if annotations.get(RESTARTED_AT) == stamp:
            text = (
                f"failed to create patch for {found.name}: if restart has already been triggered "
                "within the past second, please wait before attempting to trigger another"
            )
            raise CommandError(f"error: {text}")
        _patch(session, found, patch, "restarted")

    each_named(session, act)


def pause(session: Session) -> None:
    """Run `kubectl rollout pause`."""
    _set_paused(session, True, "paused", "pausing")


def resume(session: Session) -> None:
    """Run `kubectl rollout resume`."""
    _set_paused(session, None, "resumed", "resuming")


def _set_paused(session: Session, value: bool | None, done: str, verb: str) -> None:
    def act(found: Found) -> None:
        refuse_foreign(found)
        if found.kind.kind != "Deployment":
            text = f'{found.kind.resource} "{found.name}" {verb} is not supported'
            raise CommandError(f"error: {text}")
        if bool(found.obj["spec"].get("paused")) == bool(value):
            state = "already paused" if value else "not paused"
            raise CommandError(f'error: {found.kind.resource} "{found.name}" is {state}')
        _patch(session, found, {"spec": {"paused": value}}, done)

    each_named(session, act)


def _patch(session: Session, found: Found, patch: Object, done: str) -> None:
    try:
        after = session.client.patch(found.kind, found.namespace, found.name, patch)
    except ServerError as error:
        raise CommandError(f"error: failed to patch: {error.message}") from error
    report(session, found.kind, after, done)


def each_named(session: Session, act: Callable[[Found], None], told_when_none: bool = True) -> None:
    """Do something with each workload that the command names, and tell all errors at its end.

    With `told_when_none`, it is also told when nothing matches.
    """
    if not session.arguments.words and not session.arguments.of_files:
        raise CommandError("error: required resource not specified")
    errors: list[CommandError] = []
    words = session.arguments.words
    found = selected(session, words, errors, unnamed_is_all=True)
    if not found and not errors and told_when_none:
        session.complain(f"No resources found in {session.namespace} namespace.")
    for one in found:
        with collected(errors):
            act(one)
    raise_all(errors)
