"""Linting the files of an application: each alone, then against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_lint import Defect, documents

from sregym_apps.components import derive_components
from sregym_apps.lint.calls import calls, clients
from sregym_apps.lint.files import MANIFESTS, MODEL, NOTES, Files, KubeDocument, manifests_in
from sregym_apps.lint.names import notes, programs, references, tools
from sregym_apps.lint.reaching import Network
from sregym_apps.lint.services import entrances, loads, services, unreachable_listeners
from sregym_apps.manifests import load_manifests
from sregym_apps.model.loading import examine_service_model
from sregym_apps.notes import load_notes
from sregym_apps.simulation import Installed, installed
from sregym_apps.table import TABLE, expanded, joined

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Vocabulary


def lint_service_model(
    text: str, name: str, vocabulary: Vocabulary | None = None, known: Installed | None = None
) -> list[Defect]:
    """What is wrong with a service model by itself.

    Args:
        text: The file.
        name: Its name, for the defects.
        vocabulary: What simulated clusters know; tools are not looked up without it.
        known: Kinds of servers and protocols; what is installed unless given.
    """
    files = Files(installed() if known is None else known, vocabulary)
    files.examined = examine_service_model(text, name, files.known)
    return _sorted([*files.examined.defects, *tools(files), *programs(files)])


def lint_folder(
    folder: Traversable,
    shown: str,
    vocabulary: Vocabulary | None = None,
    known: Installed | None = None,
    application: str = "",
) -> list[Defect]:
    """What is wrong with an application: service model, notes on components, manifests.

    Args:
        folder: Holds `service_model.yaml`, `components.yaml` and `manifests/`, as far as there are.
        shown: How messages name the folder.
        vocabulary: What simulated clusters know; tools and public images are not looked up without.
        known: Kinds of servers and protocols; what is installed unless given.
        application: The name that the service model must have; empty for any.
    """
    files = Files(installed() if known is None else known, vocabulary)
    table = folder / TABLE
    if table.is_file():
        made = expanded(table.read_text(encoding="utf-8"), f"{shown}/{TABLE}")
        if made.defects:
            return _sorted(made.defects)
        folder = joined(folder, made)
    _read(files, folder, shown)
    _made(files)
    found = [*files.defects, *tools(files), *programs(files)]
    model = files.examined.model if files.examined else None
    if model and application and model.application != application:
        what = f"is {model.application!r}, and the application's class says {application!r}"
        found.append(files.model_defect(("application",), what))
    if files.objects:
        network = Network.of(files)
        wrong = [*services(network)]
        # Where a Service leads astray, that is why a port is not reached.
        found += wrong or unreachable_listeners(network)
        found += [*network.defects, *references(files), *notes(files)]
        for check in (entrances, loads, clients, calls):
            found += check(network)
    if not found and files.notes is not None:
        found += _underivable(files, folder)
    return _sorted(found)


def _read(files: Files, folder: Traversable, shown: str) -> None:
    model = folder / MODEL
    if model.is_file():
        text = model.read_text(encoding="utf-8")
        files.examined = examine_service_model(text, f"{shown}/{MODEL}", files.known)
        files.defects += files.examined.defects
    own = folder / NOTES
    if own.is_file():
        read, unreadable = documents(own.read_text(encoding="utf-8"), f"{shown}/{NOTES}")
        files.defects += unreadable
        for document in read[:1]:
            files.notes = document
            files.defects += document.own
    manifests = folder / MANIFESTS
    if manifests.is_dir():
        for one in manifests_in(manifests, f"{shown}/{MANIFESTS}"):
            if isinstance(one, KubeDocument):
                files.objects.append(one)
            else:
                files.defects.append(one)


def _underivable(files: Files, folder: Traversable) -> list[Defect]:
    """Why components cannot be derived, where nothing else is wrong."""
    try:
        derive_components(load_manifests(folder / MANIFESTS), load_notes(folder / NOTES))
    except UsageError as error:
        return [files.notes.defect((), str(error))] if files.notes else []
    return []


def _made(files: Files) -> None:
    """Add the objects that notes say operators make."""
    data = files.notes.data if files.notes else None
    for name, note in data.items() if isinstance(data, dict) else ():
        made = note.get("makes") if isinstance(note, dict) else None
        kind, _, owner = str(note.get("workload", "")).partition("/") if made else ("", "", "")
        found = [obj for obj in files.of_kind(kind) if obj.name == owner]
        for index, obj in enumerate(made if isinstance(made, list) else ()):
            metadata = obj.get("metadata") if isinstance(obj, dict) else None
            if files.notes is None or not isinstance(metadata, dict) or not obj.get("kind"):
                continue  # told when components are derived
            space = {"namespace": found[0].namespace} if found else {}
            whole = {**obj, "metadata": {**space, "name": "", **metadata}}
            files.objects.append(KubeDocument(files.notes, whole, (name, "makes", index)))


def _sorted(found: list[Defect]) -> list[Defect]:
    return sorted(dict.fromkeys(found))
