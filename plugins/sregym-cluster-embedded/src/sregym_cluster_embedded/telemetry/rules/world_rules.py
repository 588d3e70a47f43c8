"""The rules of a world: the standard ones and those of extensions, on all that its Prometheus has scraped."""

from __future__ import annotations

from functools import lru_cache, partial
from importlib import resources
from typing import TYPE_CHECKING

from sregym_core.errors import PluginLoadError

from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.telemetry.metrics.catalogue import catalogue_of
from sregym_cluster_embedded.telemetry.metrics.exclusions import Without
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.metrics.view import view_of
from sregym_cluster_embedded.telemetry.object_history import Past
from sregym_cluster_embedded.telemetry.rules.alerts import Alert, State
from sregym_cluster_embedded.telemetry.rules.books import Books
from sregym_cluster_embedded.telemetry.rules.evaluation import Evaluated
from sregym_cluster_embedded.telemetry.rules.files import (
    AlertingRule,
    Group,
    RuleFileError,
    parse_rules,
)

if TYPE_CHECKING:
    from sregym_apps.simulation import Extension, Installed

    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.telemetry.rules.books import Shared
    from sregym_cluster_embedded.world import World

_BOOKS: CacheKey[tuple[int, Books]] = CacheKey("telemetry.rules")
_FOLDER = "/etc/prometheus/rules"


@lru_cache(maxsize=1)
def standard_groups() -> tuple[Group, ...]:
    """The groups of the rule files that every cluster comes with."""
    folder = resources.files(__package__) / "standard"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".yaml")),
        key=lambda file: file.name,
    )
    return tuple(
        group for file in files for group in parse_rules(file.read_text(), f"{_FOLDER}/{file.name}")
    )


def groups_of(world: World) -> tuple[Group, ...]:
    """The groups of all rule files of a world: the standard ones, then those of extensions.

    Raises:
        PluginLoadError: One of an extension cannot be read; names the distribution.
    """
    return (*standard_groups(), *rules_of(catalogue_of(world).known))


@lru_cache(maxsize=64)
def rules_of(known: Installed) -> tuple[Group, ...]:
    """The groups of the rule files of extensions.

    Raises:
        PluginLoadError: One cannot be read; names the distribution.
    """
    return tuple(
        group
        for extension in known.extensions
        for place in extension.rules
        for group in _rules_at(known, extension, place)
    )


def _rules_at(known: Installed, extension: Extension, place: str) -> tuple[Group, ...]:
    package, _, name = place.partition(":")
    try:
        text = (resources.files(package) / name).read_text(encoding="utf-8")
        return parse_rules(text, f"{_FOLDER}/{extension.name}-{name}")
    except (ImportError, OSError, RuleFileError) as error:
        owner = known.owner("extension", extension.name)
        message = (
            f"extension {extension.name!r} of {owner} has the rules {place}, which cannot be "
            f"read: {error}"
        )
        raise PluginLoadError(message) from error


def observed(world: World, without: frozenset[str] = frozenset()) -> Evaluated:
    """All that can be asked of a world's Prometheus: scraped series, and what rules make of them.

    For one question: make it anew when the world has gone on.

    Args:
        world: The world that is meant.
        without: Words: series with one of them for a label are not there, for rules either.
    """
    begin_ms = world.epoch * 1000
    now_ms = begin_ms + int(world.now * 1000)
    reaches_to = Past(world).beginning
    known = world.cache.kept(_BOOKS)
    if known is None or known[0] != reaches_to:
        # What the history has forgotten is not remembered here either.
        known = world.cache.keep(_BOOKS, (reaches_to, Books()))
    # What was is the same for copies for which all is the same, however late it is there.
    known[1].found = partial(_of_copies, view_of(world), reaches_to)
    below = WorldStorage(world, once=True)
    if without:
        # Not remembered with what rules make of everything.
        return Evaluated(Without(below, without), groups_of(world), begin_ms, now_ms)
    return Evaluated(below, groups_of(world), begin_ms, now_ms, known[1])


def _of_copies(view: View, reaches_to: int) -> Shared:
    found: Shared = view.answered(
        ("books", reaches_to),
        lambda: view.world.shared_cache.found(("books", reaches_to), view.state, dict),
    )
    return found


def active(world: World) -> list[Alert]:
    """The alerts that are pending or firing, in the order of rules, then of labels."""
    # What holds at the present moment is not booked: more may happen at it.
    question = ("active", world.now)
    return [*view_of(world).answered(question, lambda: _active(world))]


def _active(world: World) -> list[Alert]:
    evaluated = observed(world)
    return [
        alert
        for group in groups_of(world)
        for rule in group.rules
        if isinstance(rule, AlertingRule)
        for alert in evaluated.alerts(group, rule)
    ]


def firing(world: World) -> list[Alert]:
    """The alerts that fire at this moment of a world; a pure function of its history."""
    return [alert for alert in active(world) if alert.state is State.FIRING]
