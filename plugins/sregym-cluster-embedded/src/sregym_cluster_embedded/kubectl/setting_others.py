"""`kubectl set serviceaccount`, `set selector` and `set subject`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.builder import NOTHING_NAMED
from sregym_cluster_embedded.kubectl.client import MERGE
from sregym_cluster_embedded.kubectl.client_dry_run import patched
from sregym_cluster_embedded.kubectl.editing import (
    Found,
    pod_template,
    refuse_foreign,
    selected,
    wrap_pod_template,
)
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, OUTPUT, SELECTION, Flag
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

FLAGS = (*OUTPUT, *DRY_RUN, *FILES, *SELECTION)
SUBJECT_FLAGS = (
    *FLAGS, Flag("user", kind="repeated"), Flag("group", kind="repeated"),
    Flag("serviceaccount", kind="repeated"),
)  # fmt: skip

_RBAC = "rbac.authorization.k8s.io"


def set_service_account(session: Session) -> None:
    """Run `kubectl set serviceaccount`."""
    words = session.arguments.words
    if not words:
        raise CommandError("error: serviceaccount is required")
    *resources, account = words
    if not resources and not session.arguments.of_files:
        raise CommandError(NOTHING_NAMED)
    for found in _found(session, resources):
        spec = pod_template(found.obj)
        if spec.get("serviceAccountName") == account:
            raise NotCovered("the account that is set already")
        patch = wrap_pod_template(found.obj, {"serviceAccountName": account})
        try:
            after = _patched(session, found, patch)
        except ServerError as error:
            text = f"error: failed to patch ServiceAccountName {error.message}"
            raise CommandError(text) from error
        report(session, found.kind, after, "serviceaccount updated")


def set_selector(session: Session) -> None:
    """Run `kubectl set selector`."""
    words = session.arguments.words
    if len(words) < 2 or not all("=" in part for part in words[-1].split(",")):
        raise NotCovered("a selector with expressions")
    labels = dict(part.partition("=")[::2] for part in words[-1].split(","))
    if any(char in words[-1] for char in "!()< >"):
        raise NotCovered("a selector with expressions")
    for found in _found(session, words[:-1]):
        if found.kind.kind != "Service":
            raise CommandError("error: setting a selector is only supported for Services")
        before = found.obj["spec"].get("selector") or {}
        gone = {name: None for name in before if name not in labels}
        fresh = {name: value for name, value in labels.items() if before.get(name) != value}
        after = _patched(session, found, {"spec": {"selector": {**gone, **fresh}}})
        report(session, found.kind, after, "selector updated")


def set_subject(session: Session) -> None:
    """Run `kubectl set subject`."""
    found = _found(session, session.arguments.words)
    subjects = _subjects(session)
    errors: list[CommandError] = []
    for one in found:
        if one.kind.kind not in ("RoleBinding", "ClusterRoleBinding"):
            raise NotCovered(f"subjects of a {one.kind.kind}")
        present = one.obj.get("subjects") or []
        fresh = [subject for subject in subjects if subject not in present]
        if not fresh:
            continue
        with collected(errors):
            after = _patched(session, one, {"subjects": [*present, *fresh]})
            report(session, one.kind, after, "subjects updated")
    raise_all(errors)


def _subjects(session: Session) -> list[Object]:
    arguments = session.arguments
    subjects: list[Object] = [
        {"apiGroup": _RBAC, "kind": kind, "name": name}
        for kind, flag in (("User", "user"), ("Group", "group"))
        for name in sorted(set(arguments.all(flag)))
    ]
    for account in sorted(set(arguments.all("serviceaccount"))):
        namespace, colon, name = account.partition(":")
        if not colon or not name or ":" in name:
            raise CommandError("error: serviceaccount must be <namespace>:<name>")
        place = namespace or session.namespace
        subjects.append({"kind": "ServiceAccount", "name": name, "namespace": place})
    if not subjects:
        text = "you must specify at least one value of user, group or serviceaccount"
        raise CommandError(f"error: {text}")
    return subjects


def _found(session: Session, words: list[str]) -> list[Found]:
    errors: list[CommandError] = []
    found = selected(session, words, errors)
    raise_all(errors)
    for one in found:
        refuse_foreign(one)
    return found


def _patched(session: Session, found: Found, patch: Object) -> Object:
    if dry_run(session.arguments) == "client":
        return patched(found.obj, patch, MERGE)
    query = dry_run_query(session.arguments)
    return session.client.patch(found.kind, found.namespace, found.name, patch, query=query)
