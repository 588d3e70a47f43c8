"""`sregym lint`: everything that is wrong with files and plugins, at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sregym_core.api import Workspace
    from sregym_core.interfaces import Vocabulary
    from sregym_lint import Defect

_FILES = (".yaml", ".yml")
# What tells an application's folder: one of these stands in it.
_MODEL, _NOTES, _MANIFESTS = "service_model.yaml", "components.yaml", "manifests"
# The group of entry points of extensions.
_SIMULATION = "sregym.simulation"
# Folders that hold no files of authors.
_LEFT_OUT = frozenset({"node_modules", "build", "dist", "__pycache__"})


class Lint(Subcommand):
    """Tells what is wrong with files of problems and applications, and with installed plugins."""

    name: ClassVar[str] = "lint"
    summary: ClassVar[str] = (
        "report everything that is wrong with problem files, applications and plugins"
    )
    examples: ClassVar[tuple[str, ...]] = (
        "sregym lint problems/cart.yaml",
        "sregym lint acme-shop",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Where to look."""
        parser.add_argument(
            "places",
            nargs="*",
            metavar="PATH|PLUGIN",
            help="a file, a folder, or the name of an installed plugin; all plugins by default",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Look, and print a line for each defect."""
        from sregym_core.api import Workspace
        from sregym_lint import vocabulary_of
        from sregym_runs.options import not_installed

        workspace = Workspace(self.settings)
        vocabulary = vocabulary_of(workspace.factory)
        places = arguments.places or [
            s.name for s in workspace.factory.plugins.statuses() if s.state != "blocked"
        ]
        if not arguments.places:
            for line in not_installed(workspace.factory, workspace.factory.problems.all()):
                self.console.note(f"not compared: {line}")
        found: list[Defect] = []
        for place in dict.fromkeys(places):
            found += _of_place(place, workspace, vocabulary)
        self._tell(found, len(dict.fromkeys(places)), as_json=arguments.json)
        return ExitCode.FAILED if found else ExitCode.DONE

    def _tell(self, found: list[Defect], places: int, *, as_json: bool) -> None:
        if as_json:
            self.console.json([vars(defect) for defect in found])
            return
        for defect in found:
            self.console.say(str(defect))
        what = (
            f"{len(found)} {'defect' if len(found) == 1 else 'defects'}" if found else "no defects"
        )
        self.console.note(f"{places} {'place' if places == 1 else 'places'}: {what}")


def _of_place(place: str, workspace: Workspace, vocabulary: Vocabulary | None) -> list[Defect]:
    path = Path(place)
    plugins = {status.name: status for status in workspace.factory.plugins.statuses()}
    by_distribution = {s.distribution: s for s in plugins.values()}
    if path.is_dir():
        looked_at = [
            found for found in _of_folder(path, workspace, vocabulary) if found is not None
        ]
        if not looked_at:
            msg = f"folder {place!r} holds nothing that can be looked at: no problem, application or plugin"
            raise UsageError(msg)
        return [defect for found in looked_at for defect in found]
    if path.is_file():
        found = _of_file(path, workspace, vocabulary)
        if found is None:
            msg = f"{place!r} is neither a problem nor a service model: it has neither 'faults' nor 'programs' or 'images'"
            raise UsageError(msg)
        return found
    status = plugins.get(place) or by_distribution.get(place)
    if status is None:
        from sregym_lint import did_you_mean

        hint = did_you_mean(place, [*plugins, *by_distribution])
        msg = f"no file or folder {place!r}, and no plugin of that name{hint} (see: sregym plugins)"
        raise UsageError(msg)
    return _of_plugin(status, workspace, vocabulary)


def _of_plugin(status: Any, workspace: Workspace, vocabulary: Vocabulary | None) -> list[Defect]:
    from sregym_lint import lint_plugin

    if status.group != _SIMULATION or status.state != "ok":
        return lint_plugin(status, workspace.factory, vocabulary)
    from sregym_apps.lint import lint_extension
    from sregym_apps.simulation import installed

    known = installed()
    own = [one for one in known.extensions if known.owner("extension", one.name) == status.owner]
    return [defect for one in own for defect in lint_extension(one, known, vocabulary)]


def _of_folder(
    folder: Path, workspace: Workspace, vocabulary: Vocabulary | None
) -> Iterator[list[Defect] | None]:
    """What is wrong with an application, or with each file below; None for what is not looked at."""
    if (folder / _MODEL).is_file() or (
        (folder / _NOTES).is_file() and (folder / _MANIFESTS).is_dir()
    ):
        from sregym_apps.lint import lint_folder

        yield [*lint_folder(folder, str(folder), vocabulary)]
        return
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and entry.name not in _LEFT_OUT and not entry.name.startswith("."):
            yield from _of_folder(entry, workspace, vocabulary)
        elif entry.is_file() and entry.name.endswith(_FILES):
            yield _of_file(entry, workspace, vocabulary)
        elif entry.is_file() and entry.suffix == ".py":
            yield _of_code(entry)


def _of_code(path: Path) -> list[Defect]:
    """A module that cannot be compiled takes everything along that its package offers."""
    from sregym_lint import Defect

    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 0
        why = getattr(error, "msg", None) or str(error)
        what = f"not valid Python: {why}; mend it, nothing that needs this module can be loaded"
        return [Defect(str(path), line, "", what)]
    except OSError as error:
        return [Defect(str(path), 0, "", f"cannot be read: {error.strerror}")]
    return []


def _of_file(
    path: Path, workspace: Workspace, vocabulary: Vocabulary | None
) -> list[Defect] | None:
    """A problem or a service model; None for any other file."""
    from sregym_apps.lint import lint_service_model
    from sregym_lint import Defect, documents, lint_problem

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return [Defect(str(path), 0, "", f"cannot be read: {why}")]
    read, unreadable = documents(text, str(path))
    data = read[0].data if read else None
    if unreadable:
        return unreadable
    keys = set(data) if isinstance(data, dict) else set()
    if {"apiVersion", "kind"} <= keys:
        return None
    if keys & {"programs", "images"}:
        return lint_service_model(text, str(path), vocabulary)
    if keys & {"faults", "fault"} or {"id", "title"} <= keys:
        return lint_problem(text, str(path), workspace.factory)
    return None
