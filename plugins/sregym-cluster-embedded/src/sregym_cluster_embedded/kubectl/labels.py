"""`kubectl label` and `kubectl annotate`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.client import MERGE
from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, SeveralErrors
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, OUTPUT, SELECTION, Flag, switch
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *DRY_RUN, *FILES, *SELECTION, switch("overwrite"), switch("list"),
    Flag("resource-version"),
)  # fmt: skip


_LONGEST = 63
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@dataclass(frozen=True)
class _Kind:
    """What differs between the two commands."""

    field: str
    one: str


_LABEL = _Kind("labels", "label")
_ANNOTATION = _Kind("annotations", "annotation")


def label(session: Session) -> None:
    """Run `kubectl label`."""
    _run(session, _LABEL)


def annotate(session: Session) -> None:
    """Run `kubectl annotate`."""
    _run(session, _ANNOTATION)


def _run(session: Session, kind: _Kind) -> None:
    words, changes, removals = _split(kind, session.arguments.words)
    if not words and not session.arguments.of_files:
        text = "one or more resources must be specified as <resource> <name> or <resource>/<name>"
        raise CommandError(f"error: {text}")
    if not changes and not removals and not session.arguments.on("list"):
        raise CommandError(f"error: at least one {kind.one} update is required")
    if set(changes) & set(removals):
        text = f"error: can not both modify and remove {'a' if kind is _LABEL else 'an'} {kind.one} in the same command"
        raise CommandError(text)
    if kind is _LABEL:
        _refuse_invalid(changes)
    errors: list[CommandError] = []
    for found in selected(session, words, errors):
        with collected(errors):
            _edit(session, kind, found, changes, removals)
    raise_all(errors)


def _split(kind: _Kind, words: list[str]) -> tuple[list[str], dict[str, str], list[str]]:
    resources: list[str] = []
    changes: dict[str, str] = {}
    removals: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name:
            if kind.one == "label" and "=" in value:
                raise CommandError(f"error: invalid label spec: {word}")
            changes[name] = value
        elif word.endswith("-") and resources:
            removals.append(word[:-1])
        elif changes or removals:
            behind = f"{kind.one} changes: {word}"
            raise CommandError(f"error: all resources must be specified before {behind}")
        else:
            resources.append(word)
    return resources, changes, removals


def _edit(
    session: Session, kind: _Kind, found: Found, changes: dict[str, str], removals: list[str]
) -> None:
    present = found.obj["metadata"].get(kind.field, {})
    if not session.arguments.on("overwrite"):
        _refuse_overwriting(kind, present, changes)
    for name in removals:
        if name not in present:
            session.say(f'{kind.one} "{name}" not found.')
    gone = {name: None for name in removals if name in present}
    fresh = {name: value for name, value in changes.items() if present.get(name) != value}
    metadata: dict[str, object] = {kind.field: {**gone, **fresh}}
    if session.arguments.text("resource-version"):
        metadata["resourceVersion"] = session.arguments.text("resource-version")
    after = found.obj
    tried = dry_run(session.arguments) == "client"
    if (gone or fresh) and not tried:
        query = dry_run_query(session.arguments)
        body = {"metadata": metadata}
        after = session.client.patch(found.kind, found.namespace, found.name, body, MERGE, query)
    if (gone or fresh) and (tried or kind is _LABEL):
        # What is printed of a labeled object is what there was before, with its new labels.
        merged = {k: v for k, v in {**present, **changes}.items() if k not in gone}
        after = {**found.obj, "metadata": {**found.obj["metadata"], kind.field: merged}}
    if session.arguments.on("list"):
        _list(session, kind, found, after)
        return
    report(session, found.kind, after, _told(kind, bool(gone), bool(fresh)))


def _list(session: Session, kind: _Kind, found: Found, after: Object) -> None:
    """Print all labels, which the binary does in no certain order."""
    lead = ""
    if session.arguments.on("all") or session.arguments.text("selector"):
        group = f"{found.kind.version}.{found.kind.group}" if found.kind.group else ""
        session.say(f"Listing {kind.field} for {found.kind.kind}.{group}/{found.name}:")
        lead = " "
    present = after["metadata"].get(kind.field) or {}
    for name in sorted(present):
        session.say(f"{lead}{name}={present[name]}")


def _told(kind: _Kind, removed: bool, added: bool) -> str:
    if kind is _ANNOTATION:
        return "annotated"
    if added and removed:
        return "modified"
    if added:
        return "labeled"
    return "unlabeled" if removed else "not labeled"


def _refuse_overwriting(kind: _Kind, present: dict[str, str], changes: dict[str, str]) -> None:
    clashes = [
        f"'{name}' already has a value ({present[name]})"
        for name, value in changes.items()
        if name in present and present[name] != value
    ]
    if not clashes:
        return
    if kind is _LABEL and len(clashes) > 1:
        texts = (f"{clash}, and --overwrite is false" for clash in sorted(clashes))
        raise SeveralErrors(map(CommandError, texts))
    if len(clashes) > 1:
        raise NotCovered("several values that are there already")
    if kind is _LABEL:
        raise CommandError(f"error: {clashes[0]}, and --overwrite is false")
    head = "--overwrite is false but found the following declared annotation(s)"
    raise CommandError(f"error: {head}: {clashes[0]}")


def _refuse_invalid(changes: dict[str, str]) -> None:
    """Refuse what no server would take as the value of a label."""
    for name, value in changes.items():
        problems = []
        if len(value) > _LONGEST:
            problems.append(f"must be no more than {_LONGEST} bytes")
        if not _VALUE.fullmatch(value):
            problems.append(_RULE)
        if problems:
            text = f'error: invalid label value: "{name}={value}": {";".join(problems)}'
            raise CommandError(text)
