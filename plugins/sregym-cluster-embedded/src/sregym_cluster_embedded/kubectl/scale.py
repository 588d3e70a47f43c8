"""`kubectl scale`."""

from __future__ import annotations

from sregym_cluster_embedded.kubectl.client import MERGE
from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, OUTPUT, SELECTION, Flag
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all

FLAGS = (*OUTPUT, *DRY_RUN, *FILES, *SELECTION, Flag("replicas"), Flag("current-replicas"))


def scale(session: Session) -> None:
    """Run `kubectl scale`."""
    arguments = session.arguments
    if not arguments.has("replicas"):
        raise CommandError('error: required flag(s) "replicas" not set')
    replicas = arguments.number("replicas", -1)
    if replicas < 0:
        text = "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0"
        raise CommandError(f"error: {text}")
    if arguments.has("current-replicas"):
        raise NotCovered("scale with a condition")
    errors: list[CommandError] = []
    for found in selected(session, arguments.words, errors):
        with collected(errors):
            _scale_one(session, found, replicas)
    raise_all(errors)


def _scale_one(session: Session, found: Found, replicas: int) -> None:
    # What is printed is what there was before, with the new number.
    shown = {**found.obj, "spec": {**found.obj.get("spec", {}), "replicas": replicas}}
    if dry_run(session.arguments) == "client":
        report(session, found.kind, shown, "scaled")
        return
    session.client.patch(
        found.kind,
        found.namespace,
        found.name,
        {"spec": {"replicas": replicas}},
        MERGE,
        dry_run_query(session.arguments),
        subresource="scale",
    )
    report(session, found.kind, shown, "scaled")
