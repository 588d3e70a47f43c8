"""Names in the data of applications that a simulated cluster gives a meaning to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Vocabulary:
    """What clusters of one kind know without an application; for linting.

    Attributes:
        commands: Commands that can be carried out in containers.
        tool_sets: Name of a set of commands in `tools` of an image -> its commands.
        images: Full repository (`docker.io/library/busybox`) of public images -> their tags.
    """

    commands: frozenset[str] = frozenset()
    tool_sets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    images: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
