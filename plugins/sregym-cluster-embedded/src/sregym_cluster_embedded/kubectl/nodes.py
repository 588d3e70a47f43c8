"""`kubectl cordon` and `kubectl uncordon`."""

from __future__ import annotations

from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, SELECTION
from sregym_cluster_embedded.kubectl.printing import dry_run
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all

FLAGS = (*DRY_RUN, *SELECTION)


def cordon(session: Session) -> None:
    """Run `kubectl cordon`."""
    _run(session, True, "cordoned")


def uncordon(session: Session) -> None:
    """Run `kubectl uncordon`."""
    _run(session, False, "uncordoned")


def _run(session: Session, unschedulable: bool, done: str) -> None:
    arguments = session.arguments
    if dry_run(arguments) != "none" or not arguments.words or arguments.text("selector"):
        raise NotCovered("cordon by selector, or tried only")
    words = [word.removeprefix("node/").removeprefix("nodes/") for word in arguments.words]
    errors: list[CommandError] = []
    for found in selected(session, ["nodes", *words], errors):
        with collected(errors):
            _set(session, found, unschedulable, done)
    raise_all(errors)


def _set(session: Session, found: Found, unschedulable: bool, done: str) -> None:
    present = bool(found.obj["spec"].get("unschedulable"))
    if present == unschedulable:
        session.say(f"node/{found.name} already {done}")
        return
    patch = {"spec": {"unschedulable": True if unschedulable else None}}
    session.client.patch(found.kind, None, found.name, patch)
    session.say(f"node/{found.name} {done}")
