"""`kubectl patch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from sregym_cluster_embedded.kubectl.builder import load_all, text_of
from sregym_cluster_embedded.kubectl.client import JSON_PATCH, MERGE, STRATEGIC
from sregym_cluster_embedded.kubectl.client_dry_run import patched
from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, IGNORED, OUTPUT, Flag
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, qualified_name, report
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.yaml_text import compact_json

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT,
    *DRY_RUN,
    *FILES,
    *IGNORED,
    Flag("patch", "p"),
    Flag("patch-file"),
    Flag("type"),
    Flag("subresource"),
)

_TYPES = {"strategic": STRATEGIC, "merge": MERGE, "json": JSON_PATCH}


def patch(session: Session) -> None:
    """Run `kubectl patch`."""
    arguments = session.arguments
    name = arguments.text("type", "strategic").lower()
    if name not in _TYPES:
        raise CommandError(f'error: --type must be one of [json merge strategic], not "{name}"')
    body = _body(session)
    errors: list[CommandError] = []
    for found in selected(session, arguments.words, errors):
        with collected(errors):
            _patch_one(session, found, body, _TYPES[name])
    raise_all(errors)


def _patch_one(session: Session, found: Found, body: object, content_type: str) -> None:
    kind, namespace, name, before = found
    arguments = session.arguments
    if dry_run(arguments) == "client":
        _try(session, found, body, content_type)
        return
    query = dry_run_query(arguments)
    subresource = arguments.text("subresource")
    if subresource and arguments.text("output"):
        raise NotCovered("a subresource in another format")
    after = session.client.patch(
        kind, namespace, name, body, content_type, query, subresource=subresource
    )
    changed = before["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"]
    tried = dry_run(arguments) == "server"
    done = "patched" if changed or tried else "patched (no change)"
    if arguments.text("output"):
        report(session, kind, after, done)
    else:
        # The binary does not say here that it only tried.
        session.say(f"{_shown(session, found, after)} {done}")


def _try(session: Session, found: Found, body: object, content_type: str) -> None:
    if session.arguments.has("subresource") or not isinstance(body, bytes):
        raise NotCovered("a subresource that is tried by the client")
    try:
        patch_ = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NotCovered("a malformed patch") from error
    after = patched(found.obj, patch_, content_type)
    done = "patched (no change)" if after == found.obj else "patched"
    if session.arguments.text("output"):
        report(session, found.kind, after, done)
    else:
        session.say(f"{qualified_name(found.kind, found.name)} {done}")


def _shown(session: Session, found: Found, after: Object) -> str:
    """The name of what was patched; a scale is an object of its own."""
    if session.arguments.text("subresource") == "scale":
        return f"scale.autoscaling/{found.name}"
    return qualified_name(found.kind, after["metadata"]["name"])


def _body(session: Session) -> object:
    arguments = session.arguments
    if arguments.text("patch") and arguments.text("patch-file"):
        raise CommandError("error: cannot specify --patch and --patch-file together")
    if arguments.has("patch-file"):
        path = session.files / arguments.text("patch-file")
        if not path.exists():
            name = arguments.text("patch-file")
            text = f"error: unable to read patch file: open {name}: no such file or directory"
            raise CommandError(text)
        text = text_of(path)
    elif arguments.text("patch"):
        text = arguments.text("patch")
    else:
        text = "error: must specify --patch or --patch-file containing the contents of the patch"
        raise CommandError(text)
    if text.lstrip().startswith("{"):
        # What begins like JSON goes to the server as it is.
        return text.encode()
    try:
        values = list(load_all(text))
    except Exception as error:
        raise NotCovered("a malformed patch") from error
    if len(values) != 1 or not isinstance(values[0], dict | list):
        raise NotCovered("a patch that is no object")
    return compact_json(values[0]).encode()
