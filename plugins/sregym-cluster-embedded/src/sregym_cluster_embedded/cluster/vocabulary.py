"""What embedded clusters know of names in the data of applications, for linting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import parse_reference
from sregym_core.interfaces import Vocabulary

from sregym_cluster_embedded.userland.builtin import builtin_models, public_models
from sregym_cluster_embedded.userland.host.commands import HOST_COMMANDS
from sregym_cluster_embedded.userland.kinds.loading import with_in_tree
from sregym_cluster_embedded.userland.shell.commands import COMMANDS
from sregym_cluster_embedded.userland.toolsets import SETS

if TYPE_CHECKING:
    from sregym_apps.simulation import Installed


def vocabulary(given: Installed | None = None) -> Vocabulary:
    """Of a cluster with extensions; with all that are installed unless they are given."""
    known = with_in_tree(given)
    tags: dict[str, set[str]] = {}
    for model in (*builtin_models(), *public_models(known)):
        for image in model.images:
            tags.setdefault(parse_reference(image.repository)[0], set()).update(image.tags)
    packages = {**SETS, **known.tool_sets}
    sets = {name: frozenset(commands) for name, commands in packages.items()}
    return Vocabulary(
        commands=frozenset({*COMMANDS, *HOST_COMMANDS, *known.commands}.union(*sets.values())),
        tool_sets=sets,
        images={name: tuple(sorted(known)) for name, known in sorted(tags.items())},
    )
