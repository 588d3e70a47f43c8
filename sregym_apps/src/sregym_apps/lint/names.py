"""Names that images, notes and manifests have for tools, programs, components and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.model import WORKLOAD_KINDS
from sregym_lint import Defect, compare, did_you_mean, no_such

from sregym_apps.model import LoadGeneratorProgram
from sregym_apps.notes import ComponentNotes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_lint import Location

    from sregym_apps.lint.files import Files, KubeDocument


def tools(files: Files) -> Iterator[Defect]:
    """Tools of images for which there is no command."""
    model = files.examined.model if files.examined else None
    if model is None or files.vocabulary is None:
        return
    known = {*files.vocabulary.commands, *files.vocabulary.tool_sets}
    known |= {*files.known.commands, *files.known.tool_sets}
    for index, image in enumerate(model.images):
        for place, tool in enumerate(image.tools):
            if tool not in known:
                sets = {*files.vocabulary.tool_sets, *files.known.tool_sets}
                what = _among_many("set of tools or command", tool, sets, known)
                yield files.model_defect(("images", index, "tools", place), what)


def programs(files: Files) -> Iterator[Defect]:
    """Programs that stand in no image, and scripts that are no binaries."""
    model = files.examined.model if files.examined else None
    if model is None:
        return
    used = {name for image in model.images for name in image.binaries.values()}
    for name in model.programs:
        if name not in used and not {name, "images", "binaries"} & files.left_out():
            what = no_such("binary", name, used).replace(
                "there is no binary", "no image has a binary that is", 1
            )
            yield files.model_defect(("programs", name), what)
    for index, image in enumerate(model.images):
        for path in image.scripts:
            if path not in image.binaries:
                where: Location = ("images", index, "scripts", path)
                yield files.model_defect(where, no_such("binary", path, image.binaries))


def notes(files: Files) -> Iterator[Defect]:
    """`components.yaml`: one paragraph a workload, and names of components and operations."""
    if files.notes is None:
        return
    data = files.notes.data
    if not isinstance(data, dict):
        yield files.notes.defect((), "notes on components are a mapping by name of the component")
        return
    operations = _operations(files)
    noted: list[KubeDocument] = []
    for name, content in data.items():
        given = content if isinstance(content, dict) else {"kind": content}
        compared = compare(ComponentNotes, given)
        for where, what in compared.found:
            yield files.notes.defect((name, *where), what)
        if compared.value is None:
            continue
        owner, wrong = _workload(files, str(name), compared.value)
        if wrong:
            yield files.notes.defect((name, "workload"), wrong)
        noted += [owner] if owner else []
        every = [*_named(compared.value, data, operations), *_parts(files, owner, compared.value)]
        for where, what in every:
            yield files.notes.defect((name, *compared.original(where)), what)
    for obj in files.objects:
        if obj.kind in WORKLOAD_KINDS and obj not in noted and not obj.prefix:
            what = f"components.yaml has no notes on it{did_you_mean(obj.name, map(str, data))}"
            yield obj.defect(("metadata", "name"), what)


def _workload(
    files: Files, component: str, note: ComponentNotes
) -> tuple[KubeDocument | None, str]:
    """The object that a component is; why there is none."""
    kind, _, name = note.workload.partition("/")
    every = [obj for obj in files.objects if not obj.prefix]
    fitting = [obj for obj in every if (obj.kind == kind if kind else obj.kind in WORKLOAD_KINDS)]
    found = [obj for obj in fitting if obj.name == (name or component)]
    if not found:
        known = [obj.name for obj in fitting]
        return None, no_such(kind or "workload", name or component, known, "in the manifests")
    return found[0], ""


def _parts(
    files: Files, owner: KubeDocument | None, note: ComponentNotes
) -> Iterator[tuple[Location, str]]:
    """The container and the Service that notes name."""
    template = owner.template if owner else None
    if owner is None or template is None:
        return
    containers = [str(one.get("name")) for one in template[1]["spec"].get("containers") or ()]
    if note.container and note.container not in containers:
        yield ("container",), no_such("container", note.container, containers)
    services = [o.name for o in files.of_kind("Service") if o.namespace == owner.namespace]
    if note.service and note.service not in services:
        yield ("service",), no_such("Service", note.service, services)


def _named(
    note: ComponentNotes, data: Mapping[str, Any], operations: set[str]
) -> Iterator[tuple[Location, str]]:
    for index, caller in enumerate(note.callers):
        if caller not in data:
            yield ("callers", index), no_such("component", caller, map(str, data))
    for index, operation in enumerate(note.operations):
        if operations and operation not in operations:
            yield ("operations", index), no_such("operation of users", operation, operations)
    for index, account in enumerate(note.accounts):
        for place, user in enumerate(account.used_by):
            if user not in data:
                yield (
                    ("accounts", index, "used_by", place),
                    no_such("component", user, map(str, data)),
                )


def _operations(files: Files) -> set[str]:
    """What users do, by the names that load generators report."""
    model = files.examined.model if files.examined else None
    every = model.programs.values() if model else ()
    mixes = [set(one.told) for one in every if isinstance(one, LoadGeneratorProgram)]
    return set().union(*mixes) | (set(model.entry_points) if model else set())


def references(files: Files) -> Iterator[Defect]:
    """ConfigMaps, Secrets, claims and ServiceAccounts that pods name and no manifest has."""
    for owner in files.objects:
        if owner.template is None:
            continue
        place, template = owner.template
        for where, kind, name in _used(template["spec"]):
            if files.find(kind, owner.namespace, name) is None:
                known = [o.name for o in files.of_kind(kind) if o.namespace == owner.namespace]
                what = no_such(kind, name, known, f"in namespace {owner.namespace!r}")
                yield owner.defect((*place, "spec", *where), what)


def _used(pod: Mapping[str, Any]) -> Iterator[tuple[Location, str, str]]:
    account = pod.get("serviceAccountName", "default")
    if account != "default":
        yield ("serviceAccountName",), "ServiceAccount", account
    for index, volume in enumerate(pod.get("volumes") or ()):
        for field, key, kind in (
            ("configMap", "name", "ConfigMap"),
            ("secret", "secretName", "Secret"),
            ("persistentVolumeClaim", "claimName", "PersistentVolumeClaim"),
        ):
            source = volume.get(field)
            if source and not source.get("optional"):
                yield ("volumes", index, field, key), kind, str(source.get(key))
    for group in ("initContainers", "containers"):
        for index, container in enumerate(pod.get(group) or ()):
            here: Location = (group, index)
            yield from _variables(here, container)


def _variables(here: Location, container: Mapping[str, Any]) -> Iterator[tuple[Location, str, str]]:
    for place, source in enumerate(container.get("envFrom") or ()):
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in source and not source[field].get("optional"):
                yield (*here, "envFrom", place, field, "name"), kind, str(source[field].get("name"))
    for place, entry in enumerate(container.get("env") or ()):
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            source = (entry.get("valueFrom") or {}).get(field)
            if source and not source.get("optional"):
                where = (*here, "env", place, "valueFrom", field, "name")
                yield where, kind, str(source.get("name"))


def _among_many(noun: str, name: str, sets: set[str], known: set[str]) -> str:
    """As `no_such`, where there are too many names to list them all."""
    told = no_such(noun, name, known)
    hint = told.partition(")")[2]
    return f"there is no {noun} {name!r} (sets: {', '.join(sorted(sets))}){hint}"
