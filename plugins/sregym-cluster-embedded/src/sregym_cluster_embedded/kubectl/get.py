"""`kubectl get`."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.kubectl.builder import Target, documents, selector_query, targets
from sregym_cluster_embedded.kubectl.client import TABLE
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import FILES, IGNORED, OUTPUT, SELECTION, Flag, switch
from sregym_cluster_embedded.kubectl.go_sort import go_sorted
from sregym_cluster_embedded.kubectl.jsonpath import find, relaxed
from sregym_cluster_embedded.kubectl.printing import formatted, is_format, refuse_format
from sregym_cluster_embedded.kubectl.raw import get_raw
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.tables import aligned, cell_text, labels_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *SELECTION, *FILES, *IGNORED,
    Flag("raw"), switch("all-namespaces", "A"), switch("show-labels"), switch("no-headers"),
    switch("ignore-not-found"), switch("show-kind"), Flag("label-columns", "L", "list"),
    Flag("sort-by"), switch("watch", "w"), Flag("subresource"),
    switch("watch-only"), switch("output-watch-events"),
)  # fmt: skip

_NOTHING = """You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.

error: Required resource not specified.
Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).
See 'kubectl get -h' for help and examples"""

_TABLE_OUTPUTS = ("", "wide")
_FORMATS = (
    "custom-columns", "custom-columns-file", "go-template", "go-template-file", "json",
    "jsonpath", "jsonpath-as-json", "jsonpath-file", "kyaml", "name", "template", "templatefile",
    "wide", "yaml",
)  # fmt: skip


class _Part(NamedTuple):
    """The answer of the server to one request."""

    kind: ResourceType
    answer: dict[str, Any]


def get(session: Session) -> None:
    """Run `kubectl get`."""
    arguments = session.arguments
    if arguments.has("raw"):
        get_raw(session)
        return
    output = arguments.text("output")
    if output not in (*_TABLE_OUTPUTS, "name") and not is_format(output):
        refuse_format(arguments, _FORMATS)
    if not arguments.words and not arguments.of_files:
        raise CommandError(_NOTHING)
    if arguments.has("all"):
        raise NotCovered("--all")
    watching = arguments.on("watch") or arguments.on("watch-only")
    if arguments.on("output-watch-events") and not watching:
        raise CommandError(
            "error: --output-watch-events option can only be used with --watch or --watch-only"
        )
    if arguments.text("allow-missing-template-keys") == "false":
        raise NotCovered("--allow-missing-template-keys=false")
    if arguments.has("subresource"):
        raise NotCovered("a subresource")
    wanted = _wanted(session)
    if watching:
        import_module("sregym_cluster_embedded.kubectl.watches").watch(session, wanted)
        return
    errors: list[CommandError] = []
    if output in _TABLE_OUTPUTS:
        _print_tables(session, _fetch(session, wanted, errors, TABLE), errors)
    else:
        _print_objects(session, wanted, errors)
    raise_all(errors)


def _wanted(session: Session) -> list[tuple[Target, str | None]]:
    """Targets with the namespace in which each is to be looked up."""
    arguments, client = session.arguments, session.client
    everywhere = arguments.on("all-namespaces")
    if arguments.of_files:
        found = documents(session, arguments.words)
        return [
            (
                Target(document.kind, document.obj["metadata"]["name"]),
                document.obj["metadata"].get("namespace", session.namespace),
            )
            for document in found
        ]
    chosen = targets(client, arguments.words, bool(selector_query(arguments)))
    if everywhere and any(target.name for target in chosen):
        raise CommandError("error: a resource cannot be retrieved by name across all namespaces")
    return [(target, None if everywhere else session.namespace) for target in chosen]


def _fetch(
    session: Session,
    wanted: Sequence[tuple[Target, str | None]],
    errors: list[CommandError],
    accept: str,
) -> list[_Part]:
    client = session.client
    query = selector_query(session.arguments)
    if session.arguments.has("sort-by") and accept == TABLE:
        query.append(("includeObject", "Object"))
    parts: list[_Part] = []
    for target, namespace in wanted:
        kind = target.kind
        with collected(errors):
            if target.name:
                more = [entry for entry in query if entry[0] == "includeObject"]
                found = client.get(kind, namespace, target.name, more, accept)
                parts.append(_Part(kind, found))
            else:
                parts.extend(
                    _Part(kind, page) for page in client.pages(kind, namespace, query, accept)
                )
    if session.arguments.on("ignore-not-found"):
        errors[:] = [e for e in errors if not (isinstance(e, ServerError) and e.not_found)]
    return parts


def _print_objects(
    session: Session, wanted: Sequence[tuple[Target, str | None]], errors: list[CommandError]
) -> None:
    arguments = session.arguments
    parts = _fetch(session, wanted, errors, "application/json")
    single = len(wanted) == 1 and bool(wanted[0][0].name)
    if errors and single:
        return
    objects: list[tuple[ResourceType, Object]] = []
    for kind, answer in parts:
        if "items" in answer:
            head = {"apiVersion": kind.api_version, "kind": kind.kind}
            objects += ((kind, {**head, **item}) for item in answer["items"])
        else:
            objects.append((kind, answer))
    if arguments.has("sort-by"):
        path = relaxed(arguments.text("sort-by"))
        objects = go_sorted(objects, lambda entry: _sort_key(find(path, entry[1])))
    if arguments.text("output") == "name":
        for kind, obj in objects:
            session.say(f"{kind.shown}/{obj['metadata']['name']}")
    elif single and not parts:
        return
    else:
        session.out.append(formatted(arguments, [obj for _, obj in objects], single))


def _print_tables(session: Session, parts: list[_Part], errors: list[CommandError]) -> None:
    several = len({part.kind for part in parts}) > 1
    show_kind = several or session.arguments.on("show-kind")
    tables: list[tuple[ResourceType, list[list[str]]]] = []
    for kind, answer in parts:
        if answer.get("kind") != "Table":
            raise NotCovered("a server without tables")
        if not answer["rows"]:
            continue
        head, rows = rows_of(session, kind, answer, show_kind)
        if tables and tables[-1][0] == kind:
            tables[-1][1].extend(rows)
        else:
            tables.append((kind, [*head, *rows]))
    if session.arguments.has("sort-by") and not _sortable(session, parts):
        tables = []
    if tables:
        between = "" if session.arguments.on("no-headers") else "\n"
        session.out.append(between.join(aligned(rows) for _, rows in tables))
    elif not errors and not session.arguments.on("ignore-not-found"):
        anywhere = session.arguments.on("all-namespaces")
        namespaced = all(part.kind.namespaced for part in parts)
        where = "" if anywhere or not namespaced else f" in {session.namespace} namespace."
        session.complain(f"No resources found{where}")


def _sortable(session: Session, parts: Sequence[_Part]) -> bool:
    """Whether any of several rows has what is sorted by; the binary shows nothing otherwise."""
    rows = [row for part in parts for row in part.answer["rows"]]
    if len(rows) <= 1:
        return True
    try:
        path = relaxed(session.arguments.text("sort-by"))
    except NotCovered:
        return False
    return any(find(path, row["object"]) for row in rows)


def rows_of(
    session: Session, kind: ResourceType, table: dict[str, Any], show_kind: bool
) -> tuple[list[list[str]], list[list[str]]]:
    """The header, unless it is not wanted, and the rows, with the columns the client adds.

    Args:
        session: The command.
        kind: What is listed.
        table: As the server sent it.
        show_kind: Whether names stand behind their kind.
    """
    arguments = session.arguments
    wide = arguments.text("output") == "wide"
    columns = table["columnDefinitions"]
    shown = [at for at, column in enumerate(columns) if wide or not column.get("priority")]
    with_namespace = arguments.on("all-namespaces") and kind.namespaced
    label_columns = arguments.all("label-columns")
    with_labels = arguments.on("show-labels")
    head = ["NAMESPACE"] if with_namespace else []
    head += (columns[at]["name"].upper() for at in shown)
    head += (label.rsplit("/", 1)[-1].upper() for label in label_columns)
    if with_labels:
        head.append("LABELS")
    prefix = f"{kind.shown}/" if show_kind else ""
    name_at = next((at for at, column in enumerate(columns) if column["name"] == "Name"), -1)
    rows = []
    for entry in _sorted(session, table["rows"]):
        cells = entry["cells"]
        metadata = entry["object"]["metadata"]
        row = [metadata.get("namespace", "")] if with_namespace else []
        start = len(row)
        row += [cell_text(cells[at]) for at in shown]
        if prefix and name_at in shown:  # events show their names only in wide tables
            row[start + shown.index(name_at)] = prefix + row[start + shown.index(name_at)]
        labels = metadata.get("labels", {})
        row += [labels.get(label, "") for label in label_columns]
        if with_labels:
            row.append(labels_text(labels))
        rows.append(row)
    return [] if arguments.on("no-headers") else [head], rows


def _sorted(session: Session, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not session.arguments.has("sort-by"):
        return rows
    path = relaxed(session.arguments.text("sort-by"))
    return go_sorted(rows, lambda row: _sort_key(find(path, row["object"])))


def _sort_key(values: list[Any]) -> tuple[Any, ...]:
    """Missing values first, numbers by value, strings with their runs of digits by value."""
    if not values:
        return (0,)
    value = values[0]
    if isinstance(value, bool):
        return (1, int(value))
    if isinstance(value, int | float):
        return (1, value)
    if not isinstance(value, str):
        raise NotCovered("sorting by what is no scalar")
    if re.fullmatch(r"\d+(\.\d+)?(m|k|[KMGT]i?)", value):
        raise NotCovered("sorting by quantities")
    parts = re.split(r"(\d+)", value)
    return (
        2,
        *(
            (part, int(digits))
            for part, digits in zip(parts[::2], [*parts[1::2], "-1"], strict=True)
        ),
    )
