"""Tools: what an agent can do in a session, described so that a language model can use them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class ToolGroup(StrEnum):
    """Which tools belong together; each group can be served apart."""

    METRICS = "metrics"
    LOGS = "logs"
    TRACES = "traces"
    CLUSTER = "cluster"
    SUBMISSION = "submission"


@dataclass(frozen=True)
class Tool:
    """One tool.

    Attributes:
        name: By which it is called.
        group: Where it belongs.
        description: Its description for a model.
        parameters: JSON schema of its arguments, an object.
        reads_only: Whether it can change nothing but the time that passes.
    """

    name: str
    group: ToolGroup
    description: str
    parameters: Mapping[str, Any]
    reads_only: bool


@dataclass(frozen=True)
class ToolResult:
    """What a tool gave back.

    Attributes:
        text: For a model to read; one page of it where it is long, with a note about it.
        ok: False when the call was refused or failed; `text` then says why and what to do.
        page: Which page this is, from 1.
        pages: How many there are.
    """

    text: str
    ok: bool = True
    page: int = 1
    pages: int = 1
