"""What the metadata and the entry points of an installed distribution say of it."""

from __future__ import annotations

from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sregym_core.errors import PluginMissingError, UsageError

from sregym_index.form import Entry

if TYPE_CHECKING:
    from sregym_core.api import Workspace

    from sregym_index.form import Contract

# Labels of a project's addresses, the first that it has being its home page.
_HOMES = ("homepage", "home", "documentation", "repository", "source", "source code")


def version_of(name: str) -> str:
    """The installed version of a distribution; empty where it is not installed."""
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return ""


def entry_of(name: str, workspace: Workspace, contract: Contract | None) -> Entry:
    """The entry of an installed distribution.

    Args:
        name: Of the distribution.
        workspace: In which plugins are loaded.
        contract: What came of its contract tests.

    Raises:
        UsageError: It is not installed, adds nothing, or does not say which core it needs.
        PluginMissingError: One of its plugins cannot be used.
    """
    found = _distribution(name)
    adds, kinds = _added(found, workspace)
    return Entry(
        distribution=found.metadata["Name"],
        summary=_said(found, "Summary") or found.metadata["Name"],
        kinds=tuple(kinds),
        adds=tuple(adds),
        core=_needed_core(found),
        home=_home(found),
        contract=contract,
    )


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        message = (
            f"no distribution named {name!r} is installed; pip install it, then make its entry"
        )
        raise UsageError(message) from error


def _added(found: Distribution, workspace: Workspace) -> tuple[list[str], list[str]]:
    """What it adds, `kind name` each, and the kinds."""
    name = canonicalize_name(found.metadata["Name"])
    factory = workspace.factory
    adds: list[str] = []
    kinds: set[str] = set()
    for status in factory.plugins.statuses():
        if canonicalize_name(status.distribution) != name:
            continue
        if status.state != "ok":
            message = f"plugin {status.name!r} of {name} is {status.state}: {status.reason}; mend it, then make its entry"
            raise PluginMissingError(message)
        offered = [*status.components, *factory.registry.components(status.name)]
        adds += offered
        kinds |= {one.rpartition(" ")[0] for one in offered}
        if "sregym_register_problems" in status.hooks:
            kinds.add("problems")
        if "sregym_episode_event" in status.hooks:
            kinds.add("observer")
    if not kinds:
        message = f"{name} adds nothing: it has no entry point in the groups sregym and sregym.simulation that offers anything"
        raise UsageError(message)
    return sorted(adds), sorted(kinds)


def _needed_core(found: Distribution) -> str:
    for line in found.requires or ():
        requirement = Requirement(line)
        if canonicalize_name(requirement.name) == "sregym-core" and requirement.specifier:
            clauses = sorted(map(str, requirement.specifier), reverse=True)
            return ",".join(clauses)
    message = f"{found.metadata['Name']} does not say which versions of sregym-core it fits; add it to the dependencies, sregym-core>=0.1,<0.2 for one"
    raise UsageError(message)


def _home(found: Distribution) -> str:
    addresses = {}
    for line in found.metadata.get_all("Project-URL") or ():
        label, _, address = line.partition(",")
        addresses[label.strip().lower()] = address.strip()
    known = [addresses[label] for label in _HOMES if label in addresses]
    return next(iter(known), _said(found, "Home-page"))


def _said(found: Distribution, field: str) -> str:
    return str(found.metadata[field]) if field in found.metadata else ""
