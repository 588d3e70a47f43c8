"""The output formats that most commands share: `-o yaml|json|name|jsonpath=...`, and results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.jsonpath import Path, Template, find, relaxed
from sregym_cluster_embedded.kubectl.kyaml import kyaml_text
from sregym_cluster_embedded.kubectl.struct_order import by_key, in_struct_order
from sregym_cluster_embedded.kubectl.tables import aligned
from sregym_cluster_embedded.kubectl.yaml_text import json_text, yaml_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.kubectl.flags import Arguments
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

DRY_RUNS = {"none": "", "client": " (dry run)", "server": " (server dry run)"}


def dry_run(arguments: Arguments) -> str:
    """`none`, `client` or `server`."""
    value = arguments.text("dry-run", "none")
    if value not in DRY_RUNS:
        if value in ("unchanged", "true", "false"):
            raise NotCovered(f"--dry-run={value}")
        text = f'Invalid dry-run value ({value}). Must be "none", "server", or "client".'
        raise CommandError(f"error: {text}")
    return value


def dry_run_query(arguments: Arguments) -> list[tuple[str, str]]:
    """What a write sends so that the server only tries it."""
    return [("dryRun", "All")] if dry_run(arguments) == "server" else []


_VALIDATION = {
    "true": "Strict",
    "strict": "Strict",
    "warn": "Warn",
    "false": "Ignore",
    "ignore": "Ignore",
}


def field_validation(arguments: Arguments) -> tuple[str, str]:
    """What a write sends about unknown fields."""
    asked = arguments.text("validate", "strict")
    if asked not in _VALIDATION:
        allowed = "must be one of: strict (or true), warn, ignore (or false)"
        raise CommandError(f'error: invalid - validate option "{asked}"; {allowed}')
    return "fieldValidation", _VALIDATION[asked]


def qualified_name(kind: ResourceType, name: str) -> str:
    """`deployment.apps/web`."""
    return f"{kind.shown}/{name}"


def report(
    session: Session, kind: ResourceType, obj: Object, done: str, separated: bool = False
) -> None:
    """Tell what was done to an object, or print it when `-o` says so.

    `separated`: several objects as YAML are several documents, as from one printer.
    """
    output = session.arguments.text("output")
    name = qualified_name(kind, obj["metadata"].get("name", "<unknown>"))
    if not output:
        session.say(f"{name} {done}{DRY_RUNS[dry_run(session.arguments)]}")
    elif output == "name":
        session.say(name)
    else:
        between = "---\n" if separated and output == "yaml" and session.printed else ""
        session.out.append(between + formatted(session.arguments, [obj], single=True))
        session.printed = True


_WHOLE = re.compile(
    r"managedFields|metadata\s*(?:[}\])|,]|$)|\.\.|items(?:\[[^\]]*\])?\s*(?:[}\])|,]|$)"
    r"|[@$.]\s*\}|\*\s*\}|\{\s*\}|index\s"
)


def shows_managed_fields(arguments: Arguments) -> bool:
    """Whether the command may print managed fields: when asked to, or by a template."""
    name, _, template = arguments.text("output").partition("=")
    if arguments.on("show-managed-fields") or not template:
        return arguments.on("show-managed-fields")
    bare = re.sub(r"\brange\s[^}]*", "", template)
    return name in _KEEPING and _WHOLE.search(bare) is not None


_KEEPING = ("jsonpath", "jsonpath-as-json", "go-template", "template", "custom-columns")
_TEMPLATES = ("go-template=", "template=")
_FORMATS = (
    "go-template", "go-template-file", "json", "jsonpath", "jsonpath-as-json", "jsonpath-file",
    "kyaml", "name", "template", "templatefile", "yaml",
)  # fmt: skip


def is_format(output: str) -> bool:
    """Whether `formatted` knows this value of `-o`."""
    known = ("jsonpath=", "custom-columns=", "jsonpath-as-json=", *_TEMPLATES)
    name, equals, value = output.partition("=")
    return output in ("yaml", "json", "kyaml") or (bool(value) and f"{name}{equals}" in known)


def refuse_format(arguments: Arguments, allowed: Sequence[str] = _FORMATS) -> NoReturn:
    """Say what is wrong with a value of `-o` that is none of the formats covered.

    Raises:
        CommandError: The binary refuses it.
        NotCovered: It does not.
    """
    output = arguments.text("output")
    name, _, value = output.partition("=")
    if not value and name in ("custom-columns", "custom-columns-file") and name in allowed:
        raise CommandError("error: custom-columns format specified but no custom columns given")
    if not value and (name.startswith("jsonpath") or "template" in name) and name in allowed:
        raise CommandError("error: template format specified but no template given")
    if name.lower() in allowed:
        raise NotCovered(f"-o {output}")
    raise CommandError(
        f'error: unable to match a printer suitable for the output format "{output}", '
        f"allowed formats are: {','.join(allowed)}"
    )


def formatted(arguments: Arguments, objects: Sequence[Object], single: bool) -> str:
    """Objects in the format that `-o` names; several become one List, as kubectl makes it.

    Raises:
        NotCovered: The format is not known here.
    """
    output = arguments.text("output")
    managed = shows_managed_fields(arguments)
    shown = [obj if managed else without_managed_fields(obj) for obj in objects]
    value: Any = shown[0] if single else _list_of(shown)
    if output == "yaml":
        return yaml_text(value)
    if output in ("json", "kyaml"):
        typed = holds_structs(arguments)
        if typed:
            value = in_struct_order(value)
        if output == "json":
            return json_text(value, in_order=not typed)
        return kyaml_text(value if typed else by_key(value))
    if output.startswith("jsonpath="):
        return Template(output.removeprefix("jsonpath=")).render(value)
    if output.startswith("jsonpath-as-json="):
        return Template(output.removeprefix("jsonpath-as-json=")).render_json(value)
    if output.startswith(_TEMPLATES):
        from sregym_cluster_embedded.kubectl.go_template import GoTemplate

        return GoTemplate(output.partition("=")[2]).render(value)
    if output.startswith("custom-columns=") and arguments.command == "get":
        return _custom_columns(output.removeprefix("custom-columns="), shown, arguments)
    refuse_format(arguments)


def all_formatted(arguments: Arguments, objects: Sequence[Object]) -> str:
    """One object, or several as a List that the binary makes as a struct."""
    if len(objects) == 1:
        return formatted(arguments, objects, single=True)
    shown = [without_managed_fields(by_key(obj)) for obj in objects]
    value = {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": shown}
    output = arguments.text("output")
    if output == "json":
        return json_text(value, in_order=False)
    if output == "kyaml":
        return kyaml_text(value)
    return formatted(arguments, [value], single=True)


# Commands that know the structs of what they print, and so their order; others hold maps.
_TYPED = frozenset({"autoscale", "create", "events", "expose", "rollout", "run", "set", "taint"})


def holds_structs(arguments: Arguments) -> bool:
    """Whether the command prints the structs that it knows rather than what it was sent."""
    command = arguments.command
    if command == "create" or (command == "taint" and dry_run(arguments) == "client"):
        return False
    return command.partition(" ")[0] in _TYPED


def without_managed_fields(obj: Object) -> Object:
    """The object without metadata.managedFields."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    kept = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**obj, "metadata": kept}


def _list_of(objects: list[Object]) -> Object:
    return {
        "apiVersion": "v1",
        "items": objects,
        "kind": "List",
        "metadata": {"resourceVersion": ""},
    }


def _custom_columns(spec: str, objects: Sequence[Object], arguments: Arguments) -> str:
    columns: list[tuple[str, Path]] = []
    for part in spec.split(","):
        header, colon, path = part.partition(":")
        if not colon:
            text = (
                f"error: unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>"
            )
            raise CommandError(text)
        columns.append((header, relaxed(path)))
    rows = [] if arguments.on("no-headers") else [[header for header, _ in columns]]
    rows += ([_column_text(find(path, obj)) for _, path in columns] for obj in objects)
    return aligned(rows)


def _column_text(values: Sequence[Any]) -> str:
    texts = []
    for value in values:
        texts.append(go_text(value))
        # A cell is held as it is, in its row and in the table.
        allocate(4 * len(texts[-1]))
        spend(1 + (len(texts[-1]) >> 6))
    return ",".join(texts) if texts else "<none>"


def go_text(value: Any) -> str:
    """A value as Go's %v prints it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    return str(value)
