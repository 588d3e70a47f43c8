"""Linting what an installed plugin brings: components, applications, problem files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import SregymError
from sregym_core.interfaces import LAYERS, Vocabulary
from sregym_core.model.defect import Defect, no_such

from sregym_core import error_location
from sregym_lint.problems import lint_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.plugins import PluginStatus

_FILES = (".yaml", ".yml")


def vocabulary_of(factory: ComponentFactory) -> Vocabulary | None:
    """What the simulated clusters that are installed know together; None where there are none."""
    found: list[Vocabulary] = []
    for name in factory.registry.names("cluster"):
        try:
            known = factory.provider(name).vocabulary()
        except SregymError:
            continue  # reported when that plugin is linted
        found += [known] if known is not None else []
    if not found:
        return None
    return Vocabulary(
        frozenset().union(*(one.commands for one in found)),
        {name: words for one in found for name, words in one.tool_sets.items()},
        {name: tags for one in found for name, tags in one.images.items()},
    )


def lint_plugin(
    status: PluginStatus, factory: ComponentFactory, vocabulary: Vocabulary | None
) -> list[Defect]:
    """Everything that is wrong with what a plugin offers.

    Args:
        status: The plugin.
        factory: What is installed.
        vocabulary: What simulated clusters know.
    """
    reasons = factory.registry.defects().get(status.name, [])
    factory.registry.problem_folders()
    # What a plugin offers may have shown only now that it is broken.
    status = factory.plugins.status(status.name) or status
    if status.state != "ok":
        return [
            Defect(
                status.owner, 0, "", f"plugin {status.name!r} is {status.state}: {status.reason}"
            )
        ]
    found = [Defect(status.owner, 0, "", reason) for reason in reasons]
    offered = [words.rpartition(" ")[::2] for words in factory.registry.components(status.name)]
    for kind, name in offered:
        if kind == "application":
            found += _application(name, status, factory, vocabulary)
        elif kind == "fault":
            found += _fault(name, status, factory)
    # What cannot be loaded was told above.
    found = [
        defect for defect in dict.fromkeys(found) if not defect.field or defect.what not in reasons
    ]
    for file, text in _problem_files(status, factory):
        found += (
            [Defect(file, 0, "", text.what)]
            if isinstance(text, Defect)
            else lint_problem(text, file, factory)
        )
    return found


def _application(
    name: str, status: PluginStatus, factory: ComponentFactory, vocabulary: Vocabulary | None
) -> Sequence[Defect]:
    try:
        return factory.application(name).lint(vocabulary)
    except SregymError as error:
        return [Defect(status.owner, 0, f"application {name!r}", str(error))]
    except Exception as error:  # of the plugin's own code
        return [
            Defect(
                status.owner, 0, f"application {name!r}", error_location.format_with_location(error)
            )
        ]


def _fault(name: str, status: PluginStatus, factory: ComponentFactory) -> Iterator[Defect]:
    try:
        layer = factory.registry.load("fault", name).layer
    except (SregymError, AttributeError) as error:
        yield Defect(status.owner, 0, f"fault {name!r}", str(error))
        return
    if layer not in LAYERS:
        yield Defect(status.owner, 0, f"fault {name!r}", no_such("layer", str(layer), LAYERS))


def _problem_files(
    status: PluginStatus, factory: ComponentFactory
) -> Iterator[tuple[str, str | Defect]]:
    for folder, owner in factory.registry.problem_folders():
        if owner.name != status.name:
            continue
        try:
            for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
                if file.name.endswith(_FILES):
                    yield str(file), file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            what = f"its folder of problems cannot be read: {error_location.format_error(error)}"
            yield str(folder), Defect(str(folder), 0, "", what)
